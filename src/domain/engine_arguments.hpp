// Every argument that an engine's command line takes, as far as a list of them is kept: what a
// review reads settings by, and holds unknown words against. Read from
// catalog/engines/arguments/<engine>.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/engine.hpp"

namespace gpushape::domain {

struct ArgumentSpelling {
  std::string spelling;  ///< "-tp"
  std::string flag;      ///< "--tensor-parallel-size"

  bool operator==(const ArgumentSpelling&) const = default;
};

struct ArgumentSetting {
  std::string setting;  ///< "contextTokens"
  std::string flag;

  bool operator==(const ArgumentSetting&) const = default;
};

/// A flag that newer versions refuse.
struct RetiredArgument {
  std::string flag;
  EngineVersion before;  ///< gone from this version on
  std::string instead;   ///< empty: nothing took its place

  bool operator==(const RetiredArgument&) const = default;
};

struct EngineArguments {
  std::string engine;                 ///< "vllm"
  EngineVersion version;              ///< whose list it is
  bool is_complete = false;           ///< a word that is not listed is unknown to that version
  bool reads_underscores = false;     ///< --max_model_len is --max-model-len
  bool has_negations = false;         ///< --no-x switches --x off
  bool has_keys = false;              ///< --x.y sets a key of --x
  bool takes_prefixes = false;        ///< an unambiguous beginning will do
  std::vector<std::string> values;    ///< flags with a value
  std::vector<std::string> switches;  ///< flags without one
  std::vector<ArgumentSpelling> spellings;
  /// Beside those of EngineCommand::flags.
  std::vector<ArgumentSetting> settings;
  std::vector<RetiredArgument> retired;

  bool operator==(const EngineArguments&) const = default;
};

}  // namespace gpushape::domain
