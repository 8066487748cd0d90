// How the weights of one linear layer lie in storage: a row per Quantization with its bits, scales
// and zero points, and the source of each. Sizes: design rules per scheme from the formats' own
// documentation (compressed-tensors, AutoGPTQ/AWQ packing, bitsandbytes, OCP MX, NVFP4).
#pragma once

#include <array>
#include <string_view>

#include "domain/quantization.hpp"

namespace gpushape::domain {

enum class ScaleGranularity { None, Tensor, Channel, Block, Group };

/// What one linear weight of `out` rows and `in` columns costs in storage under a scheme.
struct WeightScheme {
  Quantization quantization = Quantization::Bf16;
  int weight_bits = 16;
  ScaleGranularity granularity = ScaleGranularity::None;
  int group = 0;              ///< Group: inputs that share a scale; Block: edge of the square block
  int scale_bits = 0;         ///< bits of one scale
  int zero_bits = 0;          ///< bits of one zero point, 0 where the scheme is symmetric
  int nested_group = 0;       ///< scales that share a 32-bit scale of their own; 0 for none
  int tensor_scale_bits = 0;  ///< one more scale for the whole tensor
  int order_bits = 0;         ///< one index per input: the order of the groups (GPTQ's g_idx)
  int input_scale_bits = 0;   ///< one scale of the layer's input (static activation scales)
  bool is_interleaved = false;  ///< scales lie between the weights, in one tensor (GGUF)
  std::string_view source;

  bool operator==(const WeightScheme&) const = default;
};

namespace detail {
inline constexpr std::string_view kGptqPacking =
    "AutoGPTQ packing: 16-bit scale and packed zero point per 128 inputs, int32 g_idx per input";

/// A GGUF block of `group` weights in `bytes`: what is not the weights' own bits is scales.
constexpr WeightScheme gguf_block(Quantization quantization, int bits, int group, int bytes) {
  return {.quantization = quantization,
          .weight_bits = bits,
          .granularity = ScaleGranularity::Group,
          .group = group,
          .scale_bits = bytes * 8 - bits * group,
          .is_interleaved = true,
          .source = "ggml block types (ggml-common.h): bytes of one block"};
}

/// A 16-bit scale and a 16-bit bias beside each group of weights.
constexpr WeightScheme mlx_integers(Quantization quantization, int bits) {
  return {.quantization = quantization,
          .weight_bits = bits,
          .granularity = ScaleGranularity::Group,
          .group = 64,
          .scale_bits = 32,
          .source =
              "ml-explore/mlx, mlx.core.quantize: weights packed in 32-bit words, a scale and a "
              "bias per group"};
}
}  // namespace detail

/// One row per Quantization, in its order. Scales are counted in the width that engines hold them
/// in.
inline constexpr auto kWeightSchemes = std::to_array<WeightScheme>({
    {.quantization = Quantization::Fp32, .weight_bits = 32, .source = "IEEE 754 binary32"},
    {.quantization = Quantization::Bf16, .weight_bits = 16, .source = "bfloat16"},
    {.quantization = Quantization::Fp16, .weight_bits = 16, .source = "IEEE 754 binary16"},
    {.quantization = Quantization::Fp8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Tensor,
     .scale_bits = 32,
     .source = "vLLM fp8: one float32 scale per weight tensor"},
    {.quantization = Quantization::Fp8Channel,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Channel,
     .scale_bits = 32,
     .source = "compressed-tensors float-quantized, strategy channel: one float32 scale per row"},
    {.quantization = Quantization::Fp8Block,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Block,
     .group = 128,
     .scale_bits = 32,
     .source = "DeepSeek-V3 weight_block_size [128, 128]: one float32 scale per block"},
    {.quantization = Quantization::Mxfp8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Group,
     .group = 32,
     .scale_bits = 8,
     .source = "OCP Microscaling Formats 1.0: 8-bit exponent per 32 elements"},
    {.quantization = Quantization::Int8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Channel,
     .scale_bits = 32,
     .source = "compressed-tensors int-quantized, strategy channel: one float32 scale per row"},
    {.quantization = Quantization::Int8Weight,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Channel,
     .scale_bits = 16,
     .source = "compressed-tensors pack-quantized, 8 bits: one 16-bit scale per row"},
    {.quantization = Quantization::Int4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .source = "compressed-tensors pack-quantized: one 16-bit scale per 128 inputs"},
    {.quantization = Quantization::Int4Act8,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .source = "ModelOpt W4A8_AWQ and compressed-tensors w4a8: as w4a16, 8-bit activations"},
    {.quantization = Quantization::GptqInt8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .zero_bits = 8,
     .order_bits = 32,
     .source = detail::kGptqPacking},
    {.quantization = Quantization::GptqInt4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .zero_bits = 4,
     .order_bits = 32,
     .source = detail::kGptqPacking},
    {.quantization = Quantization::GptqInt3,
     .weight_bits = 3,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .zero_bits = 3,
     .order_bits = 32,
     .source = detail::kGptqPacking},
    {.quantization = Quantization::GptqInt2,
     .weight_bits = 2,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .zero_bits = 2,
     .order_bits = 32,
     .source = detail::kGptqPacking},
    {.quantization = Quantization::Awq,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .zero_bits = 4,
     .source = "AutoAWQ gemm packing: 16-bit scale and 4-bit zero point per 128 inputs"},
    {.quantization = Quantization::BnbInt8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Channel,
     .scale_bits = 32,
     .source = "bitsandbytes LLM.int8(): one float32 scale per row (Dettmers 2022)"},
    {.quantization = Quantization::BnbNf4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 64,
     .scale_bits = 32,
     .source = "bitsandbytes nf4: one float32 scale per 64 weights (QLoRA, Dettmers 2023)"},
    {.quantization = Quantization::BnbNf4Double,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 64,
     .scale_bits = 8,
     .nested_group = 256,
     .source = "bitsandbytes nf4, scales quantized to 8 bits in blocks of 256 (QLoRA)"},
    {.quantization = Quantization::Mxfp6,
     .weight_bits = 6,
     .granularity = ScaleGranularity::Group,
     .group = 32,
     .scale_bits = 8,
     .source = "OCP Microscaling Formats 1.0: 8-bit exponent per 32 elements"},
    {.quantization = Quantization::Mxfp4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 32,
     .scale_bits = 8,
     .source = "OCP Microscaling Formats 1.0: 8-bit exponent per 32 elements"},
    {.quantization = Quantization::Nvfp4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 16,
     .scale_bits = 8,
     .tensor_scale_bits = 32,
     .source = "NVFP4: e4m3 scale per 16 elements and one float32 scale per tensor"},
    {.quantization = Quantization::BitNet,
     .weight_bits = 2,
     .granularity = ScaleGranularity::Tensor,
     .scale_bits = 16,
     .source =
         "BitLinear of transformers (integrations/bitnet.py): four ternary weights in a byte, "
         "one 16-bit scale per tensor"},
    detail::mlx_integers(Quantization::MlxInt2, 2),
    detail::mlx_integers(Quantization::MlxInt3, 3),
    detail::mlx_integers(Quantization::MlxInt5, 5),
    detail::mlx_integers(Quantization::MlxInt6, 6),
    detail::gguf_block(Quantization::Q1_0, 1, 128, 18),
    detail::gguf_block(Quantization::Q4_0, 4, 32, 18),
    detail::gguf_block(Quantization::Q4_1, 4, 32, 20),
    detail::gguf_block(Quantization::Q5_0, 5, 32, 22),
    detail::gguf_block(Quantization::Q5_1, 5, 32, 24),
    detail::gguf_block(Quantization::Q8_0, 8, 32, 34),
    detail::gguf_block(Quantization::Q2K, 2, 256, 84),
    detail::gguf_block(Quantization::Q3K, 3, 256, 110),
    detail::gguf_block(Quantization::Q4K, 4, 256, 144),
    detail::gguf_block(Quantization::Q5K, 5, 256, 176),
    detail::gguf_block(Quantization::Q6K, 6, 256, 210),
    detail::gguf_block(Quantization::Q8K, 8, 256, 292),
    detail::gguf_block(Quantization::Iq1S, 1, 256, 50),
    detail::gguf_block(Quantization::Iq1M, 1, 256, 56),
    detail::gguf_block(Quantization::Iq2Xxs, 2, 256, 66),
    detail::gguf_block(Quantization::Iq2Xs, 2, 256, 74),
    detail::gguf_block(Quantization::Iq2S, 2, 256, 82),
    detail::gguf_block(Quantization::Iq3Xxs, 3, 256, 98),
    detail::gguf_block(Quantization::Iq3S, 3, 256, 110),
    detail::gguf_block(Quantization::Iq4Nl, 4, 32, 18),
    detail::gguf_block(Quantization::Iq4Xs, 4, 256, 136),
    detail::gguf_block(Quantization::Tq1_0, 1, 256, 54),
    detail::gguf_block(Quantization::Tq2_0, 2, 256, 66),
    detail::gguf_block(Quantization::MixQ2KS, 2, 256, 84),
    detail::gguf_block(Quantization::MixQ3KS, 3, 256, 110),
    detail::gguf_block(Quantization::MixQ3KM, 3, 256, 110),
    detail::gguf_block(Quantization::MixQ3KL, 3, 256, 110),
    detail::gguf_block(Quantization::MixQ4KS, 4, 256, 144),
    detail::gguf_block(Quantization::MixQ4KM, 4, 256, 144),
    detail::gguf_block(Quantization::MixQ5KS, 5, 256, 176),
    detail::gguf_block(Quantization::MixQ5KM, 5, 256, 176),
    detail::gguf_block(Quantization::MixIq2M, 2, 256, 82),
    detail::gguf_block(Quantization::MixIq3Xs, 3, 256, 110),
    detail::gguf_block(Quantization::MixIq3M, 3, 256, 110),
    detail::gguf_block(Quantization::MixMxfp4, 4, 32, 17),
    detail::gguf_block(Quantization::MixQ2KL, 2, 256, 84),
    detail::gguf_block(Quantization::MixQ3KXl, 3, 256, 110),
    detail::gguf_block(Quantization::MixQ4KL, 4, 256, 144),
    detail::gguf_block(Quantization::MixQ5KL, 5, 256, 176),
    detail::gguf_block(Quantization::MixQ6KL, 6, 256, 210),
    detail::gguf_block(Quantization::UdIq1S, 1, 256, 50),
    detail::gguf_block(Quantization::UdIq1M, 1, 256, 56),
    detail::gguf_block(Quantization::UdTq10, 1, 256, 54),
    detail::gguf_block(Quantization::UdIq2Xxs, 2, 256, 66),
    detail::gguf_block(Quantization::UdIq2M, 2, 256, 82),
    detail::gguf_block(Quantization::UdQ2KXl, 2, 256, 84),
    detail::gguf_block(Quantization::UdIq3Xxs, 3, 256, 98),
    detail::gguf_block(Quantization::UdIq3S, 3, 256, 110),
    detail::gguf_block(Quantization::UdQ3KXl, 3, 256, 110),
    detail::gguf_block(Quantization::UdIq4Xs, 4, 256, 136),
    detail::gguf_block(Quantization::UdQ4KXl, 4, 256, 144),
    detail::gguf_block(Quantization::UdQ5KXl, 5, 256, 176),
    detail::gguf_block(Quantization::UdQ6KXl, 6, 256, 210),
    detail::gguf_block(Quantization::UdQ8KXl, 8, 32, 34),
});

constexpr const WeightScheme& scheme(Quantization quantization) {
  for (const WeightScheme& row : kWeightSchemes) {
    if (row.quantization == quantization) return row;
  }
  return kWeightSchemes.front();  // not reached: the table has a row for every enumerator
}

/// Bits of one weight with its share of group scales and zero points; scales per tensor, row and
/// block are left out, because their share depends on the tensor.
constexpr double bits_per_weight(const WeightScheme& scheme) {
  double bits = scheme.weight_bits;
  if (scheme.granularity != ScaleGranularity::Group || scheme.group <= 0) return bits;
  double scale = scheme.scale_bits;
  if (scheme.nested_group > 0) scale += 32.0 / scheme.nested_group;
  bits += (scale + scheme.zero_bits) / scheme.group;
  return bits;
}

}  // namespace gpushape::domain
