// What the workload asks of an engine's pool on one stage: the sequences in flight at the service
// level, or all of them at the full context; and never less than the one longest request that an
// engine must be able to hold to start at all.
#include "estimate/terms.hpp"

namespace gpushape::estimate {

domain::Range pool_demand(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const CacheLayout& cache = situation.cache;
  if (!plan.context_tokens) return domain::exactly(cache.block_bytes);
  const std::int64_t sequences = plan.concurrency.value_or(1);
  const std::int64_t of_one = cache.held_blocks(*plan.context_tokens);
  if (!situation.traffic) return domain::exactly(cache.block_bytes * of_one * sequences);
  const Spread states = certain(
      static_cast<double>(cache.held_state_blocks(*plan.context_tokens) * sequences));
  const Spread least = certain(static_cast<double>(of_one));
  return to_range(larger(situation.traffic->level_blocks + states, least) *
                  static_cast<double>(cache.block_bytes.count()));
}

}  // namespace gpushape::estimate
