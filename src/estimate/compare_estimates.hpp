// What differs between two estimates of one workload.
#pragma once

#include "domain/estimate_comparison.hpp"

namespace gpushape::estimate {

domain::EstimateComparison compare_estimates(domain::Estimate before, domain::Estimate after);

}  // namespace gpushape::estimate
