// Latent attention: a token keeps its latent and the rotated part of its key, once for all heads
// and the same on every rank. With an indexer, 8-bit caches have a layout of their own (latent in 8
// bits with a float32 scale per 128 values, the rotated part in 16 bits: 512 + 16 + 128 = 656 bytes
// for DeepSeek-V3.2), and the indexer keeps a second cache: one key of 8 bits with a scale per 128.
// FlashInfer's kernels for Blackwell take all values in 8 bits instead: 576 bytes.
// Source: vLLM v1/kv_cache_interface.py, MLAAttentionSpec; v1/attention/backends/mla/indexer.py.
#include <algorithm>

#include "estimate/cache_types.hpp"
#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

constexpr std::int64_t kLatentValuesPerScale = 128;
constexpr std::int64_t kLatentScaleBytes = 4;
constexpr std::int64_t kRotatedBytes = 2;

}  // namespace

std::int64_t latent_token_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
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
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = block * indexer_token_bytes(*attention.indexer) /
                                 std::max<std::int64_t>(1, attention.indexer->tokens_per_key),
                   .block_tokens = block});
}

}  // namespace gpushape::estimate::layers
