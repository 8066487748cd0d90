// The fewest hosts for a mix of contracts, and what each GPU of them is set to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/cluster.hpp"

namespace gpushape::domain {

/// How many hosts one resource takes at least.
struct HostBound {
  std::string resource;  ///< "GPUs", "CPU", "memory", "link domains of 4"
  std::int64_t hosts = 0;
  std::string says;

  bool operator==(const HostBound&) const = default;
};

/// A workload that takes another of its shapes than the one it is advised first.
struct OtherShape {
  std::string workload;
  std::string shape;
  std::string instead_of;
  bool is_forced = false;  ///< no host takes the shapes before it; otherwise it saves hosts

  bool operator==(const OtherShape&) const = default;
};

struct HostPlan {
  std::string host;                  ///< server model, or the cluster
  GpuMode mode = GpuMode::SameSize;  ///< of the GPUs that vGPUs share: same-size or mixed-size
  std::string refusal;               ///< why it cannot be; empty where it can
  std::int64_t hosts = 0;
  std::int64_t least_hosts = 0;   ///< no fewer can do
  bool is_proven = false;         ///< `hosts` is the least
  std::vector<HostBound> bounds;  ///< the largest first
  std::vector<ClusterHost> used;  ///< with what they hold
  std::int64_t copies = 0;        ///< VMs or pods that are placed
  std::int64_t steps = 0;         ///< states that the searches looked at
  std::vector<OtherShape> other_shapes;
  std::int64_t shape_choices = 1;  ///< choices of shapes that were planned for

  bool operator==(const HostPlan&) const = default;
};

}  // namespace gpushape::domain
