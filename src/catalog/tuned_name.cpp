#include "catalog/tuned_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

#include "catalog/format_tail.hpp"
#include "catalog/format_words.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/repository_name.hpp"

namespace gpushape::catalog {
namespace {

/// What follows has other tensors than the model that it is named after: parts taken out or put in,
/// a model of another kind, a drafter for it, or a format of the weights that no row tells.
constexpr auto kOtherTensors = std::to_array<std::string_view>(
    {"adapter",  "asr",      "audio",   "bge",    "blip",    "classifier", "clip",
     "colbert",  "colpali",  "depth",   "dflash", "distill", "distilled",  "draft",
     "drafter",  "dspark",   "e5",      "eagle",  "embed",   "embedding",  "expanded",
     "extended", "flash",    "franken", "gte",    "jina",    "large",      "lite",
     "llava",    "lora",     "mantis",  "max",    "medusa",  "mini",       "moe",
     "nano",     "next",     "nomic",   "ocr",    "omni",    "onevision",  "ovis",
     "prm",      "pro",      "prune",   "pruned", "qlora",   "ream",       "reap",
     "rerank",   "reranker", "reward",  "rm",     "sfr",     "small",      "speculator",
     "speech",   "tarsier",  "text",    "tiny",   "tts",     "ultravox",   "upscaled",
     "video",    "vision",   "vl",      "vlm",    "zip"});

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// "swallow8b" is two words, which comparable names join; so are "llama3" and every like it.
std::size_t letters_before_digit(std::string_view word) {
  constexpr std::size_t kLeastLetters = 3;  // "a3b" and "v0" are one
  const auto* const digit = std::ranges::find_if(word, is_digit);
  const auto letters = static_cast<std::size_t>(digit - word.begin());
  const bool is_joined = letters >= kLeastLetters && digit != word.end() && !names_format(word);
  return is_joined ? letters : word.size();
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find('-'));
    const std::size_t letters = letters_before_digit(word);
    if (letters > 0) words.push_back(word.substr(0, letters));
    if (letters < word.size()) words.push_back(word.substr(letters));
    name.remove_prefix(std::min(word.size() + 1, name.size()));
  }
  return words;
}

/// "8b", "a3b", "270m", "8x7b".
bool is_parameter_count(std::string_view word) {
  if (word.size() < 2 || (word.back() != 'b' && word.back() != 'm')) return false;
  word.remove_suffix(1);
  return is_digit(word.back()) && std::ranges::all_of(word, [](char letter) {
           return is_digit(letter) || letter == 'x' || letter == 'a' || letter == 'e';
         });
}

/// "2" of "llama3-2", which is no Llama 3; "2507" is a date.
bool is_release(std::string_view word) {
  constexpr std::size_t kDate = 4;
  return word.size() < kDate && std::ranges::all_of(word, is_digit);
}

/// Behind the whole name of a model with its size, what another one taught it; before it,
/// "DeepSeek-R1-Distill-Qwen-7B" is another model.
bool is_taught(std::string_view word) { return word == "distill" || word == "distilled"; }

bool speaks_of_other_tensors(std::string_view word) {
  return is_parameter_count(word) || names_format(word) ||
         std::ranges::find(kOtherTensors, word) != kOtherTensors.end();
}

/// Whether `base` stands in `words` in its order, and all other words leave the tensors as they
/// are.
bool is_tuned_of(std::span<const std::string_view> words, std::span<const std::string_view> base) {
  std::size_t met = 0;
  bool is_behind_base = false;
  for (const std::string_view word : words) {
    const bool is_of_base = met < base.size() && word == base[met];
    const bool is_behind = met == base.size();
    const bool is_of_other_tensors =
        speaks_of_other_tensors(word) && !(is_behind && is_taught(word));
    if (is_of_base) {
      ++met;
    } else if (is_of_other_tensors || (is_behind_base && is_release(word)) ||
               (is_behind && names_format_behind_model(word))) {
      return false;
    }
    is_behind_base = is_of_base;
  }
  return met == base.size() && met < words.size();
}

std::string lower_owner(std::string_view id) {
  const std::size_t slash = id.find('/');
  return slash == std::string_view::npos ? std::string()
                                         : lower_case(std::string(id.substr(0, slash)));
}

}  // namespace

std::optional<std::string> tuned_base(std::string_view repository,
                                      std::span<const EntryName> entries) {
  constexpr std::size_t kLongest = 256;
  const std::string owner = lower_owner(repository);
  if (owner.empty() || repository.size() > kLongest) return std::nullopt;
  const std::string name = comparable_name(repository);
  const std::vector<std::string_view> words = words_of(name);
  const EntryName* longest = nullptr;
  std::size_t length = 0;
  for (const EntryName& entry : entries) {
    const std::string base = comparable_name(entry.name);
    if (base.size() <= length) continue;
    const std::vector<std::string_view> base_words = words_of(base);
    if (base_words.size() < 2 || std::ranges::none_of(base_words, is_parameter_count)) continue;
    if (!is_tuned_of(words, base_words)) continue;
    longest = &entry;
    length = base.size();
  }
  if (longest == nullptr || lower_owner(longest->id) == owner) return std::nullopt;
  return longest->id;
}

std::optional<std::string_view> up_to_format(std::string_view repository) {
  constexpr int kMostWords = 4;
  if (!repository.contains('/')) return std::nullopt;
  for (int words = 0; words < kMostWords; ++words) {
    const std::size_t mark = repository.find_last_of("-_ /");
    if (repository[mark] == '/') return std::nullopt;
    const std::string word = lower_case(std::string(repository.substr(mark + 1)));
    if (speaks_of_other_tensors(word) || names_format_behind_model(word)) return std::nullopt;
    repository = repository.substr(0, mark);
    if (format_tail(repository)) return repository;
  }
  return std::nullopt;
}

}  // namespace gpushape::catalog
