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
  std::string_view remark = {};  ///< what the word alone leaves open, and how it is read
};
struct KvCacheSpelling {
  std::string_view spelling;
  domain::KvCacheType value;
};

/// In display order; all lower case.
std::span<const QuantizationSpelling> quantization_spellings();
std::span<const KvCacheSpelling> kv_cache_spellings();

/// Words that ask for nothing but what the checkpoint has: `auto`, `none` (vLLM's and SGLang's
/// --quantization: the method that the config names, else its dtype) and `stored`.
bool is_as_stored(std::string_view word);

/// Of a word that tells no precision, what it is ("holds weights of several precisions"); empty for
/// any other word.
std::string why_no_quantization(std::string_view word);

/// A published name or a spelling; letter case does not matter and `_` is `-`.
Result<domain::Quantization> parse_quantization(std::string_view word);
Result<domain::KvCacheType> parse_kv_cache_type(std::string_view word);

}  // namespace gpushape::catalog
