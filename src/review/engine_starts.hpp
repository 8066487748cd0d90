// How serving engines are started: by which program, Python module or image, and which version an
// image holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/engine.hpp"
#include "review/fields.hpp"

namespace gpushape::review {

struct ProgramRow {
  std::string_view engine;
  std::string_view word;    ///< the program's name, or the Python module
  std::string_view second;  ///< the word behind it that must follow; empty: none
  bool has_positional_model = false;
  bool is_wrapper = false;
  std::string_view model_flag = {};  ///< a wrapper's own word for the model
};

struct EngineStart {
  const ProgramRow* program = nullptr;
  std::size_t arguments = 0;  ///< where they begin
};

/// Nothing where the command starts no engine by a program or a module.
std::optional<EngineStart> start_of(const Command& command);

/// The engine that is the entrypoint of the image, as its name and the words behind it tell; empty
/// where none is.
std::string_view engine_of_image(std::string_view image, const Command& words);

/// "vllm/vllm-openai:v0.11.0" -> 0.11.0; nothing for "latest", a digest or no tag.
std::optional<domain::EngineVersion> version_of_image(std::string_view image);

/// The same, of an image whose tags are the engine's own versions.
std::optional<domain::EngineVersion> own_version_of_image(std::string_view image);

/// "/usr/bin/vllm" -> "vllm"
std::string_view base_name(std::string_view path);

}  // namespace gpushape::review
