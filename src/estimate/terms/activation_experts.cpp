// A mixture of experts: every token is copied to each of its experts, through the experts' first
// projection, its activation, and the second.
//
//   routed     = T x active
//   workspace  = routed (max(w, h) + max(n, h)) dtypeBytes     one workspace, which stays
//              = routed (max(n, h) + w) dtypeBytes             two caches, the third in the first
//              = routed (n + w + h) dtypeBytes                 three caches
//   layer      = workspace + T (3 s + forwardHidden h) dtypeBytes + T experts 8
//
// with w the width of one expert on this rank, n = 2 w where experts have a gate, s the width of
// the shared experts, h the experts' input. From the version on that runs experts as modular
// kernels, the workspace belongs to a manager that never shrinks, so that it stands under the
// sampler, too. Source: vLLM model_executor/layers/fused_moe/fused_moe.py (TritonExperts,
// fused_experts_impl), modular_kernel.py, v1/worker/workspace.py; 0.19 series: DeepSeek-V2-Lite
// 1.93, Qwen1.5-MoE 2.47 GiB.
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

/// How an engine version holds what passes between the experts' projections.
enum class Caches { Separate, Shared, Workspace };

Caches caches_of(const Facts& facts) {
  if (facts.expected("expertsWorkspace") != 0) return Caches::Workspace;
  return facts.expected("expertsCachesShared") != 0 ? Caches::Shared : Caches::Separate;
}

double values_per_routed_token(const domain::Experts& experts, double hidden, double ranks,
                               Caches caches) {
  const double width = static_cast<double>(experts.width) / ranks;
  const double first = (experts.is_gated ? 2 : 1) * width;
  switch (caches) {
    case Caches::Separate:
      return first + width + hidden;
    case Caches::Shared:
      return std::max(first, hidden) + width;
    case Caches::Workspace:
      break;
  }
  return std::max(width, hidden) + std::max(first, hidden);
}

double tokens_at_once(const Step& step) {
  const double chunk = step.situation->plan->facts.expected("expertsChunkTokens");
  return chunk > 0 ? std::min(step.tokens, chunk) : step.tokens;
}

struct ExpertsParts {
  double routed = 0;  ///< tokens at once, once for each expert that takes them
  double values = 0;  ///< of one of them
  double beside = 0;  ///< bytes of one token: the shared experts and the router's weights
};

ExpertsParts experts_parts(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const Caches caches = caches_of(plan.facts);
  // Expert parallel leaves experts whole; the step's tokens may all meet on one rank.
  const double ranks = plan.parallelism.expert > 1 ? 1 : step.ranks;
  ExpertsParts parts;
  each_run(*plan.model, step.situation->stage, [&](const domain::Layer& layer, std::int64_t) {
    if (!layer.feed_forward.experts) return;
    const domain::Experts& experts = *layer.feed_forward.experts;
    const double hidden =
        experts.latent_width > 0 ? static_cast<double>(experts.latent_width) : step.hidden;
    const double routed = tokens_at_once(step) * static_cast<double>(experts.active);
    const double values = values_per_routed_token(experts, hidden, ranks, caches);
    if (routed * values > parts.routed * parts.values) {
      parts.routed = routed;
      parts.values = values;
    }
    const double shared = 3 * static_cast<double>(experts.shared_width) / step.ranks;
    constexpr double kRouterBytes = 8;  // logits and weights in 32 bits
    parts.beside = std::max(
        parts.beside, shared * step.dtype + kRouterBytes * static_cast<double>(experts.count));
  });
  return parts;
}

const char* fact_of(Caches caches) {
  switch (caches) {
    case Caches::Workspace:
      return "expertsWorkspace";
    case Caches::Shared:
      return "expertsCachesShared";
    case Caches::Separate:
      break;
  }
  return "expertsLayer";
}

}  // namespace

ExpertsPeak experts_peak(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const ExpertsParts parts = experts_parts(step);
  const double workspace = parts.routed * parts.values * step.dtype;
  if (workspace == 0) return {};
  ExpertsPeak peak;
  peak.layer = plan.facts.value("expertsLayer") * workspace + certain(step.tokens * parts.beside) +
               hidden_tensors(step);
  if (caches_of(plan.facts) == Caches::Workspace)
    peak.kept = plan.facts.value("expertsWorkspace") * workspace;
  return peak;
}

void explain_experts(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  const ExpertsParts parts = experts_parts(step);
  term.formula =
      "expertsLayer x routedTokens x routedValues x dtypeBytes + batchedTokens x besideBytes";
  term.inputs = {{"expertsLayer", facts.expected("expertsLayer")},
                 {"routedTokens", whole(parts.routed)},
                 {"routedValues", whole(parts.values)},
                 {"dtypeBytes", whole(step.dtype)},
                 {"batchedTokens", whole(step.tokens)},
                 {"besideBytes", whole(parts.beside)}};
  explain_hidden_tensors(step, term);
  term.source = facts.source(fact_of(caches_of(facts)));
}

}  // namespace gpushape::estimate::terms
