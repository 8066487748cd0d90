// What the names of Ollama's library stand for: "llama3.1:8b" is Llama-3.1-8B-Instruct in Q4_K_M.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/quantization.hpp"

namespace gpushape::catalog {

struct OllamaModel {
  std::string name;  ///< as a catalog knows it
  /// Of a name of the library; a repository of the hub tells its own.
  std::optional<domain::Quantization> quantization;
  bool is_stated = false;  ///< the tag says the quantization: "8b-instruct-q8_0"
};

/// Nothing where the library's rows have no such model, and it is no repository of the hub
/// ("hf.co/OWNER/NAME-GGUF:Q4_K_M").
std::optional<OllamaModel> ollama_model(std::string_view text);

}  // namespace gpushape::catalog
