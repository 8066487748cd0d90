#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "catalog/config.hpp"
#include "catalog/mistral_params.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

// A config is a page; the largest published (a list of 2'000 modules) is under 3 MB.
constexpr document::Limits kConfigLimits{.bytes = 16U << 20U, .depth = 50, .nodes = 1'000'000};

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kParams = "params.json";
/// Of ModelOpt, AutoGPTQ and AutoAWQ.
constexpr auto kSideFiles = std::to_array<std::string_view>(
    {"hf_quant_config.json", "quantize_config.json", "quant_config.json"});

bool is_side_file(std::string_view name) {
  return std::ranges::any_of(kSideFiles,
                             [&](std::string_view side) { return name.ends_with(side); });
}

/// "x_hf_quant_config.json" beside "x_config.json": collections keep many models in one folder.
std::optional<fs::path> side_file_of(const fs::path& config) {
  std::string prefix = config.filename().string();
  if (!prefix.ends_with(kConfig)) prefix = kConfig;
  prefix.resize(prefix.size() - kConfig.size());
  for (const std::string_view side : kSideFiles) {
    fs::path path = config.parent_path() / fmt::format("{}{}", prefix, side);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

Result<document::Document> read_json_file(const std::string& path) {
  Result<std::string> text = document::read_file(path, kConfigLimits);
  if (!text) return std::unexpected(std::move(text.error()));
  return document::read_json(*text, path, kConfigLimits);
}

bool is_mistral_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return false;
  const Result<document::Document> document = read_json_file(path.string());
  return document && is_mistral_params(document->root);
}

/// As the config.json that says the same; what was read then stood in params.json.
Result<domain::Model> read_params(document::Document document, const std::string& id, FormatBy by) {
  if (!is_mistral_params(document.root)) {
    return failure(fmt::format("'{}' is not a params.json of Mistral's, which has dim, n_layers "
                               "and hidden_dim",
                               id),
                   "give the config.json of the same repository, or the model's id");
  }
  document.root = config_of_params(document.root);
  Result<domain::Model> model = read_config(document, id, nullptr, by);
  if (!model) {
    for (Diagnostic& fault : model.error()) {
      fault.message = said_of_params(fault.message);
      fault.help = said_of_params(fault.help);
    }
    return model;
  }
  model->origin = kParams;
  for (domain::FactSource& row : model->sources) row.source = said_of_params(row.source);
  for (std::string& note : model->notes) note = said_of_params(note);
  return model;
}

}  // namespace

std::optional<fs::path> config_in(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kConfig, ignored)) return folder / kConfig;
  if (is_mistral_file(folder / kParams)) return folder / kParams;
  return std::nullopt;
}

Result<domain::Model> read_config_path(const std::string& path, FormatBy by) {
  std::error_code ignored;
  fs::path config = path;
  if (fs::is_directory(config, ignored)) {
    const std::optional<fs::path> found = config_in(config);
    if (!found) {
      return failure(fmt::format("folder '{}' has no config.json", path),
                     "give a folder that a model was downloaded into, or a config.json");
    }
    config = *found;
  }
  Result<document::Document> document = read_json_file(config.string());
  if (!document) return std::unexpected(std::move(document.error()));
  const std::string name = config.filename().string();
  if (name.ends_with(kParams)) return read_params(std::move(*document), path, by);
  if (is_side_file(name)) {
    return failure(fmt::format("'{}' says how weights are quantized, not what the model is", path),
                   "give the config.json beside it");
  }
  const std::optional<fs::path> side_path = side_file_of(config);
  if (!side_path) return read_config(*document, path, nullptr, by);
  Result<document::Document> side_file = read_json_file(side_path->string());
  if (!side_file) return std::unexpected(std::move(side_file.error()));
  return read_config(*document, path, &*side_file, by);
}

}  // namespace gpushape::catalog
