// How the profiles of one device fit beside each other: which sizes nest without loss, and what one
// placed profile leaves that nothing can use. Arithmetic on the published placements.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "domain/device.hpp"

namespace gpushape::domain {

/// True when time-sliced `small` costs `large` nothing beyond its own block: every placement of
/// `small` touches exactly one placement of `large`, and mixing sizes costs `small` none of its
/// count. Where placements are not published, the counts decide.
bool nests(const Profile& small, const Profile& large);

/// The time-sliced sizes that nest in each other, from the whole device down: 80, 40, 20, 10, 5 on
/// an 80 GB device, 48, 24, 12, 6 on a 48 GB one. Pointers into `device`, largest first.
std::vector<const Profile*> nesting_profiles(const Device& device);

/// Memory that no profile of the catalog can use once one `profile` is placed on an empty device,
/// at its best start. In mixed-size mode the catalog is the nesting sizes (rule P6: 16C beside
/// 20C strands, 4C beside 10C does); for MIG all instance profiles within the compute slices.
/// Same-size: what is left when the device is full of this profile.
Bytes stranded_bytes(const Device& device, const Profile& profile, GpuMode mode);

}  // namespace gpushape::domain
