// One solver a variable, and what they share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "estimate/solve/solve.hpp"

namespace gpushape::estimate::solvers {

Result<domain::Estimate> solve_context(const SolveRequest& request);
Result<domain::Estimate> solve_concurrency(const SolveRequest& request);
Result<domain::Estimate> solve_quant(const SolveRequest& request);
Result<domain::Estimate> solve_gpus(const SolveRequest& request);
Result<domain::Estimate> solve_utilization(const SolveRequest& request);

Result<domain::Estimate> estimated(const SolveRequest& request, const domain::Workload& workload);
bool fits(const domain::Estimate& estimate);

/// What keeps an estimate from fitting.
struct Binding {
  std::string term;
  std::string says;
};
/// The estimate does not fit.
Binding binding_of(const domain::Estimate& estimate);

/// "4.00 GiB".
std::string gib_text(Bytes bytes);

/// The largest value of [least, most] with which the workload fits, as long as more never fits
/// better.
struct Found {
  std::optional<std::int64_t> value;       ///< absent where not even `least` fits
  domain::Estimate at_value;               ///< of `least` where there is no value
  std::optional<domain::Estimate> beyond;  ///< of the next value; absent where that is above `most`
};
using AtValue = std::function<Result<domain::Estimate>(std::int64_t)>;
Result<Found> largest_fitting(std::int64_t least, std::int64_t most, const AtValue& at_value);

}  // namespace gpushape::estimate::solvers
