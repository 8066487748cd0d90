// A checkpoint in several safetensors files that are numbered ("model-00002-of-00004.safetensors")
// and have no index beside them: the series is read as a whole, or the files that lack are named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalog/tensor_listing.hpp"

namespace gpushape::catalog {

/// What the name of a numbered file says.
struct ShardSeries {
  std::string base;        ///< "model"
  std::string total_text;  ///< "00004", with its zeros
  std::int64_t total = 0;

  bool operator==(const ShardSeries&) const = default;
};

/// Nothing for a file that is no part of several.
std::optional<ShardSeries> shard_series(const std::filesystem::path& file);

/// The series that `files` are of, each once, in their order.
std::vector<ShardSeries> series_among(const std::vector<std::filesystem::path>& files);

/// The headers of all files of a series. One that is missing is an error that names it.
Result<TensorListing> read_safetensors_series(const std::filesystem::path& folder,
                                              const ShardSeries& series);

}  // namespace gpushape::catalog
