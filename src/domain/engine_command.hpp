// How an engine is started: its image, its command and the names of its flags, version by version.
// Read from catalog/engines/flags/<engine>.yaml; what a flag is set to is the business of emit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/engine.hpp"

namespace gpushape::domain {

/// A word of ours and what the engine calls it ("bf16", "bfloat16").
struct EngineWord {
  std::string ours;
  std::string theirs;

  bool operator==(const EngineWord&) const = default;
};

struct EngineFlagName {
  std::string setting;  ///< "contextTokens", "tensor" …: the names that emit knows
  std::string flag;     ///< "--max-model-len"; empty: the value stands alone (a positional)
  std::optional<EngineVersion> since;
  std::optional<EngineVersion> before;  ///< gone from this version on
  std::vector<EngineWord> words;        ///< of a setting that takes words; no row: no such word
  std::string source;

  bool operator==(const EngineFlagName&) const = default;
};

struct EngineCommand {
  std::string engine;                 ///< "vllm"
  std::string image;                  ///< "vllm/vllm-openai"
  std::string tag;                    ///< "v{version}", the version with three parts
  std::vector<std::string> command;   ///< before the flags, in place of the entrypoint of the image
  std::int64_t port = 0;              ///< it listens on by itself
  std::string health_path;            ///< answers when the model is loaded
  std::vector<EngineFlagName> flags;  ///< in the order they are written
  /// What has no flag stands in a file that this one names; empty: there is none.
  std::string configuration_flag;
  /// `flag` is the key in that file: "kv_cache_config.dtype".
  std::vector<EngineFlagName> configuration;

  bool operator==(const EngineCommand&) const = default;
};

}  // namespace gpushape::domain
