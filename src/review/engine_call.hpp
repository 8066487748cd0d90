// A serving engine as a command line starts it: which engine, which version, which settings, each
// with the place it stands at. Read from the words of a container by command_line.hpp.
#pragma once

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/engine.hpp"

namespace gpushape::review {

/// One flag, as given.
struct EngineSetting {
  std::string setting;  ///< as catalog/engines/flags names it: "contextTokens"; empty: not in there
  std::string flag;     ///< as written: "--max-model-len"; empty for a positional
  std::string value;    ///< empty for a switch
  document::Position position;        ///< of the flag
  document::Position value_position;  ///< of the value; of the flag where it has none
  bool is_field = false;  ///< from a field of a chart or a serving kind, not from a command line
};

struct EngineCall {
  /// "vllm", as the catalog names it; "text-generation-inference" and "triton" have no facts there.
  std::string engine;
  std::optional<domain::EngineVersion> version;  ///< from the tag of the image
  std::string model;                             ///< as given; empty where it is not on the line
  document::Position model_position;
  document::Position position;          ///< of the first word
  std::vector<EngineSetting> settings;  ///< in the order given, repeats and all
  bool is_wrapped = false;              ///< started by another program that adds flags of its own
  /// Settings beside those of the line stand in a file that it names: "--config"; empty: in none.
  std::string settings_file;
  /// Over how many GPUs it goes stands in a file of its own, or the engine takes what is there.
  bool is_split_elsewhere = false;

  /// llama.cpp, or Ollama, which runs it: lays layers on whatever GPUs there are.
  [[nodiscard]] bool runs_llama_cpp() const { return engine == "llama.cpp" || engine == "ollama"; }
  /// The last of that setting: the one that counts. nullptr where it is not given.
  [[nodiscard]] const EngineSetting* find(std::string_view setting) const;
};

inline const EngineSetting* EngineCall::find(std::string_view setting) const {
  const auto last_first = std::views::reverse(settings);
  const auto found = std::ranges::find(last_first, setting, &EngineSetting::setting);
  return found == last_first.end() ? nullptr : &*found;
}

}  // namespace gpushape::review
