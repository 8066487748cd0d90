// Is a set of profiles legal on one GPU, and where does each lie? An exhaustive search over the
// published starts, so that a no is a proof, and a start that every legal layout shares is known.
#pragma once

#include <string>
#include <vector>

#include "domain/profile_fit.hpp"
#include "place/geometry.hpp"

namespace gpushape::place {

/// `names` are names of the device's profiles as `geometry_of` knows them; a name that it lacks
/// makes the set illegal and `why` says so. Time-sliced sets of one size are tried in same-size
/// mode, others in mixed-size mode where the device has it.
domain::ProfileFit fit_profiles(const DeviceGeometry& device, bool supports_mixed_size,
                                const std::vector<std::string>& names);

}  // namespace gpushape::place
