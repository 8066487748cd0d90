// Latent attention: a token keeps its latent and the rotated part of its key, once for all heads
// and the same on every rank. With an indexer, 8-bit caches have a layout of their own (latent in 8
// bits with a float32 scale per 128 values, the rotated part in 16 bits: 512 + 16 + 128 = 656 bytes
// for DeepSeek-V3.2), and the indexer keeps a second cache: one key of 8 bits with a scale per 128.
// FlashInfer's kernels for Blackwell take all values in 8 bits instead: 576 bytes.
// Beside states, a key of several tokens lies in the page of its latents, in blocks of 32 keys, and
// the tokens of the next key have a block of their own: GLM-5.3-Flash on eight GPUs has blocks of
// 640 tokens and 11 x (640 x 1,024 + 160 x 132) bytes (81.79 GiB for 55.15 requests of 131,072
// tokens by a build of 0.28.1, 28.73 for 9.99 of 262,144 by one of 0.31.1).
// Engines without kernels for latents keep what they unfold to: a key of the unrotated and the
// rotated part, and a value, for every head. vLLM pads the value to the key's width, and both to
// 256 before 0.7.0 (https://github.com/vllm-project/vllm/pull/4650, 12067).
// Source: vLLM v1/kv_cache_interface.py, MLAAttentionSpec and KpoolTailSpec;
// v1/attention/backends/mla/indexer.py.
#include <algorithm>
#include <numeric>

#include "estimate/cache_types.hpp"
#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

constexpr std::int64_t kLatentValuesPerScale = 128;
constexpr std::int64_t kLatentScaleBytes = 4;
constexpr std::int64_t kRotatedBytes = 2;
constexpr std::int64_t kKeysOfBlock = 32;  // that kernels of indexers read at once

std::int64_t one_block(const CacheSpec& /*spec*/, const CacheGeometry& /*geometry*/,
                       std::int64_t /*tokens*/) {
  return 1;
}

std::int64_t unfolded_token_bytes(const domain::Attention& attention,
                                  const CacheGeometry& geometry) {
  const std::int64_t heads = std::max<std::int64_t>(1, attention.heads / geometry.tensor_parallel);
  if (geometry.unfolded_unit == 0)
    return heads * head_bytes(geometry, attention.head_dim, attention.value_head_dim);
  const std::int64_t widest = std::max(attention.head_dim, attention.value_head_dim);
  const std::int64_t width = divide_up(widest, geometry.unfolded_unit) * geometry.unfolded_unit;
  return heads * head_bytes(geometry, width, width);
}

bool shares_keys(const domain::Attention& attention) {
  return attention.indexer && !attention.indexer->is_shared &&
         attention.indexer->tokens_per_key > 1;
}

}  // namespace

std::int64_t latent_token_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
  if (geometry.unfolds_latents && !attention.indexer)
    return unfolded_token_bytes(attention, geometry);
  const domain::Latent latent = attention.latent.value_or(domain::Latent{});
  const bool is_sparse = attention.indexer && !geometry.keeps_sparse_latents_plain;
  const bool has_own_layout = geometry.type == domain::KvCacheType::Fp8Latent ||
                              (geometry.type == domain::KvCacheType::Fp8 && is_sparse);
  if (has_own_layout) {
    return latent.kv_rank + divide_up(latent.kv_rank, kLatentValuesPerScale) * kLatentScaleBytes +
           latent.rope_dim * kRotatedBytes;
  }
  const std::int64_t bytes = side_bytes(geometry, latent.kv_rank + latent.rope_dim);
  return divide_up(bytes, geometry.latent_entry_unit) * geometry.latent_entry_unit;
}

std::int64_t latent_block(const CacheGeometry& geometry) {
  return geometry.latent_block_tokens > 0 ? geometry.latent_block_tokens : geometry.block_tokens;
}

std::int64_t latent_block_unit(const domain::Attention& attention, const CacheGeometry& geometry) {
  const std::int64_t block = latent_block(geometry);
  return shares_keys(attention) ? std::lcm(block, kKeysOfBlock * attention.indexer->tokens_per_key)
                                : block;
}

CacheSpec indexer_tail(const domain::Attention& attention, const CacheGeometry& geometry) {
  return {.held = one_block,
          .page_bytes = attention.indexer->tokens_per_key * attention.indexer->head_dim *
                        geometry.dtype_bytes,
          .is_state = true};
}

std::int64_t indexer_token_bytes(const domain::Indexer& indexer) {
  return indexer.head_dim + divide_up(indexer.head_dim, kLatentValuesPerScale) * kLatentScaleBytes;
}

void keep_latent(const domain::Layer& /*layer*/, const domain::Attention& attention,
                 const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  const std::int64_t block = latent_block(geometry);
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = block * latent_token_bytes(attention, geometry),
                   .block_tokens = block});
  if (!attention.indexer || attention.indexer->is_shared) return;
  const std::int64_t keys = block * indexer_token_bytes(*attention.indexer) /
                            std::max<std::int64_t>(1, attention.indexer->tokens_per_key);
  if (geometry.has_states && shares_keys(attention)) {
    specs.back().page_bytes += keys;
    specs.push_back(indexer_tail(attention, geometry));
    return;
  }
  specs.push_back({.held = full_held_blocks, .page_bytes = keys, .block_tokens = block});
}

}  // namespace gpushape::estimate::layers
