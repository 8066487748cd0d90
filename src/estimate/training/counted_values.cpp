#include "estimate/training/counted_values.hpp"

#include <algorithm>

#include "domain/tensors.hpp"
#include "estimate/adapter_slots.hpp"
#include "estimate/terms.hpp"
#include "estimate/training/activations.hpp"

namespace gpushape::estimate::training {
namespace {

using domain::Checkpointing;

/// The base model in 16 bits, whatever it is stored as.
double base_values_of(const Plan& plan, const Stage& stage) {
  constexpr double kHalfBytes = 2;
  WeightsLayout plain = plan.weights;
  plain.scheme = domain::scheme(domain::Quantization::Bf16);
  plain.is_as_stored = false;
  plain.head_quantized = false;
  plain.dtype_bytes = 2;
  return static_cast<double>(load_weights(*plan.model, plain, stage).tensors.count()) / kHalfBytes;
}

double inputs_of_adapters(const Plan& plan, const domain::Layer& layer,
                          const std::vector<domain::Tensor>& tensors) {
  double inputs = 0;
  for (const domain::Tensor& tensor : tensors) {
    if (!takes_adapter(tensor, plan.adapters.modules, plan.adapters.has_experts)) continue;
    auto columns = static_cast<double>(tensor.columns);
    if (tensor.split == domain::Split::Experts && layer.feed_forward.experts)
      columns *= static_cast<double>(layer.feed_forward.experts->active);
    inputs += columns + static_cast<double>(plan.adapters.rank);
  }
  return inputs;
}

}  // namespace

CountedValues count_values(const Plan& plan, const Stage& stage) {
  const domain::Model& model = *plan.model;
  CountedValues counted;
  counted.base = base_values_of(plan, stage);
  counted.trained =
      plan.training.has_adapters()
          ? static_cast<double>(adapter_bytes(model, plan.weights, stage, plan.adapters).values)
          : counted.base;
  each_run(model, stage, [&](const domain::Layer& layer, std::int64_t layers) {
    const std::vector<domain::Tensor> tensors = tensors_of(layer, model);
    double values = 0;
    for (const domain::Tensor& tensor : tensors) {
      values += static_cast<double>(tensor.values());
      counted.edges += static_cast<double>(layers * tensor.copies * (tensor.rows + tensor.columns));
      if (tensor.is_linear)
        counted.linear =
            std::max(counted.linear, static_cast<double>(tensor.rows * tensor.columns));
    }
    counted.layer = std::max(counted.layer, values);
    counted.adapter_inputs.push_back(inputs_of_adapters(plan, layer, tensors));
  });
  const auto tensor_parallel = static_cast<double>(plan.parallelism.tensor);
  counted.layer /= tensor_parallel;
  counted.linear /= tensor_parallel;
  counted.edges += 2 * static_cast<double>(model.vocabulary + model.hidden_size);
  return counted;
}

PerToken per_token(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const TrainingPlan& run = plan.training;
  ActivationBasis basis{.model = plan.model,
                        .training = &run,
                        .facts = &plan.facts,
                        .adapters = plan.adapters,
                        .tensor_parallel = static_cast<double>(plan.parallelism.tensor)};
  PerToken token;
  std::size_t index = 0;
  each_run(*plan.model, situation.stage, [&](const domain::Layer& layer, std::int64_t layers) {
    basis.adapter_inputs = situation.trainer.adapter_inputs.at(index++);
    token.kept += kept(basis, layer) * static_cast<double>(layers);
    const Spread whole =
        run.checkpointing == Checkpointing::None ? Spread{} : kept_whole(basis, layer);
    token.layer = larger(token.layer, whole + certain(working(basis, layer)));
  });
  return token;
}

}  // namespace gpushape::estimate::training
