// How entries of a KV cache are stored: the published vocabulary, and what one head's key or value
// takes under each type.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/name_table.hpp"

namespace gpushape::domain {

/// Type of KV cache entries. `Auto` is resolved before an estimate is made and never printed in
/// one.
enum class KvCacheType {
  Auto,
  Fp32,
  Bf16,
  Fp16,
  Fp8,           ///< e4m3 or e5m2; one scale a layer, which loads with the weights
  Fp8TokenHead,  ///< e4m3, a scale per token and head
  Fp8Latent,     ///< vLLM's fp8_ds_mla: latents in 8 bits, the rotated part in 16
  Int8,          ///< a scale per token and head; TensorRT-LLM: one a layer
  Int4,          ///< a scale per token and head
  Nvfp4,
  Nvfp4Latent,  ///< vLLM's nvfp4_ds_mla
  TurboK8V4,    ///< vLLM's turboquant presets: keys in 8 bits, values in 4 …
  TurboK4V4,
  TurboK3V4,
  TurboK3V3,
  Q8_0,  ///< block types of llama.cpp
  Q5_1,
  Q5_0,
  Q4_1,
  Q4_0,
  Iq4Nl,
};

/// What the keys (or the values) of one token and head cost.
struct KvSide {
  int bits = 16;        ///< of one value
  int block = 0;        ///< values that share a scale; 0 for the whole head
  int scale_bytes = 0;  ///< of one block, or of the head

  bool operator==(const KvSide&) const = default;
};

struct KvCacheFormat {
  KvCacheType type = KvCacheType::Bf16;
  KvSide key;
  KvSide value;
  /// Keys and values of a head lie in one slot of an even number of bytes (turboquant).
  bool is_slotted = false;
  std::string_view source;

  bool operator==(const KvCacheFormat&) const = default;
};

namespace detail {
constexpr KvCacheFormat both(KvCacheType type, KvSide side, std::string_view source) {
  return {.type = type, .key = side, .value = side, .source = source};
}
inline constexpr std::string_view kTokenHead =
    "vLLM v1/kv_cache_interface.py: a float32 scale for each token, head and side";
inline constexpr std::string_view kTurboQuant =
    "vLLM quantization/turboquant/config.py: 2-byte norm per key of 3 or 4 bits, 16-bit scale and "
    "zero point per value";
inline constexpr std::string_view kGgmlBlocks = "ggml block types (ggml-common.h)";
}  // namespace detail

/// One row per KvCacheType but Auto, in its order. Of the latent types this is what the latent
/// itself takes; the whole slot is the engine's layout.
inline constexpr auto kKvCacheFormats = std::to_array<KvCacheFormat>({
    detail::both(KvCacheType::Fp32, {.bits = 32}, "IEEE 754 binary32"),
    detail::both(KvCacheType::Bf16, {.bits = 16}, "bfloat16"),
    detail::both(KvCacheType::Fp16, {.bits = 16}, "IEEE 754 binary16"),
    detail::both(KvCacheType::Fp8, {.bits = 8}, "vLLM --kv-cache-dtype fp8: scales per layer"),
    detail::both(KvCacheType::Fp8TokenHead, {.bits = 8, .scale_bytes = 4}, detail::kTokenHead),
    detail::both(KvCacheType::Fp8Latent, {.bits = 8, .block = 128, .scale_bytes = 4},
                 "vLLM v1/attention/backends/mla/flashmla_sparse.py: a float32 scale per 128"),
    detail::both(KvCacheType::Int8, {.bits = 8, .scale_bytes = 4}, detail::kTokenHead),
    detail::both(KvCacheType::Int4, {.bits = 4, .scale_bytes = 4}, detail::kTokenHead),
    detail::both(KvCacheType::Nvfp4, {.bits = 4, .block = 16, .scale_bytes = 1},
                 "vLLM utils/torch_utils.py, nvfp4_kv_cache_full_dim: an 8-bit scale per 16"),
    detail::both(KvCacheType::Nvfp4Latent, {.bits = 4, .block = 16, .scale_bytes = 1},
                 "vLLM --kv-cache-dtype nvfp4_ds_mla: an 8-bit scale per 16"),
    {.type = KvCacheType::TurboK8V4,
     .key = {.bits = 8},
     .value = {.bits = 4, .scale_bytes = 4},
     .is_slotted = true,
     .source = detail::kTurboQuant},
    {.type = KvCacheType::TurboK4V4,
     .key = {.bits = 4, .scale_bytes = 2},
     .value = {.bits = 4, .scale_bytes = 4},
     .is_slotted = true,
     .source = detail::kTurboQuant},
    {.type = KvCacheType::TurboK3V4,
     .key = {.bits = 3, .scale_bytes = 2},
     .value = {.bits = 4, .scale_bytes = 4},
     .is_slotted = true,
     .source = detail::kTurboQuant},
    {.type = KvCacheType::TurboK3V3,
     .key = {.bits = 3, .scale_bytes = 2},
     .value = {.bits = 3, .scale_bytes = 4},
     .is_slotted = true,
     .source = detail::kTurboQuant},
    detail::both(KvCacheType::Q8_0, {.bits = 8, .block = 32, .scale_bytes = 2},
                 detail::kGgmlBlocks),
    detail::both(KvCacheType::Q5_1, {.bits = 5, .block = 32, .scale_bytes = 4},
                 detail::kGgmlBlocks),
    detail::both(KvCacheType::Q5_0, {.bits = 5, .block = 32, .scale_bytes = 2},
                 detail::kGgmlBlocks),
    detail::both(KvCacheType::Q4_1, {.bits = 4, .block = 32, .scale_bytes = 4},
                 detail::kGgmlBlocks),
    detail::both(KvCacheType::Q4_0, {.bits = 4, .block = 32, .scale_bytes = 2},
                 detail::kGgmlBlocks),
    detail::both(KvCacheType::Iq4Nl, {.bits = 4, .block = 32, .scale_bytes = 2},
                 detail::kGgmlBlocks),
});

/// Of a resolved type; Auto is answered with 16 bits.
constexpr const KvCacheFormat& kv_cache_format(KvCacheType type) {
  for (const KvCacheFormat& row : kKvCacheFormats) {
    if (row.type == type) return row;
  }
  return kKvCacheFormats[1];
}

/// Bytes of `width` values of one head.
constexpr std::int64_t bytes_of(const KvSide& side, std::int64_t width) {
  const std::int64_t scales = side.block > 0 ? (width + side.block - 1) / side.block : 1;
  return (width * side.bits + 7) / 8 + scales * side.scale_bytes;
}

/// Bytes that one token keeps for one head: its key and its value.
constexpr std::int64_t bytes_per_head(const KvCacheFormat& format, std::int64_t key_width,
                                      std::int64_t value_width) {
  const std::int64_t slot = bytes_of(format.key, key_width) + bytes_of(format.value, value_width);
  return format.is_slotted ? (slot + 1) / 2 * 2 : slot;
}

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
    {domain::KvCacheType::Fp8TokenHead, "fp8-per-token-head",
     "1 byte a value, a scale per token and head"},
    {domain::KvCacheType::Fp8Latent, "fp8-ds-mla",
     "latents in 8 bits with their scales, the rotated part in 16"},
    {domain::KvCacheType::Int8, "int8",
     "1 byte a value, a scale per token and head (TensorRT-LLM: one a layer)"},
    {domain::KvCacheType::Int4, "int4", "4 bits a value, a scale per token and head"},
    {domain::KvCacheType::Nvfp4, "nvfp4", "4 bits a value, an 8-bit scale per 16 values"},
    {domain::KvCacheType::Nvfp4Latent, "nvfp4-ds-mla", "latents in 4 bits with their scales"},
    {domain::KvCacheType::TurboK8V4, "turboquant-k8v4", "keys in 8 bits, values in 4"},
    {domain::KvCacheType::TurboK4V4, "turboquant-4bit", "keys and values in 4 bits"},
    {domain::KvCacheType::TurboK3V4, "turboquant-k3v4", "keys in 3 bits, values in 4"},
    {domain::KvCacheType::TurboK3V3, "turboquant-3bit", "keys and values in 3 bits"},
    {domain::KvCacheType::Q8_0, "q8_0", "llama.cpp: 34 bytes per 32 values"},
    {domain::KvCacheType::Q5_1, "q5_1", "llama.cpp: 24 bytes per 32 values"},
    {domain::KvCacheType::Q5_0, "q5_0", "llama.cpp: 22 bytes per 32 values"},
    {domain::KvCacheType::Q4_1, "q4_1", "llama.cpp: 20 bytes per 32 values"},
    {domain::KvCacheType::Q4_0, "q4_0", "llama.cpp: 18 bytes per 32 values"},
    {domain::KvCacheType::Iq4Nl, "iq4_nl", "llama.cpp: 18 bytes per 32 values"},
});
}  // namespace gpushape
