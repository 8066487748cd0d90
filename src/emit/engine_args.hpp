// The command line that makes an engine use exactly what was sized, flag by flag with its reason.
// Names and versions of flags: catalog/engines/flags/.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

struct EngineFlag {
  std::string setting;  ///< "contextTokens"
  std::string name;     ///< "--max-model-len"; empty for a positional
  std::string value;    ///< empty for a switch
  std::string why;

  bool operator==(const EngineFlag&) const = default;
};

/// How the engine of one picked shape is started.
struct EngineStart {
  std::string engine;  ///< "vllm"; empty: a workload without a model
  std::string image;   ///< with its tag
  std::vector<std::string> command;
  std::vector<EngineFlag> flags;
  std::vector<EngineFlag> configuration;  ///< of its file; name: "kv_cache_config.dtype"
  std::int64_t port = 0;
  std::string health_path;
  std::vector<std::string> notes;  ///< what the flags could not say

  bool operator==(const EngineStart&) const = default;
};

/// Where containers find weights that do not come from the Hugging Face hub.
inline constexpr std::string_view kModelFolder = "/models";

/// Where it finds what has no flag.
inline constexpr std::string_view kConfigurationFolder = "/etc/engine";
inline constexpr std::string_view kConfigurationFile = "/etc/engine/engine.yaml";

/// Refused where the engine has no word for what was sized.
Result<EngineStart> engine_start(const EmitRequest& request, const domain::RankedShape& picked);

/// The content of the configuration file; empty where no setting needs it.
document::Node configuration_of(const EngineStart& start, const Commenter& comment);

/// "--max-model-len=8192", or name and value apart where the engine reads no '='.
std::vector<std::string> arguments_of(const EngineStart& start);
/// The arguments without those settings.
std::vector<std::string> arguments_without(const EngineStart& start,
                                           std::initializer_list<std::string_view> settings);

/// Whether the model is a path on the user's machine and not a name on the hub.
bool is_local_model(std::string_view model);

}  // namespace gpushape::emit
