// What data parallel GPUs exchange. Copies of the model put gradients into buckets; ZeRO and FSDP
// gather what they dealt out, the outermost tables for the whole pass and two layers at a time.
//
//   stage 0       gradients x buckets
//   stages 1, 2   reduceBuckets
//   stage 3       (tables + 2 layers) x weightBytes + one layer's gradients
//
// Source: PyTorch torch/nn/parallel/distributed.py (buckets, gradient_as_bucket_view); DeepSpeed
// runtime/zero/config.py (reduce_bucket_size, allgather_bucket_size); PyTorch
// torch/distributed/fsdp (the root's parameters stay gathered, one layer is fetched ahead).
#include <algorithm>

#include "estimate/training/training_terms.hpp"

namespace gpushape::estimate::training {
namespace {

constexpr double kHalf = 2;

double table_values(const Situation& situation) {
  const domain::Model& model = *situation.plan->model;
  const int tables = (situation.stage.has_embedding ? 1 : 0) +
                     (situation.stage.has_head && !model.tied_embeddings ? 1 : 0);
  return tables * static_cast<double>(domain::vocabulary_values(model)) /
         static_cast<double>(situation.plan->parallelism.tensor);
}

/// Bytes of a weight as it is gathered; packed ones are unpacked layer by layer afterwards.
double gathered_bytes(const Situation& situation) {
  const auto dense = static_cast<double>(situation.weights.tensors.count());
  const double values = base_values(situation);
  return values > 0 ? std::min(kHalf, dense / values) : kHalf;
}

}  // namespace

bool shares_data(const Situation& situation) { return situation.plan->training.ranks > 1; }

bool several_gpus(const Situation& situation) {
  const domain::Parallelism& split = situation.plan->parallelism;
  return split.tensor * split.pipeline * split.data > 1;
}

Spread buffers_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const TrainingPlan& run = plan.training;
  if (run.zero_stage == 0)
    return plan.facts.value("gradientBuckets") * gradients_bytes(situation).expected;
  if (run.zero_stage < 3) {
    // Never more than all that there is to exchange.
    const double most = 2 * trained_values(situation) * kHalf;
    const Spread buckets = plan.facts.value("reduceBuckets");
    return {std::min(buckets.low, most), std::min(buckets.expected, most),
            std::min(buckets.high, most)};
  }
  const double layer = situation.trainer.layer;
  const double gathered = (table_values(situation) + 2 * layer) * gathered_bytes(situation);
  const double gradients =
      run.has_adapters() ? 0 : layer * static_cast<double>(run.trained_bytes());
  return plan.facts.value("gatherRatio") * (gathered + gradients);
}

void describe_buffers(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const TrainingPlan& run = plan.training;
  if (run.zero_stage == 0) {
    term.formula = "gradients x buckets";
    term.inputs = {{"gradients", static_cast<std::int64_t>(gradients_bytes(situation).expected)},
                   {"buckets", plan.facts.expected("gradientBuckets")}};
    term.source = plan.facts.source("gradientBuckets");
    return;
  }
  if (run.zero_stage < 3) {
    term.formula = "reduceBuckets";
    term.inputs = {{"reduceBuckets", plan.facts.expected("reduceBuckets")}};
    term.source = plan.facts.source("reduceBuckets");
    return;
  }
  term.formula = "(tableValues + 2 x layerValues) x gatheredBytes + layerGradients";
  term.inputs = {
      {"tableValues", static_cast<std::int64_t>(table_values(situation))},
      {"layerValues", static_cast<std::int64_t>(situation.trainer.layer)},
      {"gatheredBytes", gathered_bytes(situation)},
      {"layerGradients", static_cast<std::int64_t>(
                             run.has_adapters() ? 0
                                                : situation.trainer.layer *
                                                      static_cast<double>(run.trained_bytes()))},
  };
  term.source = plan.facts.source("gatherRatio");
}

}  // namespace gpushape::estimate::training
