// What an instance keeps in host memory in place of its GPUs: weights that are read over the bus, a
// further tier of the KV cache, the states of an optimizer. All of it is pinned, and of all GPUs
// together.
#pragma once

#include <span>
#include <vector>

#include "domain/estimate.hpp"
#include "estimate/engines.hpp"

namespace gpushape::estimate {

std::vector<domain::Term> host_terms(const domain::Workload& workload, const Plan& plan,
                                     std::span<const StageFigures> stages);

}  // namespace gpushape::estimate
