// Recurrent state of the sequences in flight: blocks of the same pool that the KV cache has, so
// many a sequence however long it is.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

std::int64_t blocks_of_sequence(const Situation& situation) {
  return situation.cache.held_state_blocks(situation.plan->longest_request);
}

}  // namespace

bool state_is_asked_for(const Situation& situation) {
  return situation.plan->concurrency.has_value() &&
         std::ranges::any_of(situation.cache.kinds,
                             [](const CacheKind& kind) { return kind.spec.is_state; });
}

Spread state_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  return certain(
      static_cast<double>(*plan.concurrency) *
      static_cast<double>(situation.cache.request_state_bytes(plan.longest_request).count()));
}

void describe_state(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  if (situation.cache.geometry.lies_apart) {
    term.formula = "stateBytesPerSequence x concurrency";
    term.inputs = {
        {"stateBytesPerSequence",
         situation.cache.request_state_bytes(plan.longest_request).count()},
        {"concurrency", *plan.concurrency},
        {"draftTokens", situation.cache.geometry.draft_tokens},
    };
    term.source = plan.facts.source("statesApart");
    return;
  }
  term.formula = "stateBlocksPerSequence x concurrency x blockBytes";
  term.inputs = {
      {"stateBlocksPerSequence", blocks_of_sequence(situation)},
      {"concurrency", *plan.concurrency},
      {"blockBytes", situation.cache.block_bytes.count()},
      {"blockTokens", situation.cache.geometry.block_tokens},
      {"layersPerGroup", situation.cache.group_layers},
      {"draftTokens", situation.cache.geometry.draft_tokens},
  };
  term.source =
      "vLLM model_executor/layers/mamba/mamba_utils.py (state shapes), v1/kv_cache_interface.py "
      "(MambaSpec)";
}

}  // namespace gpushape::estimate::terms
