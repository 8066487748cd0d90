#include "base/edit_distance.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpushape {
namespace {

// A name longer than this is no typing error of one of ours, and quadratic work on hostile input is
// refused.
constexpr std::size_t kLongestName = 256;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

/// "dgx-a100" is dgx and a100.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has_all(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  });
}

}  // namespace

std::size_t edit_distance(std::string_view a_text, std::string_view b_text) {
  const std::string a = lower(a_text);
  const std::string b = lower(b_text);
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                       std::size_t most) {
  if (wanted.empty() || wanted.size() > kLongestName) return {};
  struct Candidate {
    bool lacks_words;  ///< a name with all the words of the wanted one is no typing error of it
    std::size_t distance;
    std::size_t index;
  };
  const std::string wanted_lower = lower(wanted);
  const std::vector<std::string> wanted_words = words_of(wanted_lower);
  std::vector<Candidate> candidates;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const std::string name = lower(names[index]);
    const std::size_t distance = edit_distance(wanted_lower, name);
    const bool contained =
        wanted_lower.size() >= 3 &&
        (name.contains(wanted_lower) || (name.size() >= 3 && wanted_lower.contains(name)));
    const bool has_words = !wanted_words.empty() && has_all(words_of(name), wanted_words);
    if (contained || has_words || distance * 3 <= std::max(name.size(), wanted_lower.size()))
      candidates.push_back({!has_words, distance, index});
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
    return std::pair(candidate.lacks_words, candidate.distance);
  });
  std::vector<std::string> result;
  for (const Candidate& candidate : candidates) {
    if (result.size() == most) break;
    if (std::ranges::find(result, names[candidate.index]) == result.end())
      result.push_back(names[candidate.index]);
  }
  return result;
}

std::string suggestion(std::string_view wanted, std::span<const std::string> names,
                       std::string_view otherwise) {
  const std::vector<std::string> near = nearest_names(wanted, names);
  if (near.empty()) return std::string(otherwise);
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
    text += "'" + near[i] + "'";
  }
  return text + "?";
}

}  // namespace gpushape
