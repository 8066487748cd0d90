// Which wishes one pod can serve, and what such a pod is given: consumption-rules.md knows one
// shape, a pod with an ordered claim may be given any of several. What it has only once (CPU,
// memory, shared memory, flags of the engine) must hold for each of them.
#pragma once

#include <cstddef>
#include <vector>

#include "advise/advise.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// Places in Advice::shapes of the best shape of every wish that has one, in order of the wishes.
std::vector<std::size_t> best_of_each_wish(const domain::Advice& advice);

/// The documents that the wishes come to: wishes of one layout (GPUs, how the model lies on them,
/// replicas) stand together where one set of engine flags and one size of pod holds for all of
/// them, every other wish alone. Empty where there are no pods, or where one wish has an answer.
Result<std::vector<domain::WishDocument>> join_wishes(const AdviceRequest& asked,
                                                      const domain::Advice& advice);

}  // namespace gpushape::advise
