// Hugging Face generate, which runs every prompt in one step: the forward peak of the prefill, and
// what a cache that grows by concatenation needs beside itself.
//
//   forward   = T (3 f + forwardHidden h) dtypeBytes           dense, or the busiest expert
//   attention = B heads L^2 attentionScores + mask             where scores are held (eager)
//   mask      = B L^2 dtypeBytes                               of a batch with padding
//   logits    = rows V (dtypeBytes + 4) + T h dtypeBytes       rows: T, or B from 4.45 on
//   growth    = keys and values of one layer, once more
//
// with B prompts of L tokens, T = B L. Source: transformers models/llama/modeling_llama.py
// (eager_attention_forward, forward: logits.float(), num_logits_to_keep), cache_utils.py
// (DynamicLayer.update: torch.cat), masking_utils.py.
#include <algorithm>

#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

constexpr double kFloatBytes = 4;

/// What stands at once in each part of the step.
struct Prefill {
  double prompts = 1;
  double length = 0;
  Spread forward;
  Spread attention;
  Spread logits;
  double rows = 0;

  [[nodiscard]] Spread peak() const { return larger(larger(forward, attention), logits); }
};

/// The tokens of one expert: evenly dealt out, or all of them.
Spread expert_values(const domain::Experts& experts) {
  const double width = 3 * static_cast<double>(experts.width);
  const double even = static_cast<double>(experts.active) /
                      static_cast<double>(std::max<std::int64_t>(1, experts.count));
  constexpr double kBusiest = 2;  // times the even share: routers are not even; ours
  return Spread{even, std::min(1.0, kBusiest * even), 1} * width;
}

Prefill prefill_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const Step step = largest_step(situation);
  Prefill prefill;
  prefill.prompts = step.sequences;
  prefill.length = step.tokens / std::max(1.0, step.sequences);
  Spread widest = certain(0);
  double heads = 0;
  each_run(*plan.model, situation.stage, [&](const domain::Layer& layer, std::int64_t) {
    const domain::FeedForward& network = layer.feed_forward;
    const double width = static_cast<double>(network.width) / step.ranks;
    widest = larger(widest, certain((network.gated ? 3 : 2) * width));
    if (network.experts) widest = larger(widest, expert_values(*network.experts));
    if (layer.attention.kind != domain::LayerKind::None)
      heads = std::max(heads, static_cast<double>(layer.attention.heads) / step.ranks);
  });
  prefill.forward = widest * (step.tokens * step.dtype) + hidden_tensors(step);
  const double square = prefill.prompts * prefill.length * prefill.length;
  const bool is_padded = prefill.prompts > 1;
  prefill.attention = plan.facts.value("attentionScores") * (heads * square) +
                      Spread{0, is_padded ? step.dtype : 0, step.dtype} * square +
                      hidden_tensors(step);
  if (situation.stage.has_head && plan.model->has_head) {
    const bool is_whole = plan.facts.expected("logitsOfPrompt") != 0;
    prefill.rows = is_whole ? step.tokens : step.sequences;
    prefill.logits = certain(prefill.rows * static_cast<double>(plan.model->vocabulary) *
                                 (step.dtype + kFloatBytes) +
                             step.tokens * step.hidden * step.dtype);
  }
  return prefill;
}

std::int64_t whole_bytes(double value) { return static_cast<std::int64_t>(value); }

/// Keys and values of the layer that keeps most, for all sequences.
double largest_layer(const Situation& situation) {
  const Plan& plan = *situation.plan;
  double most = 0;
  for (const CacheKind& kind : situation.cache.kinds) {
    if (!kind.spec.is_state) most = std::max(most, static_cast<double>(kind.token_bytes));
  }
  return most * static_cast<double>(plan.longest_request) *
         static_cast<double>(plan.concurrency.value_or(1));
}

}  // namespace

Spread prefill_bytes(const Situation& situation) { return prefill_of(situation).peak(); }

void describe_prefill(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const Prefill prefill = prefill_of(situation);
  term.formula = "max(forward, attention, logits)";
  term.inputs = {
      {"forward", whole_bytes(prefill.forward.expected)},
      {"attention", whole_bytes(prefill.attention.expected)},
      {"logits", whole_bytes(prefill.logits.expected)},
      {"prompts", whole_bytes(prefill.prompts)},
      {"promptTokens", whole_bytes(prefill.length)},
      {"logitRows", whole_bytes(prefill.rows)},
      {"vocabulary", plan.model->vocabulary},
      {"hiddenSize", plan.model->hidden_size},
      {"forwardHidden", plan.facts.expected("forwardHidden")},
  };
  const bool is_logits = prefill.logits.expected >= prefill.forward.expected &&
                         prefill.logits.expected >= prefill.attention.expected;
  term.source =
      is_logits ? plan.facts.source("logitsOfPrompt") : plan.facts.source("forwardHidden");
}

bool cache_grows(const Situation& situation) {
  return kv_cache_is_asked_for(situation) && situation.plan->facts.expected("cacheGrows") != 0;
}

Spread growth_bytes(const Situation& situation) {
  return situation.plan->facts.value("cacheGrows") * largest_layer(situation);
}

void describe_growth(const Situation& situation, domain::Term& term) {
  term.formula = "layerBytes x cacheGrows";
  term.inputs = {{"layerBytes", whole_bytes(largest_layer(situation))},
                 {"cacheGrows", situation.plan->facts.expected("cacheGrows")}};
  term.source = situation.plan->facts.source("cacheGrows");
}

}  // namespace gpushape::estimate::terms
