// The serving engine that a command starts: vLLM, SGLang, TensorRT-LLM, llama.cpp, Text Generation
// Inference or Triton, by program, Python module or image (engine_starts.hpp); its version by the
// tag of the image; its settings by the lists of catalog/engines/flags and
// catalog/engines/arguments. Ollama, which takes no flags, is read by ollama.hpp. Flags in any
// spelling that the engine takes:
// "--max_model_len 8192", "--max-model-len=8192", "-tp 2".
//
// What wraps such an engine (Dynamo's workers, a chart's launcher) passes most flags on; its own
// flags are not held against the engine's list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/engine_arguments.hpp"
#include "domain/engine_command.hpp"
#include "review/engine_call.hpp"
#include "review/fields.hpp"
#include "review/pod_request.hpp"

namespace gpushape::review {

/// What the catalog keeps of the flags of one engine.
struct EngineWords {
  domain::EngineCommand command;
  domain::EngineArguments arguments;

  /// The full name of a flag in any spelling, without its value; nothing where it is not listed.
  [[nodiscard]] std::optional<std::string> canonical(std::string_view flag) const;
  /// Several where one flag sets several; empty where none is known.
  [[nodiscard]] std::string_view setting_of(std::string_view canonical_flag) const;
  [[nodiscard]] bool is_switch(std::string_view canonical_flag) const;
  [[nodiscard]] const domain::RetiredArgument* retired(std::string_view flag) const;
  /// All full names.
  [[nodiscard]] std::vector<std::string> names() const;
};

/// nullptr of an engine that has no flags.
const EngineWords* engine_words(std::string_view engine);

/// Nothing where none of the commands starts an engine. `has_command`: the entrypoint of the image
/// is replaced; without it the words are the arguments of what the image starts.
std::optional<EngineCall> read_engine_call(std::span<const Command> commands,
                                           std::string_view image, bool has_command);

/// The same of all that a container says, the variables that engines read among it.
std::optional<EngineCall> read_engine_call(const Container& container);

}  // namespace gpushape::review
