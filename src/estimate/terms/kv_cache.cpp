// The KV cache that the declared context and concurrency need: whole blocks, every request at its
// longest.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

bool kv_cache_is_asked_for(const Situation& situation) {
  return situation.plan->context_tokens.has_value() && situation.plan->concurrency.has_value();
}

Spread kv_cache_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const auto blocks = static_cast<double>(situation.cache.held_blocks(*plan.context_tokens));
  return certain(blocks * static_cast<double>(*plan.concurrency) *
                 static_cast<double>(situation.cache.block_bytes.count()));
}

void describe_kv_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  term.formula = "blocksPerRequest x concurrency x blockBytes";
  term.inputs = {
      {"blocksPerRequest", situation.cache.held_blocks(*plan.context_tokens)},
      {"concurrency", *plan.concurrency},
      {"blockBytes", situation.cache.block_bytes.count()},
      {"contextTokens", *plan.context_tokens},
      {"blockTokens", situation.cache.geometry.block_tokens},
      {"layers", situation.stage.layers},
      {"kvHeads", kv_heads_on_rank(situation.cache.kinds.front().attention,
                                   situation.cache.geometry.tensor_parallel)},
      {"kvCacheType", std::string(name_of(situation.cache.geometry.type))},
  };
  term.source = plan.facts.source("blockTokens");
}

}  // namespace gpushape::estimate::terms
