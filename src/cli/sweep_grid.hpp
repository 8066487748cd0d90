// From a command line to the grid of a sweep: names are looked up, patterns are matched.
#pragma once

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/invocation.hpp"
#include "estimate/sweep.hpp"

namespace gpushape::cli {

/// All faults of one stage come together.
Result<estimate::SweepGrid> gather_grid(const ParsedFlags& parsed, Invocation& invocation);

}  // namespace gpushape::cli
