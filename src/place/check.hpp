// Contradictions of an inventory: what cannot be as it is told.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/device.hpp"

namespace gpushape::place {

struct Contradiction {
  std::string host;
  std::string subject;  ///< a GPU, a VM, or empty for the host itself
  std::string says;

  bool operator==(const Contradiction&) const = default;
};

/// In the order of the hosts, then of the VMs.
std::vector<Contradiction> contradictions(const domain::Cluster& cluster,
                                          std::span<const domain::Device> devices);

}  // namespace gpushape::place
