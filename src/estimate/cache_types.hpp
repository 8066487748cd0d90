// Bytes of one KV cache entry by type.
#pragma once

#include <cstdint>

#include "domain/quantization.hpp"

namespace gpushape::estimate {

struct CacheType {
  std::int64_t value_bytes = 2;
  std::int64_t scale_bytes = 0;  ///< beside each head's keys and values of one token
};

constexpr CacheType cache_type(domain::KvCacheType type) {
  switch (type) {
    case domain::KvCacheType::Fp32:
      return {.value_bytes = 4, .scale_bytes = 0};
    case domain::KvCacheType::Fp8:  // one scale a layer, which loads with the weights
      return {.value_bytes = 1, .scale_bytes = 0};
    case domain::KvCacheType::Int8:  // vLLM: a float32 scale per token and head
      return {.value_bytes = 1, .scale_bytes = 4};
    default:
      break;
  }
  return {.value_bytes = 2, .scale_bytes = 0};
}

}  // namespace gpushape::estimate
