// The fewest hosts for a mix whose workloads may each take any of several shapes. The first shape
// of each is what it is advised; another one is taken only where that saves a host.
#pragma once

#include <string>
#include <vector>

#include "place/plan_hosts.hpp"

namespace gpushape::place {

/// One of a workload's shapes: all of its copies.
struct ShapeOption {
  std::string words;               ///< "20C", "2 x passthrough linked"
  std::vector<MixRequest> copies;  ///< at least one
};

struct MixChoice {
  std::string name;
  std::vector<ShapeOption> shapes;  ///< in order of preference; at least one
};

/// Ours: choices of shapes that are planned for, each a search of its own.
inline constexpr std::int64_t kMostShapeChoices = 200;

/// The bounds are those of every choice of shapes: no fewer hosts do whichever is taken.
domain::HostPlan plan_hosts(const HostPlanInput& input, const std::vector<MixChoice>& mix);

}  // namespace gpushape::place
