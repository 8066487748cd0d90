// The inverse question of an advice: how far its first shape goes (--solve).
#pragma once

#include "advise/advise.hpp"
#include "base/result.hpp"
#include "domain/solution.hpp"

namespace gpushape::cli {

/// A shape needs a load; what is asked for begins with the least there can be.
void begin_with_least(domain::SolveFor variable, domain::Workload& workload);

/// Puts the answer into the estimate of the advice, under the settings chosen for the first shape.
Diagnostics solve_on_first(domain::SolveFor variable, const advise::AdviceRequest& request,
                           domain::Advice& advice);

}  // namespace gpushape::cli
