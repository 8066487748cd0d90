#include "domain/checkpoint_values.hpp"

#include <vector>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::domain {
namespace {

constexpr std::int64_t kWordBits = 32;

std::int64_t in_parts(std::int64_t length, std::int64_t part) { return (length + part - 1) / part; }

/// Values of one matrix in the file; nothing where its format is written otherwise.
std::optional<std::int64_t> values_of(const Tensor& matrix, const WeightScheme& scheme) {
  const std::int64_t values = matrix.rows * matrix.columns;
  switch (scheme.quantization) {
    case Quantization::Fp8:
      return values + (scheme.input_scale_bits > 0 ? 2 : 1);
    case Quantization::Fp8Channel:
    case Quantization::Int8:
      return values + matrix.rows;
    case Quantization::Int4:
    case Quantization::Int8Weight: {
      constexpr std::int64_t kSizes = 2;  // `weight_shape`
      const bool is_grouped = scheme.granularity == ScaleGranularity::Group;
      const std::int64_t groups = is_grouped ? in_parts(matrix.columns, scheme.group) : 1;
      const auto bits = static_cast<std::int64_t>(scheme.weight_bits);
      return matrix.rows * (in_parts(matrix.columns * bits, kWordBits) + groups) + kSizes;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> checkpoint_values(const Model& model) {
  if (model.weights.head_quantized || model.parameters.scales > 0) return std::nullopt;
  std::int64_t total = model.parameters.total;
  for (const Tower& tower : model.towers) {
    if (tower.is_beside_total) total += tower.parameters;
  }
  std::int64_t layer = 0;
  for (const LayerRun& run : model.layers) {
    const std::vector<Tensor> tensors = tensors_of(run.layer, model);
    for (const std::int64_t end = layer + run.count; layer < end; ++layer) {
      for (const Tensor& tensor : tensors) {
        const WeightScheme scheme = scheme_of(model, tensor, layer);
        if (scheme.granularity == ScaleGranularity::None) continue;
        const auto held = values_of(tensor, scheme);
        if (!held) return std::nullopt;
        total += tensor.copies * (*held - tensor.rows * tensor.columns);
      }
    }
  }
  return total;
}

}  // namespace gpushape::domain
