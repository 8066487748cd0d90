#include "catalog/format_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

#include "catalog/quantization_methods.hpp"

namespace gpushape::catalog {
namespace {

// The methods of transformers (src/transformers/quantizers/auto.py), vLLM and SGLang
// (QUANTIZATION_METHODS), and the tools that publish repositories of their own.
constexpr auto kFormatParts = std::to_array<std::string_view>(
    {"aqlm", "autoround", "awq",   "bnb",  "bpw",        "eetq",    "exl",     "fp4",   "fp6",
     "fp8",  "ggml",      "gguf",  "gptq", "hqq",        "marlin",  "mlx",     "mxint", "nf4",
     "owq",  "qtip",      "quant", "spqr", "squeezellm", "ternary", "torchao", "vptq"});
constexpr auto kBitWords = std::to_array<std::string_view>({"bit", "bits"});
constexpr auto kBehindModel = std::to_array<std::string_view>({"higgs", "quip", "sinq"});

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// `part` with a digit before it ("4bit", but no "orbit") or behind it ("int3", but no "hint").
bool has_beside_digit(std::string_view word, std::string_view part, bool is_before) {
  for (std::size_t at = word.find(part); at != std::string_view::npos;
       at = word.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (is_before ? at > 0 && is_digit(word[at - 1]) : end < word.size() && is_digit(word[end]))
      return true;
  }
  return false;
}

/// "w4a16", "w4afp8".
bool names_weights_and_inputs(std::string_view word) {
  for (std::size_t at = word.find('w'); at != std::string_view::npos; at = word.find('w', at + 1)) {
    const std::size_t end = std::min(word.find_first_not_of("0123456789", at + 1), word.size());
    if (end > at + 1 && end < word.size() && word[end] == 'a') return true;
  }
  return false;
}

/// llama.cpp's: "q4", "iq2".
bool names_block_type(std::string_view word) {
  if (word.starts_with('i')) word.remove_prefix(1);
  return word.size() > 1 && word.front() == 'q' && is_digit(word[1]);
}

}  // namespace

bool names_format(std::string_view word) {
  if (std::ranges::find(kBitWords, word) != kBitWords.end()) return true;
  if (has_beside_digit(word, "bit", true) || has_beside_digit(word, "int", false)) return true;
  if (names_weights_and_inputs(word) || names_block_type(word)) return true;
  return std::ranges::any_of(kFormatParts,
                             [&](std::string_view part) { return word.contains(part); });
}

bool names_format_behind_model(std::string_view word) {
  return std::ranges::any_of(kBehindModel,
                             [&](std::string_view part) { return word.starts_with(part); });
}

std::optional<std::string_view> format_word(std::string_view repository) {
  const std::string name = lower_case(std::string(repository));
  const std::size_t slash = name.rfind('/');
  const std::size_t first = slash == std::string::npos ? 0 : slash + 1;
  for (std::size_t begin = first; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("-_ :", begin), name.size());
    const std::string_view word = std::string_view(name).substr(begin, end - begin);
    if (names_format(word) || (begin > first && names_format_behind_model(word)))
      return repository.substr(begin, end - begin);
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace gpushape::catalog
