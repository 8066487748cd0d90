#include "catalog/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "catalog/config.hpp"
#include "catalog/gguf.hpp"
#include "catalog/safetensors.hpp"
#include "catalog/stored_weights.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::string_view kWeightsEnding = ".safetensors";
constexpr std::string_view kConfigName = "config.json";

Diagnostics snapshot_fault(const fs::path& path, std::string message, std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = path.string();
  return {std::move(diagnostic)};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Files of the folder with that ending, sorted.
std::vector<fs::path> files_with(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().ends_with(ending)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

/// "model" of "model-00002-of-00004.safetensors"; nothing for a file that is no part of several.
std::optional<std::string> shard_base(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t of = stem.rfind("-of-");
  const std::size_t dash = of == std::string::npos || of == 0 ? of : stem.rfind('-', of - 1);
  if (of == std::string::npos || dash == std::string::npos) return std::nullopt;
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view whole = stem;
  if (!is_number(whole.substr(dash + 1, of - dash - 1)) || !is_number(whole.substr(of + 4)))
    return std::nullopt;
  return stem.substr(0, dash);
}

Result<TensorListing> read_weights(const fs::path& file) {
  if (file.string().ends_with(kIndexEnding)) return read_safetensors_index_file(file.string());
  const std::optional<std::string> base = shard_base(file);
  if (base) {
    const fs::path index = file.parent_path() / (*base + std::string(kIndexEnding));
    if (is_there(index)) return read_safetensors_index_file(index.string());
  }
  Result<TensorListing> listing = read_safetensors(file.string());
  if (listing && base) {
    listing->notes.push_back(fmt::format(
        "{} is one file of several, and their index is not beside it: the others are not counted",
        listing->source));
  }
  return listing;
}

/// The weights that a config in this folder speaks of; nothing where there are none.
std::optional<fs::path> weights_in(const fs::path& folder) {
  for (const std::string_view name :
       {"model.safetensors.index.json", "model.safetensors", "consolidated.safetensors"}) {
    if (is_there(folder / name)) return folder / name;
  }
  const std::vector<fs::path> indexes = files_with(folder, kIndexEnding);
  if (indexes.size() == 1) return indexes.front();
  const std::vector<fs::path> files = files_with(folder, kWeightsEnding);
  if (files.size() == 1) return files.front();
  return std::nullopt;
}

Result<domain::Model> with_weights(const fs::path& config, const fs::path& weights,
                                   const std::string& path) {
  Result<domain::Model> model = read_config_path(config.string());
  if (!model) return model;
  const Result<TensorListing> listing = read_weights(weights);
  if (!listing) return std::unexpected(listing.error());
  hold_against(*listing, *model);
  model->id = path;
  model->origin = "safetensors header and config.json";
  return model;
}

Diagnostics weights_alone(const fs::path& file, const TensorListing& listing) {
  const std::string parts = listing.has_names_only
                                ? std::string()
                                : fmt::format(": {}", parts_text(sorted_parts(listing)));
  return snapshot_fault(
      file,
      fmt::format("'{}' has no config.json beside it: its {} tensors hold {:.2f} GiB{}; "
                  "but heads, window and context, and so the KV cache, cannot be told",
                  file.string(), listing.tensors.size(), Bytes(listing.bytes).gib(), parts),
      "put the config.json of the repository beside it, or name the model by its id");
}

Result<domain::Model> read_safetensors_source(const fs::path& file) {
  const fs::path config = file.parent_path() / kConfigName;
  if (is_there(config)) return with_weights(config, file, file.string());
  const Result<TensorListing> listing = read_weights(file);
  if (!listing) return std::unexpected(listing.error());
  return failure(weights_alone(file, *listing));
}

Result<domain::Model> read_folder(const std::string& path) {
  const fs::path folder = path;
  const fs::path config = folder / kConfigName;
  const std::optional<fs::path> weights = weights_in(folder);
  if (is_there(config)) {
    if (weights) return with_weights(config, *weights, path);
    return read_config_path(path);
  }
  if (weights) return read_safetensors_source(*weights);
  std::vector<fs::path> gguf = files_with(folder, ".gguf");
  std::erase_if(gguf, [](const fs::path& file) {
    const std::string name = file.filename().string();
    const std::optional<std::string> base = shard_base(file);
    return name.starts_with("mmproj") || (base && name.find("-00001-of-") == std::string::npos);
  });
  if (gguf.size() == 1) return read_gguf_model(gguf.front().string());
  if (gguf.size() > 1) {
    return failure(snapshot_fault(
        folder, fmt::format("folder '{}' holds {} GGUF models", folder.string(), gguf.size()),
        fmt::format("name one of them, such as '{}'", gguf.front().string())));
  }
  return failure(
      snapshot_fault(folder, fmt::format("folder '{}' has no config.json", folder.string()),
                     "give a folder that a model was downloaded into, or a config.json"));
}

}  // namespace

Result<domain::Model> read_source(const std::string& path) {
  std::error_code ignored;
  const fs::path file = path;
  if (fs::is_directory(file, ignored)) return read_folder(path);
  if (path.ends_with(kIndexEnding) || path.ends_with(kWeightsEnding))
    return read_safetensors_source(file);
  if (path.ends_with(".gguf")) return read_gguf_model(path);
  return read_config_path(path);
}

}  // namespace gpushape::catalog
