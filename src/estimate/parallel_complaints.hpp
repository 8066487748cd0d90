// Whether a model can be shared out among as many ranks as it is asked to be.
#pragma once

#include "base/diagnostic.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

/// What tensor, pipeline, expert and context parallelism do not divide, each with the sizes that
/// do; empty where all fit.
Diagnostics complaints_about_parallelism(const Request& request);

}  // namespace gpushape::estimate
