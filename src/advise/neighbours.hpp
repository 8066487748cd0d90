// What the recommended size does to its device, beside the next larger and the next smaller one:
// bytes stranded, instances of a device, and which sizes still find a place with it
// (consumption-rules.md, section 6, step 5).
#pragma once

#include <vector>

#include "advise/device_case.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// Largest first. Empty where the device is never shared on the platform.
std::vector<domain::Neighbour> neighbours_of(const DeviceCase& device_case,
                                             const domain::RankedShape& chosen);

}  // namespace gpushape::advise
