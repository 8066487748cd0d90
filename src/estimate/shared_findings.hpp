// What requests of one sweep have in common, found once for all of them. Of one model: its place in
// memory stands for it.
#pragma once

#include <memory>
#include <vector>

#include "estimate/ggml/offload.hpp"
#include "estimate/plan.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {

/// Stages that were counted before. What they hold follows from model, layout and stage alone, so
/// that most GPUs share it.
class CountedWeights {
 public:
  const CountedStage& of(const Plan& plan, const Stage& stage);

 private:
  struct Counted {
    const domain::Model* model = nullptr;
    WeightsLayout layout;
    AdapterSlots adapters;
    bool is_training = false;
    Stage stage;
    CountedStage counted;
  };
  std::vector<Counted> counted_;
};

/// Models in the types of files, made once for each type.
class FileModels {
 public:
  std::shared_ptr<const domain::Model> of(const domain::Model& model, domain::Quantization type);

 private:
  struct Made {
    const domain::Model* model = nullptr;
    domain::Quantization type = domain::Quantization::Bf16;
    std::shared_ptr<const domain::Model> file;
  };
  std::vector<Made> made_;
};

struct SharedFindings {
  FileModels files;
  ggml::PlannedNeeds needs;
  CountedWeights weights;
};

/// With what was made before, where the request shares it.
std::shared_ptr<const domain::Model> shared_file_model(const Request& request,
                                                       domain::Quantization type);
/// With what was counted before, where the request shares it.
Situation shared_situation(const Request& request, const Plan& plan, const Stage& stage);

}  // namespace gpushape::estimate
