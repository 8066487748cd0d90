// Bytes of KV cache entries by type, as the engine keeps its scales.
#pragma once

#include <cstdint>

#include "domain/kv_cache_type.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate {

/// What a type's entries take in this cache: with one scale for a whole tensor, which loads with
/// the weights, tokens keep none.
constexpr domain::KvCacheFormat entry_format(const CacheGeometry& geometry) {
  domain::KvCacheFormat format = domain::kv_cache_format(geometry.type);
  if (!geometry.has_tensor_scales) return format;
  if (format.key.block == 0) format.key.scale_bytes = 0;
  if (format.value.block == 0) format.value.scale_bytes = 0;
  return format;
}

/// What one token keeps for one head: its key and its value.
constexpr std::int64_t head_bytes(const CacheGeometry& geometry, std::int64_t key_width,
                                  std::int64_t value_width) {
  return domain::bytes_per_head(entry_format(geometry), key_width, value_width);
}

/// What one token keeps of `width` values that serve as key and value at once.
constexpr std::int64_t side_bytes(const CacheGeometry& geometry, std::int64_t width) {
  return domain::bytes_of(entry_format(geometry).key, width);
}

}  // namespace gpushape::estimate
