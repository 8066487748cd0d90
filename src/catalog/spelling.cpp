#include "catalog/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>

#include "base/edit_distance.hpp"
#include "catalog/quantization_methods.hpp"

namespace gpushape::catalog {
namespace {

// A longer name is no slip of the keyboard.
constexpr std::size_t kLongestSpelling = 256;
// Ours: of three letters, one other makes another word as often as not ("phi", "pfi").
constexpr std::size_t kLeastWord = 4;
// From here on two letters may be off.
constexpr std::size_t kLongWord = 8;
// Ours: a name with more possible meanings has none.
constexpr std::size_t kMostMeanings = 16;

using Words = std::set<std::string, std::less<>>;

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

/// The runs of letters of a name, in lower case.
template <typename Consumer>
void for_each_word(std::string_view name, Consumer&& consume) {
  while (!name.empty()) {
    const auto* const begin = std::ranges::find_if(name, is_letter);
    const auto* const end = std::find_if_not(begin, name.end(), is_letter);
    if (begin != end) consume(std::string_view(begin, end));
    name.remove_prefix(static_cast<std::size_t>(end - name.begin()));
  }
}

Words words_of(std::span<const std::string> names) {
  Words words;
  for (const std::string& name : names) {
    const std::string lower = lower_case(name.substr(name.find('/') + 1));
    for_each_word(lower, [&](std::string_view word) {
      if (word.size() >= kLeastWord) words.emplace(word);
    });
  }
  return words;
}

/// Those nearest to it; none where all are too far.
std::vector<std::string> nearest_words(std::string_view word, const Words& words) {
  std::size_t least = word.size() < kLongWord ? 1 : 2;
  std::vector<std::string> nearest;
  for (const std::string& other : words) {
    const std::size_t distance = edit_distance(word, other);
    if (distance > least) continue;
    if (distance < least) nearest.clear();
    least = distance;
    nearest.push_back(other);
  }
  return nearest;
}

}  // namespace

std::vector<std::string> respelled_names(std::string_view name,
                                         std::span<const std::string> names) {
  if (name.size() > kLongestSpelling || name.contains('/')) return {};
  const Words known = words_of(names);
  const std::string lower = lower_case(std::string(name));
  std::vector<std::string> meanings = {""};
  bool is_misspelled = false;
  std::size_t copied = 0;
  const auto append = [&](std::string_view text) {
    for (std::string& meaning : meanings) meaning += text;
  };
  for_each_word(lower, [&](std::string_view word) {
    if (word.size() < kLeastWord || known.contains(word) || meanings.empty()) return;
    const auto begin = static_cast<std::size_t>(word.data() - lower.data());
    append(std::string_view(lower).substr(copied, begin - copied));
    copied = begin + word.size();
    is_misspelled = true;
    std::vector<std::string> longer;
    for (const std::string& right : nearest_words(word, known)) {
      for (const std::string& meaning : meanings) longer.push_back(meaning + right);
    }
    if (longer.size() > kMostMeanings) longer.clear();
    meanings = std::move(longer);
  });
  if (!is_misspelled) return {};
  append(std::string_view(lower).substr(copied));
  return meanings;
}

}  // namespace gpushape::catalog
