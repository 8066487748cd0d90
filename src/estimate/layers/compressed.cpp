// Compressed attention (DeepSeek-V4): every layer keeps a window; a layer that compresses keeps one
// entry per `ratio` tokens behind it, and the float32 state of the entry that is not complete; with
// an indexer the same twice, once more for the indexer's keys. An entry is 8 bits for what is not
// rotated, 16 bits for what is, and 8 bytes of scales: 448 + 128 + 8 = 584 bytes. Pages are rounded
// up to what the kernel's loads want.
//
// Blocks: 256 tokens behind the window, 64 of the window, and 4 or 8 of the state, whose pages then
// come out alike. The state of ratio 4 spans two neighbours (window 8) and keeps values and scores
// of both; that of other ratios spans one. Source: vLLM
// models/deepseek_v4/{attention,compressor}.py and v1/attention/backends/mla/sparse_swa.py
// (get_kv_cache_spec).
//
// Where entries pool whole groups (DeepSeek-V4.1): few layers make entries, one block of 64 or 128
// tokens holds them, windows have blocks of 32, and a ring of the group that is not full is one
// block of a request. Source: vLLM models/deepseek_v4_1/{attention,compressor,sparse_mla}.py.
#include <algorithm>
#include <bit>

#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

constexpr std::int64_t kBlockTokens = 256;
constexpr std::int64_t kWindowBlockTokens = 64;
constexpr std::int64_t kPageUnit = 576;
constexpr std::int64_t kScaleBytes = 8;
constexpr std::int64_t kValuesPerScale = 16;  // of the 4-bit form
constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kOverlappingRatio = 4;

std::int64_t page(std::int64_t bytes) { return divide_up(bytes, kPageUnit) * kPageUnit; }

std::int64_t entry_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
  const std::int64_t rotated = attention.latent ? attention.latent->rope_dim : 0;
  const std::int64_t unrotated = attention.head_dim - rotated;
  if (geometry.type == domain::KvCacheType::Nvfp4Latent)
    return divide_up(unrotated, 2) + divide_up(unrotated, kValuesPerScale) + 2 * rotated;
  return unrotated + 2 * rotated + kScaleBytes;
}

// DeepSeek-V4.1. Of 4 bits, windows have 8-bit values with an exponent each 32, entries 4-bit
// values with a scale each 16, and pages are rounded up by less.
constexpr std::int64_t kPooledWindowBlockTokens = 32;
constexpr std::int64_t kValuesPerExponent = 32;
constexpr std::int64_t kLeastRing = 8;

struct EntryPages {
  std::int64_t window_entry = 0;
  std::int64_t window_unit = kPageUnit;
  std::int64_t entry = 0;
  std::int64_t unit = kPageUnit;
};

EntryPages pooled_pages(const domain::Attention& attention, const CacheGeometry& geometry) {
  const std::int64_t width = attention.head_dim;
  if (geometry.type == domain::KvCacheType::Nvfp4Latent) {
    return {.window_entry = width + divide_up(width, kValuesPerExponent),
            .window_unit = 512,
            .entry = divide_up(width, 2) + divide_up(width, kValuesPerScale),
            .unit = 256};
  }
  const std::int64_t entry = entry_bytes(attention, geometry);
  return {.window_entry = entry, .entry = entry};
}

std::int64_t ring_blocks(const CacheSpec& /*spec*/, const CacheGeometry& /*geometry*/,
                         std::int64_t /*tokens*/) {
  return 1;
}

/// Values and scores of a group that is not full, as many rows as a step with drafts adds, a power
/// of two.
CacheSpec ring_of(std::int64_t width, const CacheGeometry& geometry) {
  const std::int64_t rows = std::max<std::int64_t>(
      kLeastRing, std::int64_t(std::bit_ceil(std::uint64_t(geometry.draft_tokens) + 2)));
  return {.held = ring_blocks,
          .page_bytes = rows * 2 * width * kFloatBytes,
          .block_tokens = rows,
          .is_compressed = true};
}

std::int64_t rounded(std::int64_t bytes, std::int64_t unit) {
  return divide_up(bytes, unit) * unit;
}

/// A window in every layer; entries and the indexer's keys in those that make them.
void keep_pooled(const domain::Attention& attention, const CacheGeometry& geometry,
                 std::vector<CacheSpec>& specs) {
  const domain::Compression& compression = *attention.compression;
  const EntryPages pages = pooled_pages(attention, geometry);
  specs.push_back(
      {.held = sliding_held_blocks,
       .page_bytes = rounded(kPooledWindowBlockTokens * pages.window_entry, pages.window_unit),
       .block_tokens = kPooledWindowBlockTokens,
       .window_tokens = attention.window_tokens,
       .is_compressed = true});
  if (compression.ratio == 0 || compression.is_shared) return;
  const std::int64_t block = std::max(geometry.pooled_block_tokens, compression.ratio);
  const std::int64_t entries = block / compression.ratio;
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = rounded(entries * pages.entry, pages.unit),
                   .block_tokens = block,
                   .is_compressed = true});
  if (compression.ratio > 1) specs.push_back(ring_of(attention.head_dim, geometry));
  if (!attention.indexer || attention.indexer->is_shared || attention.indexer->borrows_keys) return;
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = page(entries * indexer_token_bytes(*attention.indexer)),
                   .block_tokens = block,
                   .is_compressed = true});
}

/// State of the entries under construction: values and scores, of both neighbours where they
/// overlap.
CacheSpec state_of(std::int64_t ratio, std::int64_t width) {
  const bool is_overlapping = ratio == kOverlappingRatio;
  const std::int64_t neighbours = is_overlapping ? 2 : 1;
  const std::int64_t block = is_overlapping ? 4 : 8;
  return {.held = sliding_held_blocks,
          .page_bytes = page(block * 2 * neighbours * width * kFloatBytes),
          .block_tokens = block,
          .window_tokens = neighbours * ratio,
          .is_compressed = true};
}

}  // namespace

void keep_compressed(const domain::Layer& /*layer*/, const domain::Attention& attention,
                     const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  if (attention.compression && attention.compression->pools_groups) {
    keep_pooled(attention, geometry, specs);
    return;
  }
  const std::int64_t entry = entry_bytes(attention, geometry);
  const std::int64_t ratio = attention.compression ? attention.compression->ratio : 0;
  specs.push_back({.held = sliding_held_blocks,
                   .page_bytes = page(kWindowBlockTokens * entry),
                   .block_tokens = kWindowBlockTokens,
                   .window_tokens = attention.window_tokens,
                   .is_compressed = true});
  if (ratio <= 1) return;
  const std::int64_t entries = kBlockTokens / ratio;
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = page(entries * entry),
                   .block_tokens = kBlockTokens,
                   .is_compressed = true});
  specs.push_back(state_of(ratio, attention.head_dim));
  if (!attention.indexer || attention.indexer->is_shared) return;
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = page(entries * indexer_token_bytes(*attention.indexer)),
                   .block_tokens = kBlockTokens,
                   .is_compressed = true});
  specs.push_back(state_of(ratio, attention.indexer->head_dim));
}

}  // namespace gpushape::estimate::layers
