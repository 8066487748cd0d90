// What causes look up in a difference: inputs and terms of the estimate, and other measured terms.
#pragma once

#include <string_view>

#include "calibrate/causes.hpp"

namespace gpushape::calibrate {

inline constexpr double kGib = 1024.0 * 1024 * 1024;
/// Two figures are the same for an explanation: the printed digits and an allocator's rounding.
inline constexpr double kSameGib = 0.06;

/// The number that a term of the estimate has under that name; 0 where it has none.
double input(const domain::Estimate& estimate, std::string_view term, std::string_view name);
double term_gib(const domain::Estimate& estimate, std::string_view name);
/// Where it was measured, too; none otherwise.
const domain::CalibratedTerm* other_term(const Difference& difference, std::string_view name);

}  // namespace gpushape::calibrate
