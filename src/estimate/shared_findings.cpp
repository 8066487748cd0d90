#include "estimate/shared_findings.hpp"

#include "estimate/ggml/file_model.hpp"

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

std::shared_ptr<const domain::Model> FileModels::of(const domain::Model& model,
                                                    domain::Quantization type) {
  for (const Made& one : made_) {
    if (one.model == &model && one.type == type) return one.file;
  }
  made_.push_back(
      {.model = &model,
       .type = type,
       .file = std::make_shared<const domain::Model>(ggml::in_file_types(model, type))});
  return made_.back().file;
}

std::shared_ptr<const domain::Model> shared_file_model(const Request& request,
                                                       domain::Quantization type) {
  if (request.shared != nullptr) return request.shared->files.of(*request.model, type);
  return std::make_shared<const domain::Model>(ggml::in_file_types(*request.model, type));
}

Situation shared_situation(const Request& request, const Plan& plan, const Stage& stage) {
  if (request.shared == nullptr || plan.offload) return situation_of(plan, stage);
  return situation_of(plan, stage, request.shared->weights.of(plan, stage));
}

}  // namespace gpushape::estimate
