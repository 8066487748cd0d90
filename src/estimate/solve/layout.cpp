// The fewest GPUs: layouts of 1, 2, 4, 8 … GPUs (fabric partitions hold no other numbers, MG-01 of
// the consumption rules), tensor parallel before pipeline parallel, up to eight in a tensor
// parallel group because no link domain of the profile tables is larger in one host.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate::solvers {

using domain::Estimate;
using domain::Fact;
using domain::Origin;
using domain::SolveFor;
using domain::Workload;

namespace {

constexpr std::array<std::int64_t, 7> kCounts = {1, 2, 4, 8, 16, 32, 64};
constexpr std::int64_t kMostTensor = 8;

Fact<std::int64_t> of_layout(std::int64_t ranks) {
  return {ranks, Origin::Computed, "--solve gpus"};
}

/// What came of one number of GPUs.
struct Tried {
  std::optional<Estimate> fitting;
  std::optional<Estimate> largest;  ///< with the most tensor parallel that is allowed
  Diagnostics refusals;             ///< of layouts that the model does not allow
};

Tried try_layouts(const SolveRequest& request, std::int64_t gpus) {
  Tried tried;
  Workload workload = request.workload;
  for (std::int64_t tensor = std::min(gpus, kMostTensor); tensor >= 1; tensor /= 2) {
    workload.engine.tensor = of_layout(tensor);
    workload.engine.pipeline = of_layout(gpus / tensor);
    Result<Estimate> estimate = estimated(request, workload);
    if (!estimate) {
      std::ranges::copy(estimate.error(), std::back_inserter(tried.refusals));
      continue;
    }
    if (fits(*estimate)) {
      tried.fitting = *std::move(estimate);
      return tried;
    }
    if (!tried.largest) tried.largest = *std::move(estimate);
  }
  return tried;
}

std::string layout_text(const Estimate& estimate) {
  return fmt::format("tensor {}, pipeline {}", estimate.parallelism.tensor,
                     estimate.parallelism.pipeline);
}

}  // namespace

Result<Estimate> solve_gpus(const SolveRequest& request) {
  Binding binding{"none", "one GPU is enough"};
  std::optional<Estimate> last;
  for (const std::int64_t gpus : kCounts) {
    Tried tried = try_layouts(request, gpus);
    if (tried.fitting) {
      tried.fitting->solution = domain::Solution{
          .variable = SolveFor::Gpus,
          .value = gpus,
          .binding_term = binding.term,
          .says = fmt::format("{} ({}): {}", gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus),
                              layout_text(*tried.fitting), binding.says)};
      return *std::move(tried.fitting);
    }
    if (tried.largest) {
      binding = binding_of(*tried.largest);
      binding.says = fmt::format("with {} {}", gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus),
                                 binding.says);
      last = std::move(tried.largest);
    } else if (!last) {
      return failure(std::move(tried.refusals));  // wrong with one GPU, and so with any number
    } else {
      binding = {"layout", fmt::format("{} GPUs are no layout of this model: {}", gpus,
                                       tried.refusals.front().message)};
    }
  }
  last->solution = domain::Solution{
      .variable = SolveFor::Gpus, .value = {}, .binding_term = binding.term, .says = binding.says};
  return *std::move(last);
}

}  // namespace gpushape::estimate::solvers
