#include "estimate/ggml/file_weights.hpp"

#include <algorithm>
#include <utility>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "estimate/division.hpp"
#include "estimate/ggml/graph_memory.hpp"
#include "estimate/ggml/quantize_mix.hpp"
#include "estimate/header_bytes.hpp"

namespace gpushape::estimate::ggml {
namespace {

using domain::Quantization;

constexpr std::int64_t kBitsPerByte = 8;

std::int64_t padded(std::int64_t bytes, std::int64_t unit) { return divide_up(bytes, unit) * unit; }

void add(HeldBytes& sum, const HeldBytes& bytes) {
  sum.host += bytes.host;
  sum.device += bytes.device;
}

std::int64_t row_bytes(const domain::WeightScheme& scheme, std::int64_t columns) {
  if (scheme.granularity == domain::ScaleGranularity::None)
    return columns * scheme.weight_bits / kBitsPerByte;
  const std::int64_t block = scheme.group * scheme.weight_bits + scheme.scale_bits;
  return divide_up(columns, scheme.group) * block / kBitsPerByte;
}

/// One tensor of a file: experts of a layer are one.
struct FileTensor {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  domain::WeightScheme scheme;
};

HeldBytes held(const FileTensor& tensor, bool pads_rows) {
  const std::int64_t bytes = tensor.rows * row_bytes(tensor.scheme, tensor.columns);
  std::int64_t on_device = bytes;
  const bool is_quantized = tensor.scheme.granularity != domain::ScaleGranularity::None;
  if (pads_rows && is_quantized && tensor.columns % kRowPadding != 0) {
    on_device += row_bytes(tensor.scheme, kRowPadding - tensor.columns % kRowPadding);
  }
  return {.host = padded(bytes, kHostAlignment), .device = padded(on_device, kDeviceAlignment)};
}

class Reader {
 public:
  Reader(const domain::Model& model, std::optional<Quantization> mix, bool pads_rows)
      : model_(model), mix_(mix), pads_rows_(pads_rows), mixed_(mixed_model(model)) {}

  FileWeights run() {
    FileWeights weights;
    std::int64_t layer = 0;
    for (const domain::LayerRun& run : model_.layers) {
      const std::vector<domain::Tensor> tensors = tensors_of(run.layer, model_);
      for (std::int64_t i = 0; i < run.count; ++i) {
        weights.layers.push_back(of_layer(run.layer, tensors, layer++));
      }
    }
    std::int64_t head = 0;
    for (const domain::Tensor& tensor : domain::outer_tensors(model_)) {
      const HeldBytes bytes = of_tensor(tensor, domain::kOutsideLayers);
      const bool is_behind =
          tensor.part == domain::TensorPart::Head || tensor.name.starts_with("model.norm");
      add(is_behind ? weights.behind : weights.embedding, bytes);
      const bool is_table = tensor.split == domain::Split::Vocabulary && !is_behind;
      if (is_table && model_.tied_embeddings && model_.has_head) weights.tied_head = bytes;
      if (tensor.part == domain::TensorPart::Head || weights.tied_head == bytes) head = bytes.host;
    }
    weights.matrices = std::move(matrices_);
    weights.matrices.push_back({{.values = domain::vocabulary_values(model_), .bytes = head}});
    if (!mix_) {
      const std::int64_t rest = beyond_architecture(model_, false).count();
      weights.other = {.host = rest, .device = 0};
    }
    return weights;
  }

 private:
  HeldBytes of_layer(const domain::Layer& layer, const std::vector<domain::Tensor>& tensors,
                     std::int64_t index) {
    HeldBytes sum;
    std::vector<StoredWeight>& matrices = matrices_.emplace_back();
    StoredWeight first;  // what leads into experts, which files of some families keep as one
    for (const domain::Tensor& tensor : tensors) {
      const bool is_split_latent =
          mix_.has_value() && tensor.name == "self_attn.kv_b_proj" && layer.attention.latent;
      const HeldBytes bytes =
          is_split_latent ? of_latent(layer.attention, index) : of_tensor(tensor, index);
      if (tensor.columns > 0) matrices.push_back({.values = tensor.values(), .bytes = bytes.host});
      if (tensor.columns > 0 && tensor.part == domain::TensorPart::Expert &&
          tensor.expert_split == domain::Split::Rows) {
        first.values += tensor.values();
        first.bytes += bytes.host;
      }
      add(sum, bytes);
    }
    if (first.values > 0) matrices.push_back(first);
    if (std::ranges::any_of(tensors,
                            [](const domain::Tensor& one) { return duty_of(one) == Duty::Value; }))
      ++value_index_;
    return sum;
  }

  /// Files keep the two halves of the up-projection of latents apart, for each head.
  HeldBytes of_latent(const domain::Attention& attention, std::int64_t layer) {
    const domain::Latent& latent = *attention.latent;
    const std::int64_t plain = attention.head_dim - latent.rope_dim;
    HeldBytes sum = of_file(plain, attention.heads * latent.kv_rank, Duty::Other, {.layer = layer});
    add(sum, of_file(latent.kv_rank, attention.heads * attention.value_head_dim, Duty::Other,
                     {.layer = layer}));
    return sum;
  }

  HeldBytes of_file(std::int64_t columns, std::int64_t rows, Duty duty, TensorPlace place) {
    place.layer = std::max<std::int64_t>(0, place.layer);
    place.value_index = value_index_;
    place.columns = columns;
    const Quantization type = type_in_mix(*mix_, duty, place, mixed_);
    return held({.columns = columns, .rows = rows, .scheme = domain::scheme(type)}, pads_rows_);
  }

  HeldBytes of_tensor(const domain::Tensor& tensor, std::int64_t layer) {
    const bool is_vector = tensor.columns == 0;
    const std::int64_t columns = is_vector ? tensor.rows : tensor.columns;
    const std::int64_t rows = (is_vector ? 1 : tensor.rows) * tensor.copies;
    if (mix_) {
      const bool is_expert = tensor.part == domain::TensorPart::Expert && tensor.copies > 1;
      const bool is_mxfp4 =
          is_expert && domain::scheme_of(model_, tensor, layer).quantization == Quantization::Mxfp4;
      return of_file(columns, rows, duty_of(tensor),
                     {.layer = layer, .is_expert = is_expert, .is_mxfp4_expert = is_mxfp4});
    }
    domain::WeightScheme scheme = domain::scheme_of(model_, tensor, layer);
    if (tensor.is_float32) scheme = domain::scheme(Quantization::Fp32);
    return held({.columns = columns, .rows = rows, .scheme = scheme}, pads_rows_);
  }

  const domain::Model& model_;
  std::optional<Quantization> mix_;
  bool pads_rows_;
  MixedModel mixed_;
  std::int64_t value_index_ = 0;
  std::vector<std::vector<StoredWeight>> matrices_;
};

}  // namespace

std::int64_t FileWeights::file_bytes() const {
  std::int64_t sum = embedding.host + behind.host + other.host;
  for (const HeldBytes& layer : layers) sum += layer.host;
  return sum;
}

FileWeights file_weights(const domain::Model& model, std::optional<Quantization> mix,
                         bool pads_rows) {
  return Reader(model, mix, pads_rows).run();
}

}  // namespace gpushape::estimate::ggml
