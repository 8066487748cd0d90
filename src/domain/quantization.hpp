// How weights and cache entries are stored: the published vocabulary.
//
// A Quantization names what the *linear layers* of a checkpoint hold. What stays in 16 bits beside
// them (embeddings, head, norms, listed exceptions) is part of a model's WeightFormat; what a
// weight takes is its row in weight_scheme.hpp.
#pragma once

#include <array>

#include "base/name_table.hpp"
#include "domain/kv_cache_type.hpp"

namespace gpushape::domain {

enum class Quantization {
  Fp32,
  Bf16,
  Fp16,
  Fp8,         ///< e4m3, one scale per tensor
  Fp8Channel,  ///< e4m3, one scale per output row
  Fp8Block,    ///< e4m3, one scale per 128 x 128 block
  Mxfp8,       ///< 8-bit floats, 8-bit exponent per 32 weights
  Int8,        ///< w8a8, one scale per output row
  Int8Weight,  ///< w8a16: activations stay in 16 bits, one 16-bit scale per output row
  Int4,        ///< w4a16 group 128, symmetric: compressed-tensors "pack-quantized"
  Int4Act8,    ///< w4a8: 4-bit weights under 8-bit activations
  GptqInt8,    ///< AutoGPTQ packing, 8 bits: weight-only, groups, zero points, order of inputs
  GptqInt4,
  GptqInt3,
  GptqInt2,
  Awq,  ///< 4 bits, group 128, with zero points
  BnbInt8,
  BnbNf4,
  BnbNf4Double,
  Mxfp6,  ///< 6-bit floats, 8-bit exponent per 32 weights
  Mxfp4,
  Nvfp4,
  BitNet,   ///< ternary weights, four a byte, one scale per tensor
  MlxInt2,  ///< MLX's integers of bits that no other scheme has, a scale and a bias per 64 inputs
  MlxInt3,
  MlxInt5,
  MlxInt6,
  // Block types of GGUF files, under llama.cpp's names.
  Q1_0,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2K,
  Q3K,
  Q4K,
  Q5K,
  Q6K,
  Q8K,
  Iq1S,
  Iq1M,
  Iq2Xxs,
  Iq2Xs,
  Iq2S,
  Iq3Xxs,
  Iq3S,
  Iq4Nl,
  Iq4Xs,
  Tq1_0,
  Tq2_0,
  // Mixes of them, as llama.cpp's quantize names them: the type of most tensors, others by rule.
  MixQ2KS,
  MixQ3KS,
  MixQ3KM,
  MixQ3KL,
  MixQ4KS,
  MixQ4KM,
  MixQ5KS,
  MixQ5KM,
  MixIq2M,
  MixIq3Xs,
  MixIq3M,
  MixMxfp4,
  // The same with embedding and head in Q8_0.
  MixQ2KL,
  MixQ3KXl,
  MixQ4KL,
  MixQ5KL,
  MixQ6KL,
  // Recipes of a publisher, tensor by tensor for each model; the mix that each is nearest to.
  UdIq1S,
  UdIq1M,
  UdTq10,
  UdIq2Xxs,
  UdIq2M,
  UdQ2KXl,
  UdIq3Xxs,
  UdIq3S,
  UdQ3KXl,
  UdIq4Xs,
  UdQ4KXl,
  UdQ5KXl,
  UdQ6KXl,
  UdQ8KXl,
};

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
    {domain::Quantization::Mxfp8, "mxfp8", "8-bit floats, 8-bit exponent per 32 weights"},
    {domain::Quantization::Int8, "int8", "w8a8: 8-bit integers, one scale per output row"},
    {domain::Quantization::Int8Weight, "w8a16",
     "8-bit integers, weight-only, one 16-bit scale per output row"},
    {domain::Quantization::Int4, "int4", "w4a16: 4-bit integers, one 16-bit scale per 128 inputs"},
    {domain::Quantization::Int4Act8, "w4a8", "4-bit integers under 8-bit activations"},
    {domain::Quantization::GptqInt8, "gptq-int8", "GPTQ with 8 bits: weight-only, group 128"},
    {domain::Quantization::GptqInt4, "gptq-int4", "GPTQ with 4 bits, group 128"},
    {domain::Quantization::GptqInt3, "gptq-int3", "GPTQ with 3 bits, group 128"},
    {domain::Quantization::GptqInt2, "gptq-int2", "GPTQ with 2 bits, group 128"},
    {domain::Quantization::Awq, "awq", "4-bit integers with zero points, group 128"},
    {domain::Quantization::BnbInt8, "bnb-int8", "bitsandbytes 8-bit"},
    {domain::Quantization::BnbNf4, "bnb-nf4", "bitsandbytes nf4, 32-bit scale per 64 weights"},
    {domain::Quantization::BnbNf4Double, "bnb-nf4-double",
     "bitsandbytes nf4, double quantized scales"},
    {domain::Quantization::Mxfp6, "mxfp6", "6-bit floats, 8-bit exponent per 32 weights"},
    {domain::Quantization::Mxfp4, "mxfp4", "4-bit floats, 8-bit exponent per 32 weights"},
    {domain::Quantization::Nvfp4, "nvfp4", "4-bit floats, fp8 scale per 16 weights"},
    {domain::Quantization::BitNet, "bitnet", "ternary weights, four a byte, one scale per tensor"},
    {domain::Quantization::MlxInt2, "mlx-2bit", "MLX: 2-bit integers in groups of 64"},
    {domain::Quantization::MlxInt3, "mlx-3bit", "MLX: 3-bit integers in groups of 64"},
    {domain::Quantization::MlxInt5, "mlx-5bit", "MLX: 5-bit integers in groups of 64"},
    {domain::Quantization::MlxInt6, "mlx-6bit", "MLX: 6-bit integers in groups of 64"},
    {domain::Quantization::Q1_0, "q1_0", "GGUF: 18 bytes per 128 weights"},
    {domain::Quantization::Q4_0, "q4_0", "GGUF: 18 bytes per 32 weights"},
    {domain::Quantization::Q4_1, "q4_1", "GGUF: 20 bytes per 32 weights"},
    {domain::Quantization::Q5_0, "q5_0", "GGUF: 22 bytes per 32 weights"},
    {domain::Quantization::Q5_1, "q5_1", "GGUF: 24 bytes per 32 weights"},
    {domain::Quantization::Q8_0, "q8_0", "GGUF: 34 bytes per 32 weights"},
    {domain::Quantization::Q2K, "q2_k", "GGUF: 84 bytes per 256 weights"},
    {domain::Quantization::Q3K, "q3_k", "GGUF: 110 bytes per 256 weights"},
    {domain::Quantization::Q4K, "q4_k", "GGUF: 144 bytes per 256 weights"},
    {domain::Quantization::Q5K, "q5_k", "GGUF: 176 bytes per 256 weights"},
    {domain::Quantization::Q6K, "q6_k", "GGUF: 210 bytes per 256 weights"},
    {domain::Quantization::Q8K, "q8_k", "GGUF: 292 bytes per 256 weights"},
    {domain::Quantization::Iq1S, "iq1_s", "GGUF: 50 bytes per 256 weights"},
    {domain::Quantization::Iq1M, "iq1_m", "GGUF: 56 bytes per 256 weights"},
    {domain::Quantization::Iq2Xxs, "iq2_xxs", "GGUF: 66 bytes per 256 weights"},
    {domain::Quantization::Iq2Xs, "iq2_xs", "GGUF: 74 bytes per 256 weights"},
    {domain::Quantization::Iq2S, "iq2_s", "GGUF: 82 bytes per 256 weights"},
    {domain::Quantization::Iq3Xxs, "iq3_xxs", "GGUF: 98 bytes per 256 weights"},
    {domain::Quantization::Iq3S, "iq3_s", "GGUF: 110 bytes per 256 weights"},
    {domain::Quantization::Iq4Nl, "iq4_nl", "GGUF: 18 bytes per 32 weights"},
    {domain::Quantization::Iq4Xs, "iq4_xs", "GGUF: 136 bytes per 256 weights"},
    {domain::Quantization::Tq1_0, "tq1_0", "GGUF: 54 bytes per 256 weights"},
    {domain::Quantization::Tq2_0, "tq2_0", "GGUF: 66 bytes per 256 weights"},
    {domain::Quantization::MixQ2KS, "q2_k_s", "GGUF mix: Q2_K, some tensors in Q4_K"},
    {domain::Quantization::MixQ3KS, "q3_k_s", "GGUF mix: Q3_K, the head in Q6_K"},
    {domain::Quantization::MixQ3KM, "q3_k_m", "GGUF mix: Q3_K, some tensors in Q4_K and Q5_K"},
    {domain::Quantization::MixQ3KL, "q3_k_l", "GGUF mix: Q3_K, some tensors in Q5_K"},
    {domain::Quantization::MixQ4KS, "q4_k_s", "GGUF mix: Q4_K, some tensors in Q5_K"},
    {domain::Quantization::MixQ4KM, "q4_k_m",
     "GGUF mix: Q4_K, half of attention's values and "
     "down projections in Q6_K"},
    {domain::Quantization::MixQ5KS, "q5_k_s", "GGUF mix: Q5_K, the head in Q6_K"},
    {domain::Quantization::MixQ5KM, "q5_k_m",
     "GGUF mix: Q5_K, half of attention's values and "
     "down projections in Q6_K"},
    {domain::Quantization::MixIq2M, "iq2_m", "GGUF mix: IQ2_S, some tensors in IQ3_S"},
    {domain::Quantization::MixIq3Xs, "iq3_xs", "GGUF mix: IQ3_S, some tensors in IQ3_XXS"},
    {domain::Quantization::MixIq3M, "iq3_m", "GGUF mix: IQ3_S, some tensors in Q4_K"},
    {domain::Quantization::MixMxfp4, "mxfp4_moe", "GGUF mix: experts in MXFP4, the rest in Q8_0"},
    {domain::Quantization::MixQ2KL, "q2_k_l", "GGUF mix: Q2_K, embedding and head in Q8_0"},
    {domain::Quantization::MixQ3KXl, "q3_k_xl", "GGUF mix: Q3_K_L, embedding and head in Q8_0"},
    {domain::Quantization::MixQ4KL, "q4_k_l", "GGUF mix: Q4_K_M, embedding and head in Q8_0"},
    {domain::Quantization::MixQ5KL, "q5_k_l", "GGUF mix: Q5_K_M, embedding and head in Q8_0"},
    {domain::Quantization::MixQ6KL, "q6_k_l", "GGUF mix: Q6_K, embedding and head in Q8_0"},
    {domain::Quantization::UdIq1S, "ud-iq1_s", "Unsloth's dynamic GGUF, near IQ1_S"},
    {domain::Quantization::UdIq1M, "ud-iq1_m", "Unsloth's dynamic GGUF, near IQ1_M"},
    {domain::Quantization::UdTq10, "ud-tq1_0", "Unsloth's dynamic GGUF, near TQ1_0"},
    {domain::Quantization::UdIq2Xxs, "ud-iq2_xxs", "Unsloth's dynamic GGUF, near IQ2_XXS"},
    {domain::Quantization::UdIq2M, "ud-iq2_m", "Unsloth's dynamic GGUF, near IQ2_M"},
    {domain::Quantization::UdQ2KXl, "ud-q2_k_xl", "Unsloth's dynamic GGUF, near Q2_K"},
    {domain::Quantization::UdIq3Xxs, "ud-iq3_xxs", "Unsloth's dynamic GGUF, near IQ3_XXS"},
    {domain::Quantization::UdIq3S, "ud-iq3_s", "Unsloth's dynamic GGUF, near IQ3_S"},
    {domain::Quantization::UdQ3KXl, "ud-q3_k_xl", "Unsloth's dynamic GGUF, near Q3_K_M"},
    {domain::Quantization::UdIq4Xs, "ud-iq4_xs", "Unsloth's dynamic GGUF, near IQ4_XS"},
    {domain::Quantization::UdQ4KXl, "ud-q4_k_xl", "Unsloth's dynamic GGUF, near Q4_K_M"},
    {domain::Quantization::UdQ5KXl, "ud-q5_k_xl", "Unsloth's dynamic GGUF, near Q5_K_M"},
    {domain::Quantization::UdQ6KXl, "ud-q6_k_xl", "Unsloth's dynamic GGUF, near Q6_K"},
    {domain::Quantization::UdQ8KXl, "ud-q8_k_xl", "Unsloth's dynamic GGUF, near Q8_0"},
});
}  // namespace gpushape
