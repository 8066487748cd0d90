// The fewest hosts for a mix: from a bound below upwards, placed largest first in several orders,
// and by the exact joint search where that finds nothing. A number is proven where it is the bound,
// or where the search refuted every smaller one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domain/device.hpp"
#include "domain/host_plan.hpp"

namespace gpushape::place {

struct MixRequest {
  std::string name;  ///< of one copy; unique
  domain::PlacementRequest request;
};

/// Ours: states that the exact search of one number of hosts looks at, and how many numbers it is
/// asked about; together some seconds.
inline constexpr std::int64_t kHostSteps = 60'000;
inline constexpr int kExactTries = 4;
inline constexpr std::size_t kMostPlannedHosts = 512;

struct HostPlanInput {
  /// Hosts to take from, in this order; `complete` has filled them. Where they are all alike and
  /// empty, one stands for as many as it takes.
  std::vector<domain::ClusterHost> pool;
  bool is_model = false;  ///< the pool is one host of a server model
  std::span<const domain::Device> devices;
  std::int64_t most_steps = kHostSteps;
  std::int64_t most_hosts = 0;  ///< more are not tried; 0: any number
};

/// With the GPUs in the modes that the pool allows.
domain::HostPlan plan_hosts(const HostPlanInput& input, const std::vector<MixRequest>& mix);

/// The pool with vGPUs in mixed-size mode in place of same-size, where the devices have it; empty
/// where none has, or where a GPU is in use.
std::vector<domain::ClusterHost> in_mixed_size(std::vector<domain::ClusterHost> pool,
                                               std::span<const domain::Device> devices);

}  // namespace gpushape::place
