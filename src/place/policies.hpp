// How one of several possible places is preferred. A policy looks at one compatible host at a time
// and answers with the best option there and a key; the host with the largest key wins, the first
// of equal ones. To add one: a file in policies/ and a row.
#pragma once

#include <array>
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
  const HostSums* sums = nullptr;  ///< of the host, where they are kept; otherwise made
};

/// Larger is better, the first figure first. Every figure is rounded to nine decimals.
using PolicyKey = std::array<double, 2>;

struct HostChoice {
  Option option;
  PolicyKey key{};
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
  PolicyKey key{};
};

/// The policy's choice among all hosts; absent where every host refuses.
std::optional<Choice> choose(const Snapshot& snapshot, const Request& request,
                             const Distribution& distribution, const PolicyRow& policy,
                             const GoodnessWeights& weights = goodness_presets().front());

}  // namespace gpushape::place
