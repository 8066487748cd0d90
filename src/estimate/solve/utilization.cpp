// The least fraction of the memory: below it the pool is too small. Above some other fraction
// nothing is left beside the engine's share for what it does not count, so the fractions that do
// lie between two bounds.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate::solvers {

using domain::Estimate;
using domain::Origin;
using domain::Part;
using domain::SolveFor;
using domain::Workload;

namespace {

constexpr std::int64_t kThousandths = 1000;  // engines are told three decimals

double fraction_of(std::int64_t step) {
  return static_cast<double>(step) / static_cast<double>(kThousandths);
}

/// The pool is what is too small.
bool is_too_low(const Estimate& estimate) {
  const Bytes cache =
      part_bytes(estimate, Part::KvCache).high + part_bytes(estimate, Part::State).high;
  const bool holds_one = estimate.capacity->max_concurrency_at_context >= 1;
  return !fits(estimate) && (estimate.capacity->kv_pool_bytes.low < cache || !holds_one);
}

}  // namespace

Result<Estimate> solve_utilization(const SolveRequest& request) {
  Workload workload = request.workload;
  if (workload.engine.kv_cache_memory_bytes) {
    return failure("--solve utilization: the pool is given in bytes, and no fraction decides it",
                   "leave --kv-cache-memory-bytes out");
  }
  if (!workload.context_tokens || !workload.concurrency) {
    return failure("--solve utilization needs a load", "state --context and --concurrency");
  }
  const auto at = [&](std::int64_t step) {
    workload.engine.gpu_memory_utilization = {fraction_of(step), Origin::Computed,
                                              "--solve utilization"};
    return estimated(request, workload);
  };
  const Result<Estimate> whole = at(kThousandths);
  if (!whole) return whole;
  if (whole->settings.gpu_memory_utilization.value <= 0 || whole->capacity->utilization <= 0) {
    return failure(
        fmt::format("--solve utilization: {} has no such fraction", workload.engine.engine.value));
  }
  // The first fraction at which the pool is large enough.
  std::int64_t low = 0;
  std::int64_t high = kThousandths;
  Estimate found = *whole;
  std::optional<Estimate> below;
  while (high - low > 1 && !is_too_low(*whole)) {
    const std::int64_t middle = low + (high - low) / 2;
    Result<Estimate> estimate = at(middle);
    if (!estimate) return estimate;
    if (is_too_low(*estimate)) {
      low = middle;
      below = *std::move(estimate);
    } else {
      high = middle;
      found = *std::move(estimate);
    }
  }
  domain::Solution solution{
      .variable = SolveFor::Utilization, .value = {}, .binding_term = {}, .says = {}};
  if (!fits(found)) {
    const Binding binding = binding_of(found);
    solution.binding_term = binding.term;
    solution.says = binding.says;
  } else {
    solution.value = fraction_of(high);
    const Binding binding = below ? binding_of(*below) : Binding{"none", "any fraction does"};
    solution.binding_term = binding.term;
    solution.says =
        below ? fmt::format("with {:.3f}, {}", fraction_of(low), binding.says) : binding.says;
  }
  found.solution = std::move(solution);
  return found;
}

}  // namespace gpushape::estimate::solvers
