#include "estimate/ggml/file_model.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "domain/modules.hpp"
#include "domain/tensor_exceptions.hpp"
#include "domain/tensors.hpp"
#include "estimate/ggml/quantize_mix.hpp"

namespace gpushape::estimate::ggml {

domain::Model in_file_types(const domain::Model& model, domain::Quantization mix) {
  domain::Model file = model;
  file.weights.linear = mix;
  file.weights.kept.clear();
  file.weights.modules.clear();
  domain::TensorExceptions exceptions(file);
  const MixedModel mixed = mixed_model(model);
  std::int64_t value_index = 0;
  const auto add = [&](const domain::Tensor& tensor, std::int64_t layer) {
    if (tensor.columns == 0) return;
    const TensorPlace place{
        .layer = std::max<std::int64_t>(0, layer),
        .value_index = value_index,
        .columns = tensor.columns,
        .is_expert = tensor.part == domain::TensorPart::Expert && tensor.copies > 1};
    exceptions.add(tensor, layer, false,
                   domain::scheme(type_in_mix(mix, duty_of(tensor), place, mixed)));
  };
  std::int64_t layer = 0;
  for (const domain::LayerRun& run : model.layers) {
    const std::vector<domain::Tensor> tensors = tensors_of(run.layer, model);
    const bool has_values = std::ranges::any_of(
        tensors, [](const domain::Tensor& tensor) { return duty_of(tensor) == Duty::Value; });
    for (std::int64_t i = 0; i < run.count; ++i, ++layer) {
      for (const domain::Tensor& tensor : tensors) add(tensor, layer);
      if (has_values) ++value_index;
    }
  }
  for (const domain::Tensor& tensor : domain::outer_tensors(model))
    add(tensor, domain::kOutsideLayers);
  return file;
}

}  // namespace gpushape::estimate::ggml
