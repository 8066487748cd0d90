#include "domain/parameter_counts.hpp"

#include <algorithm>
#include <functional>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::domain {
namespace {

std::int64_t parts_of(std::int64_t length, std::int64_t part) {
  return (length + part - 1) / std::max<std::int64_t>(1, part);
}

// Scales that publishers count as parameters: one for each block of fp8 (DeepSeek-V3's format), and
// those of gpt-oss, whose values and scales the Hub counts one by one. Those of other schemes are
// left out of published totals, or stand in files whose totals count packed words and mean nothing.
std::int64_t counted_scales(const Tensor& tensor, const WeightScheme& scheme) {
  if (tensor.columns == 0) return 0;
  if (scheme.granularity == ScaleGranularity::Block)
    return tensor.copies * parts_of(tensor.rows, scheme.group) *
           parts_of(tensor.columns, scheme.group);
  if (scheme.quantization == Quantization::Mxfp4)
    return tensor.copies * tensor.rows * parts_of(tensor.columns, scheme.group);
  return 0;
}

bool counts_scales(const Model& model) {
  const WeightScheme scheme = scheme_of(model.weights);
  if (scheme.quantization == Quantization::Mxfp4) return model.family == "gpt_oss";
  return scheme.granularity == ScaleGranularity::Block;
}

using SchemeOf = std::function<WeightScheme(const Tensor&, std::int64_t)>;

std::int64_t scales_of(const std::vector<LayerRun>& runs, const Model& model,
                       const SchemeOf& scheme) {
  std::int64_t total = 0;
  std::int64_t first = 0;
  for (const LayerRun& run : runs) {
    const std::vector<Tensor> tensors = tensors_of(run.layer, model);
    for (std::int64_t layer = first; layer < first + run.count; ++layer) {
      for (const Tensor& tensor : tensors) {
        const WeightScheme stored = scheme(tensor, layer);
        const bool is_packed = stored.quantization == Quantization::Mxfp4 &&
                               model.weights.linear != Quantization::Mxfp4;
        if (!is_packed) total += counted_scales(tensor, stored);
      }
    }
    first += run.count;
  }
  return total;
}

std::int64_t scales_of(const Model& model) {
  if (!counts_scales(model)) return 0;
  std::int64_t total = scales_of(
      model.layers, model,
      [&](const Tensor& tensor, std::int64_t layer) { return scheme_of(model, tensor, layer); });
  if (!model.multi_token_prediction) return total;
  total += scales_of(model.multi_token_prediction->layers, model,
                     [&](const Tensor& tensor, std::int64_t layer) {
                       return multi_token_scheme(model, tensor, layer);
                     });
  const WeightScheme scheme = scheme_of(model.weights);
  for (const ExtraTensor& extra : model.multi_token_prediction->extra) {
    if (extra.is_linear)
      total += counted_scales({.name = extra.name, .rows = extra.rows, .columns = extra.columns},
                              scheme);
  }
  return total;
}

}  // namespace

void count_all_parameters(Model& model) {
  ParameterCounts& counts = model.parameters;
  counts.scales = scales_of(model);
  const std::int64_t further = count_multi_token_parameters(model);
  counts.multi_token_prediction = further > 0 ? std::optional<std::int64_t>(further) : std::nullopt;
  counts.total = count_parameters(model) + further + counts.scales;
  counts.active = count_active_parameters(model);
}

}  // namespace gpushape::domain
