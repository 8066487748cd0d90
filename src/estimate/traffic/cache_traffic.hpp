// The traffic on the cache of one stage: every sequence's length becomes what its layers hold, each
// kind by its own rule, and the sequences in flight hold it together.
//
// Counted in blocks of CacheLayout::block_bytes. Where an engine keeps kinds in pools of their own,
// a block is one of every kind, and sequences hold parts of it.
#pragma once

#include <optional>

#include "domain/estimate.hpp"
#include "estimate/cache_layout.hpp"
#include "estimate/traffic/token_demand.hpp"

namespace gpushape::estimate {

struct Plan;

struct CacheTraffic {
  std::optional<JointDemand> joint;  ///< empty where every sequence is at the full context
  double fixed_blocks = 0;   ///< the common prefix, once, and what a running step adds to windows
  double shared_blocks = 0;  ///< of these, the common prefix
  double worst_blocks = 0;   ///< every sequence at the full context
  Spread level_blocks;       ///< at the service level; recurrent states are no part of any of this

  [[nodiscard]] double blocks_at(double level) const;
  /// How often the sequences hold more blocks than this.
  [[nodiscard]] double above(double blocks) const;
};

/// Blocks that one request of so many tokens holds, recurrent states apart.
double token_blocks(const CacheLayout& cache, std::int64_t tokens);

/// Nothing where the plan has no traffic: then the context times the concurrency is all there is.
std::optional<CacheTraffic> traffic_on(const Plan& plan, const CacheLayout& cache);

/// What a reader is told of it. `pool` is what the engine leaves for the cache, where a GPU is
/// given.
struct StageFigures;
domain::CacheDemand describe_traffic(const Plan& plan, const StageFigures& stage,
                                     const std::optional<domain::Range>& pool);

}  // namespace gpushape::estimate
