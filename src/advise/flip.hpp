// The runner-up of an answer, and the single fact that would make it the answer.
#pragma once

#include <optional>

#include "advise/device_case.hpp"
#include "advise/offers.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// `best` is an offer of this device. Changes are tried on this device alone, and stated only where
/// the rules then give the outcome; those of CM-02 and CM-03 follow from the rule and are not
/// tried. Nothing where none of those that are tried leads to another shape.
std::optional<domain::Flip> flip_of(const DeviceCase& device_case, const domain::RankedShape& best);

}  // namespace gpushape::advise
