// Idle capacity that is there on paper only: no shape of the distribution can use any of it, with
// what stands in the way.
#pragma once

#include <string>
#include <vector>

#include "domain/placement.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct PaperCapacity {
  std::size_t host = 0;
  int gpu = 0;
  double idle = 0;  ///< of the GPU, 0 to 1
  /// What refuses the shape that gets furthest in the list of filters.
  domain::Refusal refusal = domain::Refusal::Capacity;
  /// VMs whose leaving would lift that: those on the GPU where it is about the GPU, those of the
  /// host where it is about groups of GPUs, CPU or memory. None where the hardware or its setting
  /// refuses.
  std::vector<std::string> blockers;
};

/// By host, then GPU.
std::vector<PaperCapacity> capacity_on_paper(const Snapshot& snapshot,
                                             const Distribution& distribution);

}  // namespace gpushape::place
