// The architectures of GGUF files: llama.cpp's names, and what the files' type is called.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/quantization.hpp"

namespace gpushape::catalog {

/// A name of `general.architecture`, and the family that Hugging Face calls it.
struct GgufArchitecture {
  std::string_view name;
  std::string_view family = {};  ///< empty where both call it alike
};

/// In alphabetical order.
std::span<const GgufArchitecture> gguf_architectures();

/// nullptr for a name that is not known.
const GgufArchitecture* gguf_architecture(std::string_view name);

/// What `general.file_type` calls the whole; nothing for a number that names none.
std::optional<domain::Quantization> gguf_file_type(std::int64_t number);

}  // namespace gpushape::catalog
