// The runner-up of an answer, and the single fact that would make it the answer.
#pragma once

#include <optional>

#include "advise/device_case.hpp"
#include "advise/offers.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// `best` is an offer of this device.
std::optional<domain::Flip> flip_of(const DeviceCase& device_case, const domain::RankedShape& best);

}  // namespace gpushape::advise
