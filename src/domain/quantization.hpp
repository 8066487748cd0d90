// How weights and cache entries are stored: the published vocabulary.
//
// A Quantization names what the *linear layers* of a checkpoint hold. What stays in 16 bits beside
// them (embeddings, head, norms, listed exceptions) is part of a model's WeightFormat. Sizes:
// design rules per scheme from the formats' own documentation (compressed-tensors, AutoGPTQ/AWQ
// packing, bitsandbytes, OCP MX, NVFP4).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.hpp"

namespace gpushape::domain {

enum class Quantization {
  Fp32,
  Bf16,
  Fp16,
  Fp8,         ///< e4m3, one scale per tensor
  Fp8Channel,  ///< e4m3, one scale per output row
  Fp8Block,    ///< e4m3, one scale per 128 x 128 block
  Int8,        ///< w8a8, one scale per output row
  Int4,        ///< w4a16 group 128, symmetric: GPTQ and compressed-tensors "pack-quantized"
  Awq,         ///< 4 bits, group 128, with zero points
  BnbInt8,
  BnbNf4,
  BnbNf4Double,
  Mxfp4,
  Nvfp4,
};

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
  std::string_view source;

  bool operator==(const WeightScheme&) const = default;
};

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
    {.quantization = Quantization::Int8,
     .weight_bits = 8,
     .granularity = ScaleGranularity::Channel,
     .scale_bits = 32,
     .source = "compressed-tensors int-quantized, strategy channel: one float32 scale per row"},
    {.quantization = Quantization::Int4,
     .weight_bits = 4,
     .granularity = ScaleGranularity::Group,
     .group = 128,
     .scale_bits = 16,
     .source = "GPTQ and compressed-tensors pack-quantized: one 16-bit scale per 128 inputs"},
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

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Quantization> = std::to_array<NameRow<domain::Quantization>>({
    {domain::Quantization::Fp32, "fp32", "32-bit floats"},
    {domain::Quantization::Bf16, "bf16", "16-bit brain floats"},
    {domain::Quantization::Fp16, "fp16", "16-bit floats"},
    {domain::Quantization::Fp8, "fp8", "8-bit floats (e4m3), one scale per tensor"},
    {domain::Quantization::Fp8Channel, "fp8-channel",
     "8-bit floats, one scale per output row (fp8-dynamic)"},
    {domain::Quantization::Fp8Block, "fp8-block", "8-bit floats, one scale per 128 x 128 block"},
    {domain::Quantization::Int8, "int8", "w8a8: 8-bit integers, one scale per output row"},
    {domain::Quantization::Int4, "int4",
     "w4a16: 4-bit integers, one 16-bit scale per 128 inputs (GPTQ symmetric)"},
    {domain::Quantization::Awq, "awq", "4-bit integers with zero points, group 128"},
    {domain::Quantization::BnbInt8, "bnb-int8", "bitsandbytes 8-bit"},
    {domain::Quantization::BnbNf4, "bnb-nf4", "bitsandbytes nf4, 32-bit scale per 64 weights"},
    {domain::Quantization::BnbNf4Double, "bnb-nf4-double",
     "bitsandbytes nf4, double quantized scales"},
    {domain::Quantization::Mxfp4, "mxfp4", "4-bit floats, 8-bit exponent per 32 weights"},
    {domain::Quantization::Nvfp4, "nvfp4", "4-bit floats, fp8 scale per 16 weights"},
});
}  // namespace gpushape

namespace gpushape::domain {

/// Type of KV cache entries. `Auto` is resolved before an estimate is made and never printed in
/// one.
enum class KvCacheType { Auto, Fp32, Bf16, Fp16, Fp8, Int8 };

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::KvCacheType> = std::to_array<NameRow<domain::KvCacheType>>({
    {domain::KvCacheType::Auto, "auto",
     "what the engine takes by itself: the model's dtype unless the checkpoint says otherwise"},
    {domain::KvCacheType::Fp32, "fp32", "4 bytes a value"},
    {domain::KvCacheType::Bf16, "bf16", "2 bytes a value"},
    {domain::KvCacheType::Fp16, "fp16", "2 bytes a value"},
    {domain::KvCacheType::Fp8, "fp8", "1 byte a value"},
    {domain::KvCacheType::Int8, "int8", "1 byte a value"},
});
}  // namespace gpushape
