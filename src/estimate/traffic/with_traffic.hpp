// From the traffic as it was stated to the sequences in flight: the one place where rates become
// counts and figures become distributions.
//
//   in flight  as stated; else the quantile at the service level of a Poisson distribution of mean
//              rate x seconds (Little 1961: what is in a system on average is what arrives in the
//              time that one stays); else what a trace with times holds when it is played back
//   context    as stated; else the longest request that is known of
#pragma once

#include "base/result.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"

namespace gpushape::estimate {

/// The workload with in_flight set, and concurrency, context and evidence where nobody stated them
/// and the traffic says. `trace` is what the workload's trace_file holds; nullptr for none. `model`
/// bounds the context and may be nullptr. What contradicts itself or is missing a part is a
/// Diagnostic.
Result<domain::Workload> with_traffic(domain::Workload workload, const domain::TokenTrace* trace,
                                      const domain::Model* model);

}  // namespace gpushape::estimate
