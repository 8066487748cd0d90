// The indexer of sparse latent attention: the keys that one step may look at, gathered from the
// cache for so many requests of the longest context.
//
//   indexer = requests x context x (head size + its scale)
//
// Source: vLLM v1/attention/backends/mla/indexer.py, get_max_prefill_buffer_size.
#include "estimate/layers.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {

double indexer_workspace(const Step& step) {
  const Plan& plan = *step.situation->plan;
  if (plan.facts.conditions().has_indexer == 0) return 0;
  std::int64_t widest = 0;
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    const domain::Attention& attention = layer.attention;
    if (attention.kind == domain::LayerKind::Latent && attention.indexer)
      widest = std::max(widest, layers::indexer_token_bytes(*attention.indexer));
  });
  return plan.facts.expected("indexerRequests") *
         static_cast<double>(plan.longest_request * widest);
}

}  // namespace gpushape::estimate::terms
