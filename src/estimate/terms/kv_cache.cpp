// The KV cache that the declared context and concurrency need: whole blocks, every request at its
// longest. Blocks that hold recurrent states are a term of their own.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

std::int64_t blocks_of_request(const Situation& situation) {
  const std::int64_t tokens = *situation.plan->context_tokens;
  return situation.cache.held_blocks(tokens) - situation.cache.held_state_blocks(tokens);
}

bool keeps_tokens(const Situation& situation) {
  return std::ranges::any_of(situation.cache.kinds,
                             [](const CacheKind& kind) { return !kind.spec.is_state; });
}

/// KV heads of the first attention that has any, on this rank.
std::int64_t kv_heads_of(const Situation& situation) {
  for (const domain::LayerRun& run : situation.plan->model->layers) {
    if (run.layer.attention.kv_heads > 0)
      return kv_heads_on_rank(run.layer.attention, situation.cache.geometry.tensor_parallel);
  }
  return 0;
}

/// Kinds in pools of their own: each holds what it needs of a request.
void describe_apart(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  term.formula = "requestBytes x concurrency";
  term.inputs = {
      {"requestBytes", situation.cache.request_bytes(*plan.context_tokens).count()},
      {"concurrency", *plan.concurrency},
      {"contextTokens", *plan.context_tokens},
      {"bytesPerToken", situation.cache.bytes_per_token().count()},
      {"blockTokens", situation.cache.geometry.block_tokens},
      {"layers", situation.stage.layers},
      {"kvHeads", kv_heads_of(situation)},
      {"kvCacheType", std::string(name_of(situation.cache.geometry.type))},
  };
  term.source = plan.facts.source("blockTokens");
}

}  // namespace

bool kv_cache_is_asked_for(const Situation& situation) {
  return situation.plan->context_tokens.has_value() && situation.plan->concurrency.has_value() &&
         keeps_tokens(situation);
}

Spread kv_cache_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  return certain(static_cast<double>(*plan.concurrency) *
                 static_cast<double>(situation.cache.request_bytes(*plan.context_tokens).count()));
}

void describe_kv_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  if (situation.cache.geometry.lies_apart) {
    describe_apart(situation, term);
    return;
  }
  term.formula = "blocksPerRequest x concurrency x blockBytes";
  term.inputs = {
      {"blocksPerRequest", blocks_of_request(situation)},
      {"concurrency", *plan.concurrency},
      {"blockBytes", situation.cache.block_bytes.count()},
      {"contextTokens", *plan.context_tokens},
      {"blockTokens", situation.cache.least_block_tokens()},
      {"groups", situation.cache.groups()},
      {"layersPerGroup", situation.cache.group_layers},
      {"layers", situation.stage.layers},
      {"kvHeads", kv_heads_of(situation)},
      {"kvCacheType", std::string(name_of(situation.cache.geometry.type))},
  };
  term.source = plan.facts.source("blockTokens");
}

}  // namespace gpushape::estimate::terms
