// What each device asked for holds beside the weights, before the load is known (CM-01).
#pragma once

#include <vector>

#include "advise/advise.hpp"
#include "advise/facts.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// One per wish, in order; the fewest GPUs of it that hold the weights. Empty without a model.
std::vector<domain::Potential> potentials_of(const AdviceRequest& request, const Facts& declared);

}  // namespace gpushape::advise
