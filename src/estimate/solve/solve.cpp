#include "estimate/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/grouped.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate {

using domain::Estimate;
using domain::Part;
using domain::SolveFor;

namespace solvers {

Result<Estimate> estimated(const SolveRequest& request, const domain::Workload& workload) {
  return estimate_memory(*request.model, workload, *request.engine, request.gpu);
}

bool fits(const Estimate& estimate) { return estimate.capacity && estimate.capacity->fits; }

std::string gib_text(Bytes bytes) { return fmt::format("{:.2f} GiB", bytes.gib()); }

Binding binding_of(const Estimate& estimate) {
  const domain::Capacity& capacity = *estimate.capacity;
  const Bytes visible = capacity.visible_bytes.low;
  const Bytes weights = part_bytes(estimate, Part::Weights).high;
  if (weights > visible) {
    return {"weights", fmt::format("the weights take up to {} and the GPU has {}",
                                   gib_text(weights), gib_text(visible))};
  }
  const Bytes cache =
      part_bytes(estimate, Part::KvCache).high + part_bytes(estimate, Part::State).high;
  const Bytes pool = capacity.kv_pool_bytes.low;
  if (pool <= Bytes(0)) {
    return {"weights",
            fmt::format("weights of {}, activation and runtime leave nothing for the cache of {}",
                        gib_text(part_bytes(estimate, Part::Weights).expected), gib_text(visible))};
  }
  if (cache > pool) {
    return {"kvPool", fmt::format("the cache needs up to {} and the pool has at least {}",
                                  gib_text(cache), gib_text(pool))};
  }
  if (estimate.traffic && estimate.context_tokens && capacity.max_concurrency_at_context < 1) {
    return {"longestRequest", fmt::format("the pool does not hold one request of {} tokens",
                                          grouped(estimate.context_tokens->value))};
  }
  // What the engine neither measures nor takes off its share.
  const domain::Term* largest = nullptr;
  for (const domain::Term& term : estimate.terms) {
    const bool is_outside =
        term.part == Part::Graphs || term.part == Part::Context || term.part == Part::Communication;
    if (is_outside && (largest == nullptr || term.bytes.high > largest->bytes.high))
      largest = &term;
  }
  if (largest == nullptr) return {"memory", "the total exceeds the memory of the GPU"};
  return {largest->name,
          fmt::format("with a fraction of {:g} nothing is left beside it for {} of up to {}",
                      capacity.utilization, largest->name, gib_text(largest->bytes.high))};
}

Result<Found> largest_fitting(std::int64_t least, std::int64_t most, const AtValue& at_value) {
  Result<Estimate> low = at_value(least);
  if (!low) return std::unexpected(low.error());
  Found found{.value = std::nullopt, .at_value = *std::move(low), .beyond = std::nullopt};
  if (!fits(found.at_value)) return found;
  std::int64_t fitting = least;
  std::int64_t beyond = most + 1;
  // Steps that double find a bound near the answer; most of it is far below `most`.
  for (std::int64_t step = 1; fitting < most && beyond > most; step *= 2) {
    const std::int64_t next = std::min(most, least + step);
    Result<Estimate> estimate = at_value(next);
    if (!estimate) return std::unexpected(estimate.error());
    if (fits(*estimate)) {
      fitting = next;
      found.at_value = *std::move(estimate);
    } else {
      beyond = next;
      found.beyond = *std::move(estimate);
    }
  }
  while (beyond <= most && beyond - fitting > 1) {
    const std::int64_t middle = fitting + (beyond - fitting) / 2;
    Result<Estimate> estimate = at_value(middle);
    if (!estimate) return std::unexpected(estimate.error());
    if (fits(*estimate)) {
      fitting = middle;
      found.at_value = *std::move(estimate);
    } else {
      beyond = middle;
      found.beyond = *std::move(estimate);
    }
  }
  found.value = fitting;
  return found;
}

}  // namespace solvers

namespace {

struct SolverRow {
  SolveFor variable;
  Result<Estimate> (*solve)(const SolveRequest&);
};
constexpr auto kSolvers = std::to_array<SolverRow>({
    {SolveFor::Context, solvers::solve_context},
    {SolveFor::Concurrency, solvers::solve_concurrency},
    {SolveFor::Quant, solvers::solve_quant},
    {SolveFor::Gpus, solvers::solve_gpus},
    {SolveFor::Utilization, solvers::solve_utilization},
});

template <class T>
std::optional<std::string> stated(const std::optional<domain::Fact<T>>& fact) {
  const bool is_stated =
      fact && (fact->origin == domain::Origin::Flag || fact->origin == domain::Origin::File);
  return is_stated ? std::optional(fact->from) : std::nullopt;
}

/// Where the value that is asked for was stated.
std::optional<std::string> stated_value(SolveFor variable, const domain::Workload& workload) {
  switch (variable) {
    case SolveFor::Context:
      return stated(workload.context_tokens);
    case SolveFor::Concurrency:
      return stated(workload.concurrency);
    case SolveFor::Quant:
      return stated(workload.quantization);
    case SolveFor::Gpus:
      if (const auto tensor = stated(workload.engine.tensor)) return tensor;
      return stated(workload.engine.pipeline);
    case SolveFor::Utilization:
      return stated(workload.engine.gpu_memory_utilization);
  }
  return std::nullopt;
}

}  // namespace

Result<Estimate> solve_estimate(SolveFor variable, const SolveRequest& request) {
  if (const auto from = stated_value(variable, request.workload)) {
    return failure(fmt::format("--solve {} asks for what {} states", name_of(variable), *from),
                   "leave one of them out");
  }
  for (const SolverRow& row : kSolvers) {
    if (row.variable == variable) return row.solve(request);
  }
  std::abort();  // every variable has a row
}

}  // namespace gpushape::estimate
