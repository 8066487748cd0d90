// A recorded trace played back: every request is admitted as it comes, its prompt is read at so
// many tokens a step, and its answer grows by one token a step. Long answers stay longer, so those
// in flight are longer than the average request.
#pragma once

#include "domain/traffic.hpp"

namespace gpushape::estimate {

/// `trace` has times and at least two requests at different times. What is in flight is looked at
/// from the first arrival to the last.
domain::Replay replay_trace(const domain::TokenTrace& trace, double token_seconds);

/// How many are in flight, at most, for `level` of the time.
std::int64_t in_flight_at(const domain::Replay& replay, double level);

/// The least count that a Poisson distribution of this mean stays within for `level` of the time.
std::int64_t poisson_quantile(double mean, double level);

}  // namespace gpushape::estimate
