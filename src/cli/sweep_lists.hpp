// What a sweep varies, as its flags say it: lists separated by commas, and ranges of whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/values.hpp"
#include "domain/engine.hpp"
#include "domain/quantization.hpp"

namespace gpushape::cli {

/// An empty list varies nothing.
struct SweepLists {
  std::vector<std::optional<domain::Quantization>> quantizations;  ///< without a value: as stored
  std::vector<domain::KvCacheType> kv_cache_types;
  std::vector<std::int64_t> contexts;
  std::vector<std::int64_t> concurrencies;
  std::vector<std::string> engines;
  std::vector<domain::EngineVersion> versions;
  std::vector<std::int64_t> tensor;
  std::vector<std::int64_t> pipeline;
  std::vector<std::int64_t> data;
  std::vector<std::int64_t> expert;
  std::vector<std::int64_t> max_num_seqs;
  std::vector<std::int64_t> max_num_batched_tokens;
  std::vector<double> utilizations;
};

/// Which of so many equal parts of the rows; both count from 1.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

/// Adds the elements of "4k,8k", "2k..128k" (doubled from one end to the other) and "8..64+8" (in
/// steps). `parse` reads one of the numbers.
Diagnostics add_counts(std::vector<std::int64_t>& list, const Given& given,
                       Result<std::int64_t> (*parse)(const Given&));
Diagnostics add_quantizations(std::vector<std::optional<domain::Quantization>>& list,
                              const Given& given);
Diagnostics add_kv_cache_types(std::vector<domain::KvCacheType>& list, const Given& given);
Diagnostics add_versions(std::vector<domain::EngineVersion>& list, const Given& given);
Diagnostics add_utilizations(std::vector<double>& list, const Given& given);
Diagnostics add_words(std::vector<std::string>& list, const Given& given);
/// "3/8".
Result<Shard> parse_shard(const Given& given);

}  // namespace gpushape::cli
