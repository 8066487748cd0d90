// What speaks against a request, beside the choice of its shape.
#pragma once

#include <vector>

#include "advise/device_case.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// About the request on one device, in the order of the rule book.
std::vector<domain::Reason> findings_of(const DeviceCase& device_case);

/// About the shape that came first.
std::vector<domain::Reason> findings_of(const DeviceCase& device_case,
                                        const domain::RankedShape& best);

}  // namespace gpushape::advise
