// Inverse questions: the longest context, the most sequences, the highest precision, the fewest
// GPUs or the least fraction of the memory with which a workload fits, by bisection over the
// estimate (quantizations and GPUs: by walking their short lists). The value fits and the next one
// does not.
#pragma once

#include "base/result.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"

namespace gpushape::estimate {

/// What the question is asked of; `gpu` is the memory of each GPU.
struct SolveRequest {
  const domain::Model* model = nullptr;
  domain::Workload workload;
  const domain::Engine* engine = nullptr;
  domain::VisibleMemory gpu;
};

/// The estimate at the solution, with `solution` set. Where nothing fits it is the estimate of the
/// most modest value, and the solution has no value. A workload that leaves out what the question
/// needs, or states what is asked for, is a Diagnostic.
Result<domain::Estimate> solve_estimate(domain::SolveFor variable, const SolveRequest& request);

}  // namespace gpushape::estimate
