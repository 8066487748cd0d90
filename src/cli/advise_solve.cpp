#include "cli/advise_solve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/profile_memory.hpp"
#include "estimate/solve/solve.hpp"

namespace gpushape::cli {
namespace {

/// The workload with the settings that were chosen for the shape, but for the one asked for.
domain::Workload workload_of_first(domain::SolveFor variable, domain::Workload workload,
                                   const domain::RankedShape& first) {
  const auto chosen = [](auto value) {
    return domain::Fact<decltype(value)>{value, domain::Origin::Computed, "the first shape"};
  };
  domain::EngineSettings& engine = workload.engine;
  engine.tensor = chosen(first.shape.parallelism.tensor);
  engine.pipeline = chosen(first.shape.parallelism.pipeline);
  if (first.max_num_batched_tokens)
    engine.max_num_batched_tokens = chosen(*first.max_num_batched_tokens);
  if (first.gpu_memory_utilization)
    engine.gpu_memory_utilization = chosen(*first.gpu_memory_utilization);
  switch (variable) {
    case domain::SolveFor::Context:
      workload.context_tokens.reset();
      break;
    case domain::SolveFor::Concurrency:
      workload.concurrency.reset();
      break;
    case domain::SolveFor::Quant:
      workload.quantization.reset();
      break;
    case domain::SolveFor::Gpus:
      engine.tensor.reset();
      engine.pipeline.reset();
      break;
    case domain::SolveFor::Utilization:
      engine.gpu_memory_utilization.reset();
      break;
  }
  if (variable != domain::SolveFor::Concurrency && first.max_num_seqs)
    engine.max_num_seqs = chosen(*first.max_num_seqs);
  if (variable != domain::SolveFor::Concurrency && first.concurrency)
    workload.concurrency = chosen(*first.concurrency);
  return workload;
}

}  // namespace

void begin_with_least(domain::SolveFor variable, domain::Workload& workload) {
  const auto least = domain::defaulted<std::int64_t>(
      1, fmt::format("to begin with: --solve {} says the most", name_of(variable)));
  if (variable == domain::SolveFor::Context && !workload.context_tokens)
    workload.context_tokens = least;
  if (variable == domain::SolveFor::Concurrency && !workload.concurrency)
    workload.concurrency = least;
}

Diagnostics solve_on_first(domain::SolveFor variable, const advise::AdviceRequest& request,
                           domain::Advice& advice) {
  if (advice.shapes.empty() || !request.model || !request.engine || !advice.estimate) return {};
  const domain::RankedShape& first = advice.shapes.front();
  const auto wish = std::ranges::find(request.wishes, first.shape.device,
                                      [](const advise::Wish& each) { return each.device.id; });
  if (wish == request.wishes.end() || !first.estimate) return {};
  domain::Workload workload = workload_of_first(variable, request.workload, first);
  const domain::Profile* profile = nullptr;
  for (const domain::Profile& row : wish->device.profiles) {
    if (!first.shape.profile.empty() && row.name == first.shape.profile) profile = &row;
  }
  const Result<domain::Estimate> solved =
      estimate::solve_estimate(variable, {.model = &*request.model,
                                          .workload = std::move(workload),
                                          .engine = &*request.engine,
                                          .gpu = domain::visible_memory(wish->device, profile)});
  if (!solved) return solved.error();
  advice.estimate->solution = solved->solution;
  return {};
}

}  // namespace gpushape::cli
