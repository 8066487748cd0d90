// What the workload asks of an engine's pool on one stage: the sequences in flight at the service
// level, or all of them at the full context; and never less than the one longest request that an
// engine must be able to hold to start at all.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate {

domain::Range pool_demand(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const CacheLayout& cache = situation.cache;
  if (!plan.context_tokens) return domain::exactly(cache.block_bytes);
  const std::int64_t sequences = plan.concurrency.value_or(1);
  const Bytes states = cache.request_state_bytes(*plan.context_tokens);
  const Bytes longest = cache.request_bytes(*plan.context_tokens) + states;
  if (!situation.traffic) return domain::exactly(longest * sequences);
  const Spread together =
      situation.traffic->level_blocks * static_cast<double>(cache.block_bytes.count()) +
      certain(static_cast<double>((states * sequences).count()));
  return to_range(larger(together, certain(static_cast<double>(longest.count()))));
}

Spread wanted_requests(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const CacheLayout& cache = situation.cache;
  const auto all = static_cast<double>(plan.concurrency.value_or(1));
  const bool has_states = cache.request_state_bytes(plan.longest_request) > Bytes(0);
  if (!situation.traffic || has_states) return certain(all);
  const double of_one = token_blocks(cache, *plan.context_tokens);
  if (of_one <= 0) return certain(all);
  return larger(situation.traffic->level_blocks * (1 / of_one), certain(1));
}

}  // namespace gpushape::estimate
