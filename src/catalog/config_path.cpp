#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "catalog/config.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

// A config is a page; the largest published (a list of 2'000 modules) is under 3 MB.
constexpr document::Limits kConfigLimits{.bytes = 16U << 20U, .depth = 50, .nodes = 1'000'000};

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kSideFile = "hf_quant_config.json";

/// "x_hf_quant_config.json" beside "x_config.json": collections keep many models in one folder.
std::string side_file_name(std::string_view config) {
  if (!config.ends_with(kConfig)) return std::string(kSideFile);
  config.remove_suffix(kConfig.size());
  return fmt::format("{}{}", config, kSideFile);
}

Result<document::Document> read_json_file(const std::string& path) {
  Result<std::string> text = document::read_file(path, kConfigLimits);
  if (!text) return std::unexpected(std::move(text.error()));
  return document::read_json(*text, path, kConfigLimits);
}

}  // namespace

Result<domain::Model> read_config_path(const std::string& path) {
  std::error_code ignored;
  fs::path config = path;
  if (fs::is_directory(config, ignored)) {
    config /= "config.json";
    if (!fs::exists(config, ignored)) {
      return failure(fmt::format("folder '{}' has no config.json", path),
                     "give a folder that a model was downloaded into, or a config.json");
    }
  }
  Result<document::Document> document = read_json_file(config.string());
  if (!document) return std::unexpected(std::move(document.error()));
  const std::string name = config.filename().string();
  if (name.ends_with(kSideFile)) {
    return failure(fmt::format("'{}' says how weights are quantized, not what the model is", path),
                   "give the config.json beside it");
  }
  const fs::path side_path = config.parent_path() / side_file_name(name);
  if (!fs::exists(side_path, ignored)) return read_config(*document, path);
  Result<document::Document> side_file = read_json_file(side_path.string());
  if (!side_file) return std::unexpected(std::move(side_file.error()));
  return read_config(*document, path, &*side_file);
}

}  // namespace gpushape::catalog
