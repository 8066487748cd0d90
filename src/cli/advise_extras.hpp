// What is laid over an answer: prices, and two of its shapes side by side.
#pragma once

#include "cli/invocation.hpp"
#include "domain/advice.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

/// Reads --prices and sets the cost of every shape.
Diagnostics take_prices(const Invocation& invocation, domain::Advice& advice);

/// The two shapes that --compare names, as places in the advice.
Result<std::pair<std::size_t, std::size_t>> compared(const domain::Advice& advice,
                                                     const std::vector<std::string>& words);

}  // namespace gpushape::cli
