#include "catalog/nearest_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/edit_distance.hpp"
#include "catalog/repository_name.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::size_t kMostNames = 3;
// A longer name is no slip of the keyboard, and quadratic work on it is refused.
constexpr std::size_t kLongestName = 256;
// Ours: a model of another size is of less use than one with a few other letters, one of another
// family of none.
constexpr std::size_t kOtherSize = 3;
constexpr std::size_t kOtherFamily = 6;

// "8b", "0.6b", "270m": a number before b or m.
bool is_size(std::string_view word) {
  return word.size() > 1 && (word.back() == 'b' || word.back() == 'm') &&
         std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
         word.substr(0, word.size() - 1).find_first_not_of("0123456789.") == std::string_view::npos;
}

// The first word of the name that is a size; empty for none.
std::string size_of(std::string_view name) {
  std::string word;
  for (const char letter : std::string(name) + "-") {
    if (std::string_view("-_ /").contains(letter)) {
      if (is_size(word)) return word;
      word.clear();
    } else {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return {};
}

// The letters that it begins with: "qwen2" and "qwen" are one family.
std::string_view family_of(std::string_view name) {
  const auto end = std::ranges::find_if_not(
      name, [](unsigned char letter) { return std::isalpha(letter) != 0; });
  return name.substr(0, static_cast<std::size_t>(end - name.begin()));
}

// The next word, cut off the name.
std::string_view next_word(std::string_view& name) {
  constexpr std::string_view kBetweenWords = "-_ :/.";
  const std::string_view word = name.substr(0, name.find_first_of(kBetweenWords));
  name.remove_prefix(std::min(word.size() + 1, name.size()));
  return word;
}

// "qwen3-next-instruct" leaves words of "Qwen3-Next-80B-A3B-Instruct" out; it adds none.
bool leaves_words_out(std::string_view name, std::string_view other) {
  std::string_view wanted = next_word(name);
  if (name.empty()) return false;  // of one word any name has it
  while (!other.empty()) {
    if (edit_distance(wanted, next_word(other)) > 0) continue;
    if (name.empty()) return true;
    wanted = next_word(name);
  }
  return false;
}

struct Candidate {
  const std::string* name = nullptr;
  std::size_t cost = 0;
};

}  // namespace

std::vector<std::string> nearest_models(std::string_view wanted,
                                        std::span<const std::string> names) {
  if (wanted.empty() || wanted.size() > kLongestName) return {};
  const std::string name = comparable_name(wanted);
  const std::string size = size_of(wanted);
  const std::string_view family = family_of(name);
  const bool has_owner = wanted.contains('/');
  std::vector<Candidate> candidates;
  for (const std::string& other_name : names) {
    const std::string other = comparable_name(other_name);
    const std::size_t distance = edit_distance(name, other);
    const bool is_part =
        name.size() >= 4 && (other.contains(name) || leaves_words_out(wanted, other_name));
    if (!is_part && distance * 3 > std::max(name.size(), other.size())) continue;
    std::size_t cost = is_part ? std::min<std::size_t>(distance, 2) : distance;
    if (!size.empty() && size != size_of(other_name)) cost += kOtherSize;
    if (edit_distance(family, family_of(other)) > 1) cost += kOtherFamily;
    // Ids before short names for who asked for an id, and the other way round.
    cost = 2 * cost + (has_owner == other_name.contains('/') ? 0 : 1);
    candidates.push_back({&other_name, cost});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  std::vector<std::string> nearest;
  std::vector<std::string> seen;
  for (const Candidate& candidate : candidates) {
    if (nearest.size() == kMostNames) break;
    std::string key = comparable_name(*candidate.name);
    if (std::ranges::find(seen, key) != seen.end()) continue;
    seen.push_back(std::move(key));
    nearest.push_back(*candidate.name);
  }
  return nearest;
}

std::string model_suggestion(std::string_view wanted, std::span<const std::string> names) {
  const std::vector<std::string> nearest = nearest_models(wanted, names);
  if (nearest.empty()) return "see `gpushape catalog list`, or give a config.json";
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) text += i + 1 == nearest.size() ? " or " : ", ";
    text += fmt::format("'{}'", nearest[i]);
  }
  return text + "?";
}

}  // namespace gpushape::catalog
