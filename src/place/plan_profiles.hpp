// Proposes the sizes, the mode and the layout of GPUs for a mix of workloads: for every mode that
// the device has, the set of sizes with which the fewest devices do, the least memory is stranded
// or given beyond a need, and the fewest sizes are offered (RV-07: more than three in same-size
// mode lock devices early; RV-08: sizes that do not nest strand memory).
//
// The number of devices for a set of sizes is a bin packing over the published placements, solved
// by branch and bound over the maximal contents of one device; where its budget ends the best found
// stands, with the bound from below.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/device.hpp"
#include "domain/profile_plan.hpp"

namespace gpushape::place {

/// Ours: contents of devices that one packing looks at; some tenths of a second.
inline constexpr std::int64_t kPlanSteps = 200'000;

/// The plans of all modes that the device has, best first; those that cannot be come last.
std::vector<domain::ProfilePlan> plan_profiles(const domain::Device& device,
                                               const std::vector<domain::MixItem>& mix,
                                               std::int64_t most_steps = kPlanSteps);

/// One size as the packing sees it.
struct PackedSize {
  std::int64_t copies = 0;  ///< to be packed
  int size = 0;
  std::vector<int> starts;  ///< empty: anywhere, one behind another
  int most = 0;             ///< of one device
  int compute = 0;
};

/// What one device of a packing holds: of each size so many, in the order of the sizes.
using Contents = std::vector<std::int64_t>;

struct Packing {
  std::vector<Contents> devices;
  std::int64_t least = 0;  ///< bound from below
  bool is_proven = false;  ///< no fewer do
};

/// The fewest devices with an axis of this length, and so many compute slices (0: they do not
/// count), that hold all copies. Every size fits an empty device.
Packing pack(const std::vector<PackedSize>& sizes, int length, int compute,
             std::int64_t most_steps = kPlanSteps);

/// Starts of the shares of one device, size by size, ascending; empty where they find no place.
std::vector<std::vector<int>> lay_out(const std::vector<PackedSize>& sizes,
                                      const Contents& contents, int length);

}  // namespace gpushape::place
