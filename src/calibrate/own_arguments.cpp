#include "calibrate/own_arguments.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "calibrate/nearest_release.hpp"
#include "catalog/catalog.hpp"

namespace gpushape::calibrate {
namespace {

/// Of programs, which no command line takes. Source: vLLM engine/arg_utils.py, EngineArgs.
constexpr auto kOfPrograms = std::to_array<std::string_view>(
    {"enable_mm_processor_stats", "mamba_config", "model_tag", "model_weights"});

/// "--max-model-len" as lists of settings name it: "max_model_len".
std::string setting_of(std::string_view flag) {
  std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool takes(const domain::EngineArguments& arguments, const std::string& name) {
  const auto is_name = [&](const std::string& flag) { return setting_of(flag) == name; };
  return name.starts_with('_') || std::ranges::find(kOfPrograms, name) != kOfPrograms.end() ||
         std::ranges::any_of(arguments.values, is_name) ||
         std::ranges::any_of(arguments.switches, is_name) ||
         std::ranges::any_of(arguments.retired, is_name, &domain::RetiredArgument::flag) ||
         std::ranges::any_of(arguments.settings, is_name, &domain::ArgumentSetting::flag);
}

}  // namespace

std::string own_argument(const EngineStart& start) {
  if (start.engine != "vllm" || start.arguments.empty()) return {};
  const std::optional<NearestRelease> release = nearest_release(start);
  const std::optional<domain::EngineArguments> known =
      catalog::Catalog::engine_arguments(start.engine);
  if (!release || !known || !known->is_complete) return {};
  const auto minor = [](domain::EngineVersion version) {
    return domain::EngineVersion{version.major, version.minor, 0};
  };
  if (minor(release->version) > minor(known->version)) return {};
  const auto own = std::ranges::find_if_not(
      start.arguments, [&](const std::string& name) { return takes(*known, name); });
  return own == start.arguments.end() ? std::string() : *own;
}

}  // namespace gpushape::calibrate
