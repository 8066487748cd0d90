// Proposes the sizes, the mode and the layout of GPUs for a mix of workloads: for every mode that
// the device has, the set of sizes with which the fewest devices do, the least memory is stranded
// or given beyond a need, and the fewest sizes are offered (RV-07: more than three in same-size
// mode lock devices early; RV-08: sizes that do not nest strand memory).
#pragma once

#include <cstdint>
#include <vector>

#include "domain/device.hpp"
#include "domain/profile_plan.hpp"
#include "place/pack.hpp"

namespace gpushape::place {

/// The plans of all modes that the device has, best first; those that cannot be come last.
std::vector<domain::ProfilePlan> plan_profiles(const domain::Device& device,
                                               const std::vector<domain::MixItem>& mix,
                                               std::int64_t most_steps = kPlanSteps);

}  // namespace gpushape::place
