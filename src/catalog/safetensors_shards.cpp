#include "catalog/safetensors_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "catalog/safetensors.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOf = "-of-";

bool is_all_digits(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string shard_name(const ShardSeries& series, std::int64_t number) {
  return fmt::format("{}-{:0{}}-of-{}.safetensors", series.base, number, series.total_text.size(),
                     series.total_text);
}

Diagnostics missing_shards(const fs::path& folder, const ShardSeries& series,
                           const std::vector<std::string>& missing) {
  Diagnostic diagnostic = complaint(
      fmt::format("{} of the {} files of '{}' {} not there, and no index is: {} is missing",
                  missing.size(), series.total, shard_name(series, 1),
                  missing.size() == 1 ? "is" : "are", missing.front()),
      "fetch what is missing, or give the config.json alone: its scheme is sized then");
  diagnostic.span.file = (folder / missing.front()).string();
  return {std::move(diagnostic)};
}

}  // namespace

std::optional<ShardSeries> shard_series(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t of = stem.rfind(kOf);
  if (of == std::string::npos || of == 0) return std::nullopt;
  const std::size_t dash = stem.rfind('-', of - 1);
  if (dash == std::string::npos) return std::nullopt;
  const std::string_view whole = stem;
  const std::string_view total = whole.substr(of + kOf.size());
  if (!is_all_digits(whole.substr(dash + 1, of - dash - 1)) || !is_all_digits(total))
    return std::nullopt;
  ShardSeries series{.base = stem.substr(0, dash), .total_text = std::string(total)};
  std::from_chars(total.data(), total.data() + total.size(), series.total);
  if (series.total < 1) return std::nullopt;
  return series;
}

std::vector<ShardSeries> series_among(const std::vector<fs::path>& files) {
  std::vector<ShardSeries> found;
  for (const fs::path& file : files) {
    const std::optional<ShardSeries> series = shard_series(file);
    if (series && std::ranges::find(found, *series) == found.end()) found.push_back(*series);
  }
  return found;
}

Result<TensorListing> read_safetensors_series(const fs::path& folder, const ShardSeries& series) {
  if (series.total > static_cast<std::int64_t>(kMostFiles)) {
    return failure(fmt::format("'{}' says that it is one of {} files: more than any model has",
                               (folder / shard_name(series, 1)).string(), series.total));
  }
  std::vector<std::string> names;
  std::vector<std::string> missing;
  for (std::int64_t number = 1; number <= series.total; ++number) {
    names.push_back(shard_name(series, number));
    std::error_code ignored;
    if (!fs::exists(folder / names.back(), ignored)) missing.push_back(names.back());
  }
  if (!missing.empty()) return failure(missing_shards(folder, series, missing));
  Result<TensorListing> listing = read_safetensors_files(folder, names, names.front());
  if (!listing) return listing;
  listing->source = fmt::format("the {} files of {}", series.total, names.front());
  return listing;
}

}  // namespace gpushape::catalog
