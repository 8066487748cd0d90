// The ways in which people and engines spell a quantization or a KV cache type.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/quantization.hpp"

namespace gpushape::catalog {

/// One accepted spelling beside the published name.
struct QuantizationSpelling {
  std::string_view spelling;
  domain::Quantization value;
};
struct KvCacheSpelling {
  std::string_view spelling;
  domain::KvCacheType value;
};

/// In display order; all lower case.
std::span<const QuantizationSpelling> quantization_spellings();
std::span<const KvCacheSpelling> kv_cache_spellings();

/// A published name or a spelling; letter case does not matter and `_` is `-`.
Result<domain::Quantization> parse_quantization(std::string_view word);
Result<domain::KvCacheType> parse_kv_cache_type(std::string_view word);

}  // namespace gpushape::catalog
