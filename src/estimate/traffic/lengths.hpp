// How long sequences are, as a distribution: from recorded requests, or from the few figures that
// somebody knows. Prompt and answer count together, because both lie in the cache.
#pragma once

#include <span>

#include "domain/traffic.hpp"

namespace gpushape::estimate {

/// Every request at its end: prompt and the whole answer. The trace has at least one request.
domain::Lengths lengths_of_trace(const domain::TokenTrace& trace);

/// Prompt and answer from their figures, taken as independent of each other. Each has a mean or at
/// least two percentiles. By what is known of one:
///   a number               itself
///   three percentiles      lengths rise from one to the next, and fall off exponentially behind
///   the
///                          last; a mean tells how they rise
///   mean and deviation     a gamma distribution
///   mean and percentile    the gamma distribution of that mean through the highest of them
///   two percentiles        the lognormal distribution through them
///   a mean                 an exponential distribution
domain::Lengths lengths_of_figures(const domain::TokenFigures& input,
                                   const domain::TokenFigures& output);

double mean_of(std::span<const domain::LengthShare> shares);
double deviation_of(std::span<const domain::LengthShare> shares);
/// The tokens that `rank` of 100 sequences stay within.
double percentile_of(std::span<const domain::LengthShare> shares, double rank);

/// At most `classes` (or one more) shares in place of many, each at the mean of what it stands for.
/// What weighs most in the spread of a sum keeps most classes.
std::vector<domain::LengthShare> gather_shares(std::vector<domain::LengthShare> shares,
                                               std::size_t classes);

}  // namespace gpushape::estimate
