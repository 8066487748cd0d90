// gpushape estimate: the memory of one GPU, term by term; with a second engine version, what an
// upgrade changes.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/gather.hpp"
#include "cli/named_gpu.hpp"
#include "estimate/compare_estimates.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/solve/solve.hpp"

namespace gpushape::cli {
namespace {

/// The one GPU that was named, whole or by its profile. Several wishes, or none, give an estimate
/// without capacity.
Result<std::optional<domain::VisibleMemory>> named_gpu(const Gathered& gathered,
                                                       const Invocation& invocation) {
  const bool is_one = gathered.wishes.size() == 1 && !gathered.wishes.front().is_any;
  if (!is_one) {
    if (invocation.profile) return failure("--profile needs one GPU", "name it with --gpu");
    if (invocation.visible_bytes) return stated_memory(*invocation.visible_bytes);
    return std::nullopt;
  }
  return memory_of(gathered.wishes.front().device, invocation);
}

int run_comparison(const Gathered& gathered, const std::optional<domain::VisibleMemory>& gpu,
                   domain::Estimate before, const Invocation& invocation,
                   const Terminal& terminal) {
  domain::Workload workload = gathered.workload;
  workload.engine.version = domain::Fact<domain::EngineVersion>{
      *invocation.compare_version, domain::Origin::Flag, "--compare-engine-version"};
  Result<domain::Estimate> after =
      estimate::estimate_memory(*gathered.model, workload, *gathered.engine, gpu);
  if (!after) return refuse(after.error(), terminal);
  const domain::EstimateComparison comparison =
      estimate::compare_estimates(std::move(before), *std::move(after));
  const Diagnostics faults =
      print_document("estimate-comparison", invocation, terminal,
                     [&](const render::FormatRow& row, const render::Style& style) {
                       return row.comparison(comparison, style);
                     });
  return faults.empty() ? kDone : refuse(faults, terminal);
}

/// Forwards, or the other way round.
Result<domain::Estimate> answer(const Gathered& gathered,
                                const std::optional<domain::VisibleMemory>& gpu,
                                const Invocation& invocation) {
  if (!invocation.solve)
    return estimate::estimate_memory(*gathered.model, gathered.workload, *gathered.engine, gpu);
  if (!gpu) {
    return failure(fmt::format("--solve {} is asked of one GPU", name_of(*invocation.solve)),
                   "name it with --gpu, or its memory with --memory-mib");
  }
  if (invocation.compare_version) {
    return failure("--solve and --compare-engine-version are two questions",
                   "leave one of them out");
  }
  return estimate::solve_estimate(*invocation.solve, {.model = &*gathered.model,
                                                      .workload = gathered.workload,
                                                      .engine = &*gathered.engine,
                                                      .gpu = *gpu});
}

}  // namespace

int run_estimate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  const Result<Gathered> gathered = gather(parsed, invocation);
  if (!gathered) return refuse(gathered.error(), terminal);
  if (!gathered->model || !gathered->engine) {
    return refuse({complaint("estimate needs a MODEL", "name a model, or use advise for a demand")},
                  terminal);
  }
  if (invocation.telemetry) {
    return refuse({complaint(fmt::format("--evidence: {} tells what an engine's cache held over "
                                         "time, and estimate takes measured starts only",
                                         invocation.telemetry->from),
                             "give it to advise")},
                  terminal);
  }
  const Result<std::optional<domain::VisibleMemory>> gpu = named_gpu(*gathered, invocation);
  if (!gpu) return refuse(gpu.error(), terminal);
  Result<domain::Estimate> estimate = answer(*gathered, *gpu, invocation);
  if (!estimate) return refuse(estimate.error(), terminal);
  if (invocation.compare_version)
    return run_comparison(*gathered, *gpu, *std::move(estimate), invocation, terminal);
  const Diagnostics faults =
      print_document("estimate", invocation, terminal,
                     [&](const render::FormatRow& row, const render::Style& style) {
                       return row.estimate(*estimate, style);
                     });
  if (!faults.empty()) return refuse(faults, terminal);
  if (estimate->solution) return estimate->solution->value ? kDone : kAnswerIsNo;
  const auto& capacity = estimate->capacity;
  return capacity && capacity->fits_at == domain::FitsAt::None ? kAnswerIsNo : kDone;
}

}  // namespace gpushape::cli
