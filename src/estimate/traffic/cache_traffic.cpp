#include "estimate/traffic/cache_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "estimate/engines.hpp"
#include "estimate/traffic/lengths.hpp"

namespace gpushape::estimate {

using domain::CacheDemand;
using domain::InFlight;

namespace {

/// Whole blocks of a prefix that all sequences read: a window drops its beginning and a state is
/// each sequence's own, so only layers that keep every token share any.
double shared_blocks(const CacheLayout& cache, std::int64_t prefix) {
  double blocks = 0;
  for (const CacheKind& kind : cache.kinds) {
    if (kind.spec.held != layers::full_held_blocks || kind.spec.block_tokens <= 0) continue;
    const auto whole =
        static_cast<double>(prefix / (kind.spec.block_tokens * cache.geometry.context_parallel));
    blocks += cache.geometry.lies_apart
                  ? whole * static_cast<double>(kind.spec.page_bytes * kind.layers) /
                        static_cast<double>(cache.block_bytes.count())
                  : whole * static_cast<double>(kind.groups);
  }
  return blocks;
}

/// A sequence that is answered adds one token a step. The bound that engines admit by lets every
/// sequence's window be longer by a whole step, which only one step's tokens are at a time.
CacheLayout while_answering(const CacheLayout& cache) {
  CacheLayout answering = cache;
  answering.geometry.batched_tokens =
      std::min(cache.geometry.batched_tokens, 1 + cache.geometry.draft_tokens);
  return answering;
}

Bytes bytes_of(double blocks, const CacheLayout& cache) {
  return Bytes(static_cast<std::int64_t>(
      std::ceil(blocks * static_cast<double>(cache.block_bytes.count()) - 1e-3)));
}

bool is_replayed(const Plan& plan) {
  const InFlight& in_flight = *plan.in_flight;
  return in_flight.is_sized_by_replay && in_flight.replay &&
         *plan.concurrency == in_flight.sequences;
}

JointDemand joint_demand(const Plan& plan, const UnitsOf& units_of) {
  const InFlight& in_flight = *plan.in_flight;
  return is_replayed(plan) ? JointDemand(*in_flight.replay, units_of)
                           : JointDemand(in_flight.lengths, *plan.concurrency, units_of);
}

/// In tokens what the blocks hold.
void count_tokens(const Plan& plan, CacheDemand& demand) {
  const auto context = static_cast<double>(*plan.context_tokens);
  const auto prefix = static_cast<double>(demand.common_prefix_tokens);
  const auto sequences = static_cast<double>(demand.sequences);
  demand.together_worst_tokens = prefix + sequences * (context - prefix);
  const auto set_all = [&](double tokens) {
    demand.together_p50_tokens = demand.together_p99_tokens = demand.together_level_tokens = tokens;
  };
  set_all(demand.together_worst_tokens);
  if (plan.in_flight == nullptr || plan.in_flight->lengths.shares.empty()) return;
  const UnitsOf own_tokens = [&](double tokens) {
    return std::clamp(tokens, prefix, context) - prefix;
  };
  const JointDemand joint = joint_demand(plan, own_tokens);
  const auto at = [&](double level) {
    return std::min(demand.together_worst_tokens, prefix + joint.quantile(level));
  };
  demand.together_p50_tokens = at(0.5);
  demand.together_p99_tokens = at(0.99);
  demand.together_level_tokens = at(plan.in_flight->service_level);
}

}  // namespace

double token_blocks(const CacheLayout& cache, std::int64_t tokens) {
  return static_cast<double>(cache.request_bytes(tokens).count()) /
         static_cast<double>(cache.block_bytes.count());
}

double CacheTraffic::blocks_at(double level) const {
  if (!joint) return worst_blocks;
  return std::min(worst_blocks, std::ceil(joint->quantile(level) - 1e-6) + fixed_blocks);
}

double CacheTraffic::above(double blocks) const {
  if (blocks >= worst_blocks) return 0;
  return joint ? joint->above(blocks - fixed_blocks) : 1;
}

std::optional<CacheTraffic> traffic_on(const Plan& plan, const CacheLayout& cache) {
  const bool has_lengths = plan.in_flight != nullptr && !plan.in_flight->lengths.shares.empty();
  if (!plan.concurrency || !plan.context_tokens || cache.block_bytes == Bytes(0))
    return std::nullopt;
  if (!has_lengths && plan.common_prefix_tokens == 0) return std::nullopt;

  const std::int64_t context = *plan.context_tokens;
  const std::int64_t prefix = std::min(plan.common_prefix_tokens, context);
  const double shared = shared_blocks(cache, prefix);
  const double of_longest = token_blocks(cache, context);
  CacheTraffic traffic;
  traffic.shared_blocks = shared;
  traffic.worst_blocks = shared + (of_longest - shared) * static_cast<double>(*plan.concurrency);
  traffic.level_blocks = certain(traffic.worst_blocks);
  if (!has_lengths) return traffic;

  const CacheLayout answering = while_answering(cache);
  const UnitsOf blocks_of = [&](double tokens) {
    const auto length = std::clamp(std::llround(tokens), std::max<long long>(1, prefix),
                                   static_cast<long long>(context));
    return std::max(0.0, token_blocks(answering, length) - shared);
  };
  traffic.joint = joint_demand(plan, blocks_of);
  traffic.fixed_blocks = shared + of_longest - token_blocks(answering, context);
  const Spread bounded = traffic.joint->bounded(plan.in_flight->service_level);
  const auto capped = [&](double blocks) {
    const double whole = cache.geometry.lies_apart ? blocks : std::ceil(blocks - 1e-6);
    return std::min(traffic.worst_blocks, whole + traffic.fixed_blocks);
  };
  traffic.level_blocks = {capped(bounded.low), capped(bounded.expected), capped(bounded.high)};
  return traffic;
}

CacheDemand describe_traffic(const Plan& plan, const StageFigures& stage,
                             const std::optional<domain::Range>& pool) {
  const CacheLayout& cache = stage.situation.cache;
  const CacheTraffic& traffic = *stage.situation.traffic;
  CacheDemand demand;
  demand.sequences = *plan.concurrency;
  demand.common_prefix_tokens = std::min(plan.common_prefix_tokens, *plan.context_tokens);
  demand.shared_bytes = bytes_of(traffic.shared_blocks, cache);
  demand.level_bytes = bytes_of(traffic.level_blocks.expected, cache);
  demand.worst_bytes = bytes_of(traffic.worst_blocks, cache);
  demand.service_level = 1;
  if (traffic.joint) {
    const InFlight& in_flight = *plan.in_flight;
    const std::vector<domain::LengthShare>& shares = in_flight.lengths.shares;
    demand.service_level = in_flight.service_level;
    demand.basis = in_flight.lengths.basis;
    demand.from = in_flight.lengths.from;
    demand.mean_tokens = mean_of(shares);
    demand.deviation_tokens = deviation_of(shares);
    demand.p50_tokens = percentile_of(shares, 50);
    demand.p95_tokens = percentile_of(shares, 95);
    demand.p99_tokens = percentile_of(shares, 99);
    demand.longest_tokens = in_flight.lengths.longest;
    double cut = 0;
    for (const domain::LengthShare& share : shares) {
      if (share.tokens > static_cast<double>(*plan.context_tokens) + 0.5) cut += share.share;
    }
    if (cut > 0) demand.cut_share = cut;
    demand.is_sized_by_replay = is_replayed(plan);
    if (in_flight.replay) {
      demand.replay = in_flight.replay;
      demand.replay->class_tokens.clear();
      demand.replay->moments.clear();
    }
  } else {
    demand.mean_tokens = static_cast<double>(*plan.context_tokens);
    demand.p50_tokens = demand.p95_tokens = demand.p99_tokens = demand.mean_tokens;
    demand.longest_tokens = demand.mean_tokens;
  }
  count_tokens(plan, demand);
  demand.p50_bytes = bytes_of(traffic.blocks_at(0.5), cache);
  demand.p99_bytes = bytes_of(traffic.blocks_at(0.99), cache);
  if (demand.p50_bytes > Bytes(0)) {
    demand.spread = static_cast<double>(demand.p99_bytes.count()) /
                    static_cast<double>(demand.p50_bytes.count());
  }
  if (!pool || cache.block_bytes == Bytes(0)) return demand;
  const Bytes states = cache.request_state_bytes(plan.longest_request) * *plan.concurrency;
  const auto shortage_of = [&](Bytes bytes) {
    if (bytes < states) return 1.0;
    const double blocks = static_cast<double>((bytes - states).count()) /
                          static_cast<double>(cache.block_bytes.count());
    return traffic.above(cache.geometry.lies_apart ? blocks : std::floor(blocks + 1e-9));
  };
  demand.shortage = shortage_of(pool->expected);
  demand.shortage_at_low = shortage_of(pool->low);
  return demand;
}

}  // namespace gpushape::estimate
