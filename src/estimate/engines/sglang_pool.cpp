#include "estimate/engines/sglang_pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "estimate/division.hpp"

namespace gpushape::estimate::engines {
namespace {

/// Bytes that one more token takes, by what layers look back on, and those of one state.
struct Costs {
  std::int64_t whole = 0;   ///< layers that hold every token
  std::int64_t window = 0;  ///< layers that hold a window
  std::int64_t state = 0;
  std::int64_t longest_window = 0;
};

Costs costs_of(const CacheLayout& cache) {
  Costs costs;
  for (const CacheKind& kind : cache.kinds) {
    const CacheSpec& spec = kind.spec;
    if (spec.is_state) {
      costs.state += spec.page_bytes * kind.layers;
      continue;
    }
    const std::int64_t bytes =
        spec.page_bytes / std::max<std::int64_t>(1, spec.block_tokens) * kind.layers;
    (spec.window_tokens > 0 ? costs.window : costs.whole) += bytes;
    costs.longest_window = std::max(costs.longest_window, spec.window_tokens);
  }
  return costs;
}

std::int64_t whole_pages(double tokens, std::int64_t page) {
  return static_cast<std::int64_t>(tokens) / page * page;
}

/// Slots that are asked for: as many as that, or one for each running request where no prefixes are
/// kept. Nothing where a share of the pool is dealt out instead. Source: SGLang
/// model_executor/model_runner_kv_cache_mixin.py, handle_max_mamba_cache, and MambaPool, which has
/// one more to write what nobody reads.
std::optional<std::int64_t> asked_state_slots(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const auto asked = static_cast<std::int64_t>(plan.facts.expected("stateSlots"));
  const bool follows_requests =
      plan.are_sequences_asked && !situation.cache.geometry.keeps_states_of_prefixes;
  if (asked == 0 && !follows_requests) return std::nullopt;
  return (asked > 0 ? asked : plan.max_num_seqs) / plan.weights.dense_parallel + 1;
}

/// States of sequences in flight, and of prefixes that later requests may find.
std::int64_t state_slots(const Situation& situation, const Costs& costs, Bytes pool) {
  if (costs.state == 0) return 0;
  if (const auto asked = asked_state_slots(situation))
    return std::min(*asked, pool.count() / costs.state);
  const double share = situation.plan->facts.expected("stateShare");
  const bool has_tokens = costs.whole + costs.window > 0;
  const double of_states = has_tokens ? static_cast<double>(pool.count()) * share / (1 + share)
                                      : static_cast<double>(pool.count());
  return static_cast<std::int64_t>(of_states / static_cast<double>(costs.state));
}

double requests_of(const Situation& situation, const Costs& costs, std::int64_t tokens,
                   std::int64_t slots, double ratio) {
  const Plan& plan = *situation.plan;
  const std::int64_t page = situation.cache.geometry.block_tokens;
  const auto held = [&](std::int64_t length) {
    return static_cast<double>(divide_up(length, page) * page);
  };
  double requests = std::numeric_limits<double>::max();
  if (costs.whole > 0) requests = static_cast<double>(tokens) / held(plan.longest_request);
  if (costs.window > 0) {
    const std::int64_t alive = std::min(plan.longest_request, costs.longest_window);
    requests = std::min(requests, ratio * static_cast<double>(tokens) / held(alive));
  }
  if (costs.state > 0) {
    const double states = std::max(1.0, plan.facts.expected("statesPerRequest"));
    const bool keeps_prefixes = situation.cache.geometry.keeps_states_of_prefixes;
    requests = std::min(requests, static_cast<double>(slots) / (keeps_prefixes ? states : 1));
  }
  return requests == std::numeric_limits<double>::max() ? 0 : requests;
}

}  // namespace

SglangPool sglang_pool(const Situation& situation, const domain::Range& pool) {
  const Costs costs = costs_of(situation.cache);
  SglangPool dealt;
  const std::int64_t slots = state_slots(situation, costs, pool.expected);
  const auto without_states = [&](Bytes bytes) {
    return bytes - Bytes(costs.state) * state_slots(situation, costs, bytes);
  };
  // Slots are whole: with states alone, what is left of a smaller pool may be more.
  const std::array<Bytes, 3> left = {without_states(pool.low), without_states(pool.expected),
                                     without_states(pool.high)};
  dealt.kv_bytes = {
      .low = std::ranges::min(left), .expected = left[1], .high = std::ranges::max(left)};
  // Where no layer holds every token, the window is all there is.
  const double asked = situation.plan->facts.expected("windowShare");
  const double ratio = costs.whole > 0 && costs.window > 0 && asked > 0 ? asked : 1;
  const double token = static_cast<double>(costs.whole) + ratio * static_cast<double>(costs.window);
  const std::int64_t page = situation.cache.geometry.block_tokens;
  if (token > 0) {
    dealt.held.tokens =
        whole_pages(static_cast<double>(dealt.kv_bytes.expected.count()) / token, page);
  }
  dealt.held.requests = requests_of(situation, costs, dealt.held.tokens, slots, ratio);
  if (token == 0 && costs.state > 0)  // states alone: any length
    dealt.held.tokens =
        static_cast<std::int64_t>(dealt.held.requests) * situation.plan->longest_request;
  return dealt;
}

std::int64_t sglang_running_requests(const Plan& plan, std::int64_t tokens) {
  const Facts& facts = plan.facts;
  const double of_pool = static_cast<double>(tokens) / static_cast<double>(plan.longest_request) *
                         facts.expected("runningPerContext");
  const double most = facts.expected("maxRunningMost");
  const double requests = std::max(std::floor(of_pool), facts.expected("maxNumSeqs"));
  return std::llround(most > 0 ? std::min(requests, most) : requests);
}

}  // namespace gpushape::estimate::engines
