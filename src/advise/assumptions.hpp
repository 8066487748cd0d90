// Every declared fact of a workload with its value and where that came from; what is missing to
// choose a shape.
#pragma once

#include <vector>

#include "advise/advise.hpp"
#include "advise/facts.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// In a fixed order: the load, the facts that decide the shape, the contract's wishes, the host.
std::vector<domain::Assumption> assumptions_of(const AdviceRequest& request, const Facts& declared,
                                               const domain::Estimate* estimate);

/// Nothing where a shape can be chosen.
std::vector<domain::Ask> asks_of(const AdviceRequest& request);

}  // namespace gpushape::advise
