// Bytes of KV cache entries by type.
#pragma once

#include <cstdint>

#include "domain/kv_cache_type.hpp"

namespace gpushape::estimate {

/// What one token keeps for one head: its key and its value.
constexpr std::int64_t head_bytes(domain::KvCacheType type, std::int64_t key_width,
                                  std::int64_t value_width) {
  return domain::bytes_per_head(domain::kv_cache_format(type), key_width, value_width);
}

/// What one token keeps of `width` values that serve as key and value at once.
constexpr std::int64_t side_bytes(domain::KvCacheType type, std::int64_t width) {
  return domain::bytes_of(domain::kv_cache_format(type).key, width);
}

}  // namespace gpushape::estimate
