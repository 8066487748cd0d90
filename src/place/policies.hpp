// How one of several possible places is preferred. A policy looks at one compatible host at a time
// and answers with the best option there and a key; the host with the largest key wins, the first
// of equal ones. To add one: a file in policies/ and a row.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "place/goodness.hpp"
#include "place/host_delta.hpp"
#include "place/offers.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct PolicyQuestion {
  const Snapshot& snapshot;
  std::size_t host = 0;
  const Request& request;
  const Distribution& distribution;
  const GoodnessWeights& weights;
  Offers& offers;                  ///< of the snapshot's states and the distribution
  GpuSet serving = 0;              ///< serving_gpus() of the host, which takes the request
  const HostSums* sums = nullptr;  ///< of the host, where they are kept; otherwise made
};

/// Larger is better. Figures enter it in billionths, as every comparison of figures is made.
using PolicyKey = std::int64_t;

/// A figure rounded to nine decimals, counted in billionths.
inline PolicyKey billionths(double figure) {
  constexpr double kBillion = 1e9;
  return std::llround(figure * kBillion);
}

struct HostChoice {
  Option option;
  PolicyKey key = 0;
};

struct PolicyRow {
  std::string_view name;
  std::string_view description;
  HostChoice (*best_on_host)(const PolicyQuestion&);
  std::string_view host_rule;        ///< what made a host win, in words
  std::string_view device_rule;      ///< what made a GPU win
  bool weighs_distribution = false;  ///< means nothing without one
};

/// In display order; the first one is the default.
std::span<const PolicyRow> policies();
const PolicyRow* find_policy(std::string_view name);

struct Choice {
  std::size_t host = 0;
  Option option;
  PolicyKey key = 0;
};

/// The policy's choice among all hosts; absent where every host refuses.
std::optional<Choice> choose(const Snapshot& snapshot, const Request& request,
                             const Distribution& distribution, const PolicyRow& policy,
                             const GoodnessWeights& weights = goodness_presets().front());

}  // namespace gpushape::place
