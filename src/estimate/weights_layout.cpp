#include "estimate/weights_layout.hpp"

#include <algorithm>
#include <string_view>

#include "estimate/caching_allocator.hpp"

namespace gpushape::estimate {
namespace {

using domain::Quantization;
using domain::ScaleGranularity;

constexpr std::int64_t kBitsPerByte = 8;
constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kIndexBytes = 4;  // int32

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Sums tensors and asks the allocator for each.
class Tally {
 public:
  void add(std::int64_t bytes) {
    tensors_ += bytes;
    allocator_.allocate(bytes);
  }
  void add_rotary(std::int64_t bytes) {
    rotary_ += bytes;
    allocator_.allocate(bytes);
  }
  [[nodiscard]] LoadedWeights loaded() const {
    return {
        .tensors = Bytes(tensors_), .rotary = Bytes(rotary_), .allocated = allocator_.allocated()};
  }

 private:
  std::int64_t tensors_ = 0;
  std::int64_t rotary_ = 0;
  CachingAllocator allocator_;
};

/// Scales, zero points and indices of one fused linear layer of `out` rows and `in` columns.
void add_companions(Tally& tally, const WeightsLayout& layout, std::int64_t out, std::int64_t in) {
  const domain::WeightScheme& scheme = layout.scheme;
  switch (scheme.granularity) {
    case ScaleGranularity::None:
      return;
    case ScaleGranularity::Tensor:
      tally.add(scheme.scale_bits / kBitsPerByte);
      break;
    case ScaleGranularity::Channel:
      tally.add(out * scheme.scale_bits / kBitsPerByte);
      break;
    case ScaleGranularity::Block:
      tally.add(divide_up(out, scheme.group) * divide_up(in, scheme.group) * scheme.scale_bits /
                kBitsPerByte);
      break;
    case ScaleGranularity::Group: {
      const std::int64_t groups = divide_up(in, scheme.group);
      tally.add(groups * out * scheme.scale_bits / kBitsPerByte);
      if (scheme.nested_group > 0)
        tally.add(divide_up(groups * out, scheme.nested_group) * kFloatBytes);
      if (scheme.quantization == Quantization::Int4) {
        // A GPTQ layer keeps zero points although the scheme is symmetric, and the order of its
        // input channels. Source: vLLM gptq_marlin.py, create_weights: qzeros, g_idx.
        tally.add(groups * out * scheme.weight_bits / kBitsPerByte);
        tally.add(in * kIndexBytes);
      } else if (scheme.zero_bits > 0) {
        tally.add(groups * out * scheme.zero_bits / kBitsPerByte);
      }
      break;
    }
  }
  if (scheme.tensor_scale_bits > 0) tally.add(scheme.tensor_scale_bits / kBitsPerByte);
  if (layout.static_activation_scales) tally.add(kFloatBytes);
}

/// One linear layer of this rank; the bias stays in the model's dtype.
void add_linear(Tally& tally, const WeightsLayout& layout, std::int64_t out, std::int64_t in,
                std::int64_t bias_rows) {
  if (layout.scheme.granularity == ScaleGranularity::None) {
    tally.add(out * in * layout.dtype_bytes);
  } else {
    tally.add(out * in * layout.scheme.weight_bits / kBitsPerByte);
    add_companions(tally, layout, out, in);
  }
  if (bias_rows > 0) tally.add(bias_rows * layout.dtype_bytes);
}

void add_norm(Tally& tally, const WeightsLayout& layout, std::int64_t width, bool has_bias) {
  tally.add(width * layout.dtype_bytes);
  if (has_bias) tally.add(width * layout.dtype_bytes);
}

void add_layer(Tally& tally, const WeightsLayout& layout, const domain::Model& model,
               const domain::Layer& layer, bool is_first) {
  const domain::Attention& attention = layer.attention;
  const std::int64_t ranks = layout.tensor_parallel;
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t query = attention.heads / ranks * attention.head_dim;
  const std::int64_t kv_heads = kv_heads_on_rank(attention, ranks);
  const std::int64_t qkv = query + kv_heads * (attention.head_dim + attention.value_head_dim);
  const std::int64_t attended = attention.heads / ranks * attention.value_head_dim;
  add_linear(tally, layout, qkv, hidden, attention.qkv_bias ? qkv : 0);
  add_linear(tally, layout, hidden, attended, attention.output_bias ? hidden : 0);
  if (is_first)  // one table serves all layers
    tally.add_rotary(model.rope.positions * model.rope.rotary_dim * layout.dtype_bytes);
  for (std::int64_t i = 0; i < layout.attention_scalars; ++i) tally.add(kFloatBytes);
  if (attention.head_norm == domain::HeadNorm::Shared) {
    add_norm(tally, layout, attention.head_dim, false);
    add_norm(tally, layout, attention.head_dim, false);
  }
  const domain::FeedForward& feed_forward = layer.feed_forward;
  const std::int64_t width = feed_forward.width / ranks;
  const std::int64_t up = feed_forward.gated ? 2 * width : width;
  add_linear(tally, layout, up, hidden, feed_forward.bias ? up : 0);
  add_linear(tally, layout, hidden, width, feed_forward.bias ? hidden : 0);
  for (int norm = 0; norm < layer.norms; ++norm) add_norm(tally, layout, hidden, layer.norm_bias);
}

}  // namespace

std::int64_t padded_vocabulary(const domain::Model& model, const WeightsLayout& layout) {
  return divide_up(model.vocabulary, layout.vocabulary_unit) * layout.vocabulary_unit;
}

std::int64_t kv_heads_on_rank(const domain::Attention& attention, std::int64_t tensor_parallel) {
  return std::max<std::int64_t>(1, attention.kv_heads / tensor_parallel);
}

LoadedWeights load_weights(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage) {
  Tally tally;
  const std::int64_t rows = padded_vocabulary(model, layout) / layout.tensor_parallel;
  const std::int64_t table = rows * model.hidden_size * layout.dtype_bytes;
  const bool shares_table = model.tied_embeddings && stage.has_head && model.has_head;
  if (stage.has_embedding || shares_table) tally.add(table);
  bool is_first = true;
  each_run(model, stage, [&](const domain::Layer& layer, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      add_layer(tally, layout, model, layer, is_first);
      is_first = false;
    }
  });
  if (stage.has_head) {
    add_norm(tally, layout, model.hidden_size, model.final_norm_bias);
    if (model.has_head && !model.tied_embeddings) {
      if (layout.head_quantized) {
        add_linear(tally, layout, rows, model.hidden_size, 0);
      } else {
        tally.add(table);
      }
    }
  }
  return tally.loaded();
}

}  // namespace gpushape::estimate
