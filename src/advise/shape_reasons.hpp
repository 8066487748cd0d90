// Why a shape is offered: the rules that lead to it, its size, its group, what speaks against it,
// and what changing it later takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/device_case.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// Behind every rule of the table: no rule leads there.
inline constexpr std::int64_t kNoRule = 100;

/// Place, among the rules that fired, of the first that leads to this model; 0 is the decider.
std::int64_t rule_rank(const DeviceCase& device_case, domain::ConsumptionModel model);

/// A fraction in the mode that is not the preferred one.
bool is_other_mode(const DeviceCase& device_case, const Candidate& candidate);

/// The decider first.
std::vector<domain::Reason> reasons_for(const DeviceCase& device_case, const Candidate& candidate,
                                        const Need& need, const Layout& layout);

/// Of the shape that MG-03 leads to.
std::vector<domain::Reason> reasons_for_narrower(const DeviceCase& device_case,
                                                 const Group& narrower);

std::string to_change(const domain::Shape& shape);

/// "40C", "2 x 80C", "passthrough", "the whole device".
std::string shape_text(const domain::Shape& shape);

}  // namespace gpushape::advise
