// Lists of module names with their numbers gathered into sets.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "domain/modules.hpp"

namespace gpushape::domain {
namespace {

// A set of numbers as text, one for each place of a number in a name.
using Numbers = std::vector<std::string>;

struct Taken {
  std::string family;  ///< the name with `{}` for each number
  Numbers numbers;
};

bool is_number(std::string_view word) {
  constexpr std::size_t kMostDigits = 9;
  return !word.empty() && word.size() <= kMostDigits &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A regular expression, or a name that holds braces of its own, has no numbers to take.
Taken taken_apart(std::string_view name) {
  Taken taken;
  if (name.starts_with("re:") || name.find('{') != std::string_view::npos)
    return {.family = std::string(name), .numbers = {}};
  bool is_first = true;
  while (!name.empty() || is_first) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view word = name.substr(0, dot);
    if (!is_first) taken.family += '.';
    is_first = false;
    if (is_number(word)) {
      taken.family += "{}";
      taken.numbers.emplace_back(word);
    } else {
      taken.family += word;
    }
    if (dot == name.size()) break;
    name.remove_prefix(dot + 1);
    if (name.empty()) taken.family += '.';
  }
  return taken;
}

/// "0-2,7" of the numbers 0, 1, 2 and 7.
std::string set_of(const std::set<int>& numbers) {
  std::string text;
  for (auto number = numbers.begin(); number != numbers.end();) {
    const int first = *number;
    int last = first;
    for (++number; number != numbers.end() && *number == last + 1; ++number) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

/// Names that differ in the number at `place` only become one.
std::vector<Numbers> gathered(std::vector<Numbers> rows, std::size_t place) {
  std::map<Numbers, std::set<int>> sets;
  std::vector<Numbers> order;
  for (Numbers& row : rows) {
    int number = 0;
    const std::string text = std::exchange(row[place], "");
    std::from_chars(text.data(), text.data() + text.size(), number);
    auto [found, is_new] = sets.try_emplace(row);
    found->second.insert(number);
    if (is_new) order.push_back(row);
  }
  for (Numbers& row : order) {
    const std::string set = set_of(sets.at(row));
    row[place] = set;
  }
  return order;
}

std::string written(std::string_view family, std::span<const std::string> numbers) {
  std::string name;
  std::size_t next = 0;
  while (!family.empty()) {
    const std::size_t hole = next < numbers.size() ? family.find("{}") : std::string_view::npos;
    if (hole == std::string_view::npos) break;
    const std::string& set = numbers[next++];
    name += family.substr(0, hole);
    name += set.find_first_of(",-") == std::string::npos ? set : "{" + set + "}";
    family.remove_prefix(hole + 2);
  }
  return name.append(family);
}

}  // namespace

std::vector<std::string> collapse_modules(const std::vector<std::string>& patterns) {
  std::map<std::string, std::vector<Numbers>> families;
  std::vector<std::string> order;
  for (const std::string& pattern : patterns) {
    Taken taken = taken_apart(pattern);
    auto [found, is_new] = families.try_emplace(taken.family);
    if (is_new) order.push_back(taken.family);
    if (is_new || !taken.numbers.empty()) found->second.push_back(std::move(taken.numbers));
  }
  std::vector<std::string> collapsed;
  for (const std::string& family : order) {
    std::vector<Numbers> rows = std::move(families.at(family));
    // From the innermost number (experts) outwards (layers).
    for (std::size_t place = rows.front().size(); place > 0; --place)
      rows = gathered(std::move(rows), place - 1);
    for (const Numbers& row : rows) collapsed.push_back(written(family, row));
  }
  return collapsed;
}

}  // namespace gpushape::domain
