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
#include "catalog/layer_series.hpp"
#include "catalog/other_folders.hpp"
#include "catalog/safetensors.hpp"
#include "catalog/safetensors_shards.hpp"
#include "catalog/shape_check.hpp"
#include "catalog/stored_modules.hpp"
#include "catalog/stored_weights.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::string_view kWeightsEnding = ".safetensors";

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

Result<TensorListing> read_weights(const fs::path& file) {
  if (file.string().ends_with(kIndexEnding)) return read_safetensors_index_file(file.string());
  const std::optional<ShardSeries> series = shard_series(file);
  if (!series) return read_safetensors(file.string());
  const fs::path index = file.parent_path() / (series->base + std::string(kIndexEnding));
  if (is_there(index)) return read_safetensors_index_file(index.string());
  return read_safetensors_series(file.parent_path(), *series);
}

/// The weights that a config in this folder speaks of; nothing where there are none, or several of
/// which none can be preferred.
std::optional<fs::path> weights_in(const fs::path& folder) {
  for (const std::string_view name :
       {"model.safetensors.index.json", "model.safetensors", "consolidated.safetensors"}) {
    if (is_there(folder / name)) return folder / name;
  }
  const std::vector<fs::path> indexes = files_with(folder, kIndexEnding);
  if (indexes.size() == 1) return indexes.front();
  const std::vector<fs::path> files = files_with(folder, kWeightsEnding);
  if (files.size() == 1) return files.front();
  std::vector<ShardSeries> series = series_among(files);
  if (series.size() > 1) std::erase_if(series, [](const auto& row) { return row.base != "model"; });
  if (series.size() != 1) return std::nullopt;
  return *std::ranges::find_if(
      files, [&](const fs::path& file) { return shard_series(file) == series.front(); });
}

Result<domain::Model> with_weights(const fs::path& config, const fs::path& weights,
                                   const std::string& path, FormatBy by) {
  Result<domain::Model> model = read_config_path(config.string(), by);
  if (!model) return model;
  const Result<TensorListing> listing = read_weights(weights);
  if (!listing) return std::unexpected(listing.error());
  Diagnostics faults = hold_against(*listing, *model);
  if (!faults.empty()) {
    for (Diagnostic& fault : faults) fault.span.file = weights.string();
    return std::unexpected(std::move(faults));
  }
  model->id = path;
  model->origin = fmt::format(
      "{} and {}", listing->has_names_only ? "index of safetensors" : "safetensors header",
      model->origin);
  return model;
}

/// Sizes that shapes tell without a config: "32 layers, hidden size 4096 …"; empty for none.
std::string told_sizes(const TensorListing& listing) {
  const std::vector<std::int64_t> series = layer_series(listing);
  if (listing.has_names_only || series.size() != 1) return {};
  const StoredModules modules(listing, series.front());
  const auto matrix = [&](std::string_view name, std::int64_t layer) {
    const StoredModule* module = modules.find(name, layer, false);
    return module == nullptr ? StoredMatrix{} : matrix_of(*module);
  };
  std::string text = fmt::format("{} layers", series.front());
  if (const StoredMatrix table = matrix("model.embed_tokens", -1); table.columns > 0)
    text += fmt::format(", hidden size {}, {} tokens", table.columns, table.rows);
  const StoredMatrix key = matrix("self_attn.k_proj", 0);
  if (key.rows > 0) text += fmt::format(", keys {} wide in the first", key.rows);
  return text;
}

Diagnostics weights_alone(const fs::path& file, const TensorListing& listing) {
  const std::string parts = listing.has_names_only
                                ? std::string()
                                : fmt::format(": {}", parts_text(sorted_parts(listing)));
  const std::string sizes = told_sizes(listing);
  return snapshot_fault(
      file,
      fmt::format("'{}' has no config.json beside it: its {} tensors hold {:.2f} GiB{}{}; "
                  "but heads, window and context, and so the KV cache, cannot be told",
                  file.string(), listing.tensors.size(), Bytes(listing.bytes).gib(), parts,
                  sizes.empty() ? sizes : fmt::format("; its shapes tell {}", sizes)),
      "put the config.json of the repository beside it, or name the model by its id");
}

Result<domain::Model> read_safetensors_source(const fs::path& file, FormatBy by) {
  if (const auto config = config_in(file.parent_path()))
    return with_weights(*config, file, file.string(), by);
  const Result<TensorListing> listing = read_weights(file);
  if (!listing) return std::unexpected(listing.error());
  return failure(weights_alone(file, *listing));
}

Result<domain::Model> read_folder(const std::string& path, FormatBy by) {
  const fs::path folder = path;
  const std::optional<fs::path> weights = weights_in(folder);
  if (const std::optional<fs::path> config = config_in(folder)) {
    if (weights) return with_weights(*config, *weights, path, by);
    Result<domain::Model> model = read_config_path(path, by);
    if (const std::size_t files = files_with(folder, kWeightsEnding).size(); model && files > 0) {
      model->notes.push_back(
          fmt::format("which of the folder's {} safetensors files are the model's is not told: the "
                      "scheme of config.json is sized",
                      files));
    }
    return model;
  }
  if (weights) return read_safetensors_source(*weights, by);
  std::vector<fs::path> gguf = files_with(folder, ".gguf");
  std::erase_if(gguf, [](const fs::path& file) {
    const std::string name = file.filename().string();
    return name.starts_with("mmproj") ||
           (shard_series(file) && name.find("-00001-of-") == std::string::npos);
  });
  if (gguf.size() == 1) return read_gguf_model(gguf.front().string());
  if (gguf.size() > 1) {
    return failure(snapshot_fault(
        folder, fmt::format("folder '{}' holds {} GGUF models", folder.string(), gguf.size()),
        fmt::format("name one of them, such as '{}'", gguf.front().string())));
  }
  if (const auto snapshot = snapshot_in_cache(folder)) return read_folder(snapshot->string(), by);
  std::string help = help_for_folder(folder);
  if (help.empty()) help = "give a folder that a model was downloaded into, or a config.json";
  return failure(snapshot_fault(
      folder, fmt::format("folder '{}' has no config.json", folder.string()), std::move(help)));
}

}  // namespace

Result<domain::Model> read_source(const std::string& path, FormatBy by) {
  std::error_code ignored;
  const fs::path file = path;
  if (fs::is_directory(file, ignored)) return read_folder(path, by);
  if (path.ends_with(kIndexEnding) || path.ends_with(kWeightsEnding))
    return read_safetensors_source(file, by);
  if (path.ends_with(".gguf")) return read_gguf_model(path);
  return read_config_path(path, by);
}

}  // namespace gpushape::catalog
