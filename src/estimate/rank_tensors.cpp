#include "estimate/rank_tensors.hpp"

#include <algorithm>
#include <string_view>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "estimate/division.hpp"

namespace gpushape::estimate {
namespace {

using domain::ScaleGranularity;
using domain::Split;
using domain::TensorPart;
using domain::WeightScheme;

constexpr std::int64_t kBitsPerByte = 8;
constexpr std::int64_t kFloatBytes = 4;

constexpr std::int64_t round_up_to(std::int64_t value, std::int64_t unit) {
  return unit > 1 ? divide_up(value, unit) * unit : value;
}

/// Rows of whole KV heads: dealt out, or one head copied where there are fewer than ranks.
std::int64_t rows_of_heads(const domain::Tensor& tensor, std::int64_t ranks) {
  if (tensor.heads <= 0) return divide_up(tensor.rows, ranks);
  const std::int64_t heads = std::max<std::int64_t>(1, tensor.heads / ranks);
  return tensor.rows / tensor.heads * heads;
}

RankTensor expert_on_rank(const domain::Tensor& tensor, const WeightsLayout& layout) {
  RankTensor share{.rows = tensor.rows,
                   .columns = tensor.columns,
                   .copies = divide_up(tensor.copies, layout.expert_parallel)};
  const ExpertPadding& padding = layout.expert_padding;
  const bool is_first = tensor.expert_split == Split::Rows;  // hidden to width
  if (is_first) {
    share.rows = expert_width_on_rank(tensor.rows, layout).padded;
    if (share.columns > 0) share.columns = round_up_to(share.columns, padding.hidden);
    return share;
  }
  share.rows = round_up_to(share.rows, padding.hidden);
  if (tensor.expert_split == Split::Columns)
    share.columns = expert_width_on_rank(tensor.columns, layout).padded;
  return share;
}

bool is_quantized(const WeightScheme& scheme) {
  return scheme.granularity != ScaleGranularity::None;
}

WeightScheme plain_scheme(const WeightsLayout& layout) {
  WeightScheme scheme;
  scheme.weight_bits = static_cast<int>(layout.dtype_bytes * kBitsPerByte);
  return scheme;
}

/// What a checkpoint's scheme is in memory.
WeightScheme loaded_scheme(WeightScheme scheme, const WeightsLayout& layout) {
  constexpr int kFloatBits = 32;
  if (scheme.nested_group == 0 || !layout.unfolds_scales) return scheme;
  scheme.nested_group = 0;
  scheme.scale_bits = kFloatBits;
  return scheme;
}

bool is_shared_expert(const domain::Tensor& tensor) {
  return tensor.part == TensorPart::Expert && tensor.split != Split::Experts;
}

/// How the tensor is held; never quantized in place of the model's dtype unless a scheme says so.
WeightScheme held_scheme(const domain::Tensor& tensor, const domain::Model& model,
                         const WeightsLayout& layout, std::int64_t layer, bool is_multi_token) {
  if (tensor.columns == 0) return plain_scheme(layout);
  const bool is_mixer =
      tensor.part == TensorPart::Attention || tensor.part == TensorPart::Recurrent;
  if ((is_mixer || is_shared_expert(tensor)) && layout.keeps_mixers_and_shared)
    return plain_scheme(layout);
  if (layout.is_as_stored) {
    const WeightScheme stored =
        is_multi_token ? multi_token_scheme(model, tensor, layer) : scheme_of(model, tensor, layer);
    return is_quantized(stored) ? loaded_scheme(stored, layout) : plain_scheme(layout);
  }
  const bool is_head = tensor.part == TensorPart::Head;
  const bool takes_scheme =
      is_head ? layout.head_quantized : tensor.is_linear && tensor.part != TensorPart::Embedding;
  return takes_scheme && is_quantized(layout.scheme) ? loaded_scheme(layout.scheme, layout)
                                                     : plain_scheme(layout);
}

bool is_wide_router(const domain::Tensor& tensor, const WeightsLayout& layout) {
  return layout.has_float32_routers && tensor.part == TensorPart::Router && tensor.columns > 0;
}

bool is_wide_bias(const domain::Tensor& tensor, const WeightsLayout& layout) {
  return layout.expert_padding.has_float32_biases && tensor.split == Split::Experts &&
         tensor.columns == 0;
}

/// What experts' kernels do with scales of MXFP4.
struct ScaleRows {
  std::int64_t unit = 0;  ///< 0: nothing
  bool are_kept = false;  ///< beside those that are laid out anew
};

ScaleRows scale_rows_of(const domain::Tensor& tensor, const WeightScheme& scheme,
                        const WeightsLayout& layout) {
  if (tensor.split != Split::Experts || scheme.quantization != domain::Quantization::Mxfp4)
    return {};
  const ExpertPadding& padding = layout.expert_padding;
  return {.unit = padding.scale_rows, .are_kept = padding.keeps_scales};
}

/// Tensors of one allocation, as they add up.
struct Fused {
  RankTensor sum;
  WeightScheme scheme;
  bool is_float32 = false;
  std::int64_t row_bytes = 0;    ///< left free behind long rows
  std::int64_t scale_bytes = 0;  ///< of a block's scale for each of its rows; 0: of the block
  ScaleRows scale_rows = {};
};

/// Source: vLLM quantization/utils/fp8_utils.py (_maybe_pad_fp8_weight, of scales by block and by
/// tensor), fused_moe/unquantized_fused_moe_method.py (_maybe_pad_weight).
std::int64_t bytes_behind_rows(const domain::Tensor& tensor, const WeightScheme& scheme,
                               const WeightsLayout& layout) {
  if (tensor.part == TensorPart::Expert)
    return is_quantized(scheme) ? 0 : layout.expert_padding.row_bytes;
  using domain::Quantization;
  const bool is_padded =
      scheme.quantization == Quantization::Fp8 || scheme.quantization == Quantization::Fp8Block;
  return is_padded ? layout.row_bytes : 0;
}

/// Of the schemes here, GPTQ's alone have an order. Experts keep their zero points: vLLM
/// quantization/gptq_marlin.py, GPTQMarlinMoEMethod. Machete multiplies those of linear layers by
/// the scales, in the dtype: vLLM quantization/kernels/mixed_precision/machete.py, transform_w_zp.
WeightScheme repacked(WeightScheme scheme, const domain::Tensor& tensor,
                      const WeightsLayout& layout) {
  if (layout.zero_bits > 0 && scheme.zero_bits > 0 && scheme.order_bits == 0 &&
      tensor.part != TensorPart::Expert)
    scheme.zero_bits = layout.zero_bits;
  if (!layout.drops_gptq_companions || scheme.order_bits == 0) return scheme;
  if (tensor.part != TensorPart::Expert) scheme.zero_bits = 0;
  scheme.order_bits = 0;
  return scheme;
}

std::int64_t padding_of_rows(const Fused& fused) {
  constexpr std::int64_t kChannels = 512;
  const std::int64_t row = fused.sum.columns * fused.scheme.weight_bits / kBitsPerByte;
  if (fused.row_bytes == 0 || row == 0 || row % kChannels != 0) return 0;
  return fused.sum.copies * fused.sum.rows * fused.row_bytes;
}

/// Scales, zero points and indices of one fused linear layer.
template <class Use>
void each_companion(const Fused& fused, const Use& use) {
  const WeightScheme& scheme = fused.scheme;
  const auto& [out, in, copies] = fused.sum;
  switch (scheme.granularity) {
    case ScaleGranularity::None:
      return;
    case ScaleGranularity::Tensor:
      use(copies * scheme.scale_bits / kBitsPerByte);
      break;
    case ScaleGranularity::Channel:
      use(copies * out * scheme.scale_bits / kBitsPerByte);
      break;
    case ScaleGranularity::Block:
      if (fused.scale_bytes > 0) {
        use(copies * out * divide_up(in, scheme.group) * fused.scale_bytes);
        break;
      }
      use(copies * divide_up(out, scheme.group) * divide_up(in, scheme.group) * scheme.scale_bits /
          kBitsPerByte);
      break;
    case ScaleGranularity::Group: {
      const std::int64_t groups = divide_up(in, scheme.group);
      const auto use_scales = [&](std::int64_t rows) {
        use(copies * groups * rows * scheme.scale_bits / kBitsPerByte);
      };
      use_scales(round_up_to(out, fused.scale_rows.unit));
      if (fused.scale_rows.are_kept) use_scales(out);
      if (scheme.nested_group > 0)
        use(copies * divide_up(groups * out, scheme.nested_group) * kFloatBytes);
      if (scheme.zero_bits > 0) use(copies * groups * out * scheme.zero_bits / kBitsPerByte);
      break;
    }
  }
  if (scheme.order_bits > 0) use(copies * in * scheme.order_bits / kBitsPerByte);
  if (scheme.tensor_scale_bits > 0) use(copies * scheme.tensor_scale_bits / kBitsPerByte);
  if (scheme.input_scale_bits > 0) use(copies * scheme.input_scale_bits / kBitsPerByte);
}

/// Calls `use` with the bytes of each allocation of a fused layer.
template <class Use>
void each_allocation(const Fused& fused, const Use& use) {
  const RankTensor& sum = fused.sum;
  const WeightScheme& scheme = fused.scheme;
  const std::int64_t values = sum.copies * sum.rows * std::max<std::int64_t>(1, sum.columns);
  if (values <= 0) return;
  if (fused.is_float32) {
    use(values * kFloatBytes);
    return;
  }
  if (scheme.is_interleaved) {
    const std::int64_t blocks =
        sum.copies * sum.rows * divide_up(std::max<std::int64_t>(1, sum.columns), scheme.group);
    use(blocks * (scheme.group * scheme.weight_bits + scheme.scale_bits) / kBitsPerByte);
    return;
  }
  use(divide_up(values * scheme.weight_bits, kBitsPerByte) + padding_of_rows(fused));
  each_companion(fused, use);
}

/// Tensors one after another, of which those that lie in one allocation are put together.
template <class Use>
class Fusing {
 public:
  explicit Fusing(const Use& use) : use_(use) {}

  void add(const domain::Tensor& tensor, const RankTensor& share, const WeightScheme& scheme,
           const WeightsLayout& layout) {
    const bool continues = is_open_ && !tensor.fused.empty() && tensor.fused == word_ &&
                           scheme == open_.scheme && share.columns == open_.sum.columns;
    if (continues) {
      open_.sum.rows += share.rows;
      return;
    }
    close();
    open_ = {.sum = share,
             .scheme = scheme,
             .is_float32 = tensor.is_float32 || is_wide_router(tensor, layout) ||
                           is_wide_bias(tensor, layout),
             .row_bytes = bytes_behind_rows(tensor, scheme, layout),
             .scale_bytes = layout.repeats_block_scales ? layout.dtype_bytes : 0,
             .scale_rows = scale_rows_of(tensor, scheme, layout)};
    word_ = tensor.fused;
    is_open_ = true;
  }
  void close() {
    if (is_open_) each_allocation(open_, use_);
    is_open_ = false;
  }

 private:
  const Use& use_;
  Fused open_;
  std::string_view word_;
  bool is_open_ = false;
};

/// Queries and outputs work on latents by products of their projections with the halves of
/// kv_b_proj, in 8 bits where the projections are, and those halves unpacked; the queries' rotated
/// part stands apart. Source: vLLM 0.7.1 attention/backends/mla/utils.py,
/// process_weights_after_loading.
template <class Use>
void each_absorbed(const domain::Attention& attention, std::int64_t hidden,
                   const WeightsLayout& layout, const Use& use) {
  const domain::Latent& latent = *attention.latent;
  const std::int64_t heads = divide_up(attention.heads, layout.tensor_parallel);
  const std::int64_t queries = latent.query_rank > 0 ? latent.query_rank : hidden;
  const bool is_8_bit = layout.scheme.weight_bits == kBitsPerByte;
  const std::int64_t value_bytes = is_8_bit ? 1 : layout.dtype_bytes;
  use(queries * heads * latent.rope_dim * layout.dtype_bytes);
  use(queries * heads * latent.kv_rank * value_bytes);
  use(heads * latent.kv_rank * hidden * value_bytes);
  if (!is_quantized(layout.scheme)) return;
  const std::int64_t unrotated = attention.head_dim - latent.rope_dim;
  use(latent.kv_rank * heads * (unrotated + attention.value_head_dim) * layout.dtype_bytes);
}

/// Calls `use` with the bytes of all that a layer keeps beside its tensors.
template <class Use>
void each_extra(const domain::Layer& layer, const domain::Model& model, const WeightsLayout& layout,
                const Use& use) {
  const domain::Attention& attention = layer.attention;
  if (attention.kind == domain::LayerKind::None || attention.kind == domain::LayerKind::Recurrent)
    return;
  for (std::int64_t i = 0; i < layout.attention_scalars; ++i) use(kFloatBytes);
  if (attention.kind != domain::LayerKind::Latent || !layout.splits_latents || !attention.latent)
    return;
  if (layout.absorbs_latents) {
    each_absorbed(attention, model.hidden_size, layout, use);
    return;
  }
  // Decoding multiplies queries and outputs by the halves of kv_b_proj instead of unfolding keys
  // and values: vLLM v1/attention/backends/mla/common.py, process_weights_after_loading.
  const std::int64_t heads = divide_up(attention.heads, layout.tensor_parallel);
  const std::int64_t rank = attention.latent->kv_rank;
  const std::int64_t unrotated = attention.head_dim - attention.latent->rope_dim;
  use(heads * attention.value_head_dim * rank * layout.dtype_bytes);
  use(heads * unrotated * rank * layout.dtype_bytes);
}

}  // namespace

/// Experts are dealt out whole to `expert_parallel` ranks; what ranks are left share each of them.
/// Without expert parallelism all ranks of tensor and data parallelism share every expert. Source:
/// vLLM model_executor/layers/fused_moe/config.py, FusedMoEParallelConfig.make.
ExpertWidth expert_width_on_rank(std::int64_t width, const WeightsLayout& layout) {
  const std::int64_t ranks = layout.tensor_parallel * layout.data_parallel;
  const std::int64_t sharers =
      std::max<std::int64_t>(1, ranks / std::max<std::int64_t>(1, layout.expert_parallel));
  const ExpertPadding& padding = layout.expert_padding;
  const std::int64_t shared = divide_up(width, sharers);
  if (padding.is_of_shares && layout.expert_parallel > 1) {
    const std::int64_t of_rank = divide_up(width, layout.tensor_parallel);
    return {.shared = shared,
            .padded = round_up_to(of_rank, padding.width) * layout.tensor_parallel};
  }
  return {.shared = shared,
          .padded = shared % padding.group == 0 ? round_up_to(shared, padding.width) : shared};
}

RankTensor on_rank(const domain::Tensor& tensor, const domain::Model& model,
                   const WeightsLayout& layout) {
  const bool is_dense = tensor.part == TensorPart::FeedForward || tensor.part == TensorPart::Head;
  const std::int64_t ranks = layout.tensor_parallel * (is_dense ? layout.dense_parallel : 1);
  RankTensor share{.rows = tensor.rows, .columns = tensor.columns, .copies = tensor.copies};
  if (layout.has_whole_shared_experts && is_shared_expert(tensor)) return share;
  switch (tensor.split) {
    case Split::None:
      break;
    case Split::Rows:
      share.rows = divide_up(tensor.rows, ranks);
      break;
    case Split::Columns:
      share.columns = divide_up(tensor.columns, ranks);
      break;
    case Split::KvRows:
      share.rows = rows_of_heads(tensor, ranks);
      break;
    case Split::Vocabulary:
      if (tensor.part == TensorPart::Embedding && layout.has_whole_table) break;
      share.rows = divide_up(padded_vocabulary(model, layout), ranks);
      break;
    case Split::Experts:
      return expert_on_rank(tensor, layout);
  }
  return share;
}

bool is_looked_up(const domain::Tensor& tensor, std::int64_t layer) {
  return layer != domain::kOutsideLayers && tensor.part == TensorPart::Embedding;
}

bool has_tables_in_layers(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    return !run.layer.extra.empty() &&
           std::ranges::any_of(tensors_of(run.layer, model), [](const domain::Tensor& tensor) {
             return is_looked_up(tensor, 0);
           });
  });
}

void append_allocations(std::span<const domain::Tensor> tensors, const domain::Model& model,
                        const Layouts& layouts, std::int64_t layer, bool is_multi_token,
                        Allocations& allocations) {
  const WeightsLayout& layout = layouts.rank;
  const auto take = [&](std::int64_t bytes) {
    allocations.bytes.push_back(bytes);
    if (!layouts.is_dealt_out) allocations.once += bytes;
  };
  const auto take_once = [&](std::int64_t bytes) { allocations.once += bytes; };
  Fusing of_rank(take);
  Fusing of_all(take_once);
  for (const domain::Tensor& tensor : tensors) {
    const bool is_table = is_looked_up(tensor, layer);
    if (layout.keeps_tables_on_host && is_table) continue;
    RankTensor share = on_rank(tensor, model, layout);
    if (layout.shares_tables_across_data && is_table)
      share.rows = divide_up(share.rows, layout.data_parallel);
    const WeightScheme scheme =
        repacked(held_scheme(tensor, model, layout, layer, is_multi_token), tensor, layout);
    of_rank.add(tensor, share, scheme, layout);
    if (layouts.is_dealt_out)
      of_all.add(tensor, on_rank(tensor, model, layouts.alone), scheme, layouts.alone);
  }
  of_rank.close();
  of_all.close();
}

void append_extras(const domain::Layer& layer, const domain::Model& model, const Layouts& layouts,
                   Allocations& allocations) {
  each_extra(layer, model, layouts.rank,
             [&](std::int64_t bytes) { allocations.bytes.push_back(bytes); });
  each_extra(layer, model, layouts.alone, [&](std::int64_t bytes) { allocations.once += bytes; });
}

}  // namespace gpushape::estimate
