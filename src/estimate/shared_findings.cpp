#include "estimate/shared_findings.hpp"

namespace gpushape::estimate {

const CountedStage& CountedWeights::of(const Plan& plan, const Stage& stage) {
  constexpr std::size_t kMostCounted = 256;  // layouts and stages of one model
  const bool is_training = plan.training.is_training;
  for (const Counted& one : counted_) {
    const bool is_alike =
        one.is_training == is_training && (!is_training || one.adapters == plan.adapters);
    if (one.model == plan.model && one.stage == stage && is_alike && one.layout == plan.weights)
      return one.counted;
  }
  if (counted_.size() == kMostCounted) counted_.clear();
  counted_.push_back({.model = plan.model,
                      .layout = plan.weights,
                      .adapters = plan.adapters,
                      .is_training = is_training,
                      .stage = stage,
                      .counted = count_stage(plan, stage)});
  return counted_.back().counted;
}

Situation shared_situation(const Request& request, const Plan& plan, const Stage& stage) {
  if (request.shared == nullptr || plan.offload) return situation_of(plan, stage);
  return situation_of(plan, stage, request.shared->weights.of(plan, stage));
}

}  // namespace gpushape::estimate
