// Is a device's table sane? What a reader of one field cannot see: placements that overlap or stand
// outside, counts that no geometry allows, shares that exceed the device, facts without a source.
#pragma once

#include "base/diagnostic.hpp"
#include "domain/device.hpp"

namespace gpushape::profiles {

/// Everything that is wrong, each message naming device, profile and values; empty when sane.
Diagnostics check_device(const domain::Device& device);

}  // namespace gpushape::profiles
