#include "domain/module_pattern.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace gpushape::domain {
namespace {

constexpr std::string_view kExpression = "re:";

// Modules that hold a whole language model, in the published checkpoints.
constexpr auto kWrapping = std::to_array<std::string_view>(
    {"model", "language_model", "backbone", "transformer", "decoder", "text_model", "llm",
     "thinker", "base_model", "module"});

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_wrapping(std::string_view word) {
  return std::ranges::find(kWrapping, word) != kWrapping.end();
}

/// Whether the set between braces ("0-2,7") holds the number.
bool holds(std::string_view set, std::int64_t number) {
  while (!set.empty()) {
    const std::size_t comma = std::min(set.find(','), set.size());
    const std::string_view part = set.substr(0, comma);
    std::int64_t first = -1;
    const auto [after, error] = std::from_chars(part.data(), part.data() + part.size(), first);
    std::int64_t last = first;
    if (error == std::errc() && after != part.data() + part.size() && *after == '-')
      std::from_chars(after + 1, part.data() + part.size(), last);
    if (error == std::errc() && number >= first && number <= last) return true;
    set.remove_prefix(std::min(comma + 1, set.size()));
  }
  return false;
}

/// Whether the class between brackets ("!a-c") holds the letter.
bool class_holds(std::string_view letters, char letter) {
  const bool is_inverse = letters.starts_with('!');
  if (is_inverse) letters.remove_prefix(1);
  bool is_in = false;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i + 2 < letters.size() && letters[i + 1] == '-') {
      is_in = is_in || (letter >= letters[i] && letter <= letters[i + 2]);
      i += 2;
    } else {
      is_in = is_in || letter == letters[i];
    }
  }
  return is_in != is_inverse;
}

/// One step of a pattern without `*`: how much of pattern and name it takes; nothing where it does
/// not match.
struct Step {
  std::size_t pattern = 0;
  std::size_t name = 0;
};
std::optional<Step> step(std::string_view pattern, std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (pattern.front() == '?') return Step{1, 1};
  const char close = pattern.front() == '{' ? '}' : ']';
  const std::size_t end = pattern.front() == '{' || pattern.front() == '[' ? pattern.find(close)
                                                                           : std::string_view::npos;
  if (end != std::string_view::npos && pattern.front() == '[') {
    if (!class_holds(pattern.substr(1, end - 1), name.front())) return std::nullopt;
    return Step{end + 1, 1};
  }
  if (end != std::string_view::npos) {
    const auto digits =
        static_cast<std::size_t>(std::ranges::find_if_not(name, is_digit) - name.begin());
    std::int64_t number = -1;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + digits, number);
    if (digits == 0 || error != std::errc() || !holds(pattern.substr(1, end - 1), number))
      return std::nullopt;
    return Step{end + 1, digits};
  }
  if (pattern.front() != name.front()) return std::nullopt;
  return Step{1, 1};
}

/// The whole name, or a beginning of it that ends with a word. Each `*` goes
/// back to the last one only, so the time is that of both lengths multiplied.
bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_in = 0;
  for (;;) {
    if (at == pattern.size()) {
      if (in == name.size() || name[in] == '.') return true;
    } else if (pattern[at] == '*') {
      star = at++;
      star_in = in;
      continue;
    } else if (const auto taken = step(pattern.substr(at), name.substr(in))) {
      at += taken->pattern;
      in += taken->name;
      continue;
    }
    if (star == std::string_view::npos || star_in >= name.size()) return false;
    at = star + 1;
    in = ++star_in;
  }
}

/// Whole dotted words anywhere in the name.
bool matches_words(std::string_view pattern, std::string_view name) {
  for (;;) {
    if (matches_glob(pattern, name)) return true;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return false;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string_view without_wrapping(std::string_view module) {
  for (;;) {
    const std::size_t dot = module.find('.');
    if (dot == std::string_view::npos) break;
    if (!is_wrapping(module.substr(0, dot))) return module;
    module.remove_prefix(dot + 1);
  }
  std::string_view last = module;
  if (last.ends_with('*')) last.remove_suffix(1);
  return is_wrapping(last) ? "*" : module;
}

ModulePattern::ModulePattern(std::string_view pattern) {
  has_numbers_ = std::ranges::any_of(pattern, is_digit);
  if (pattern.starts_with(kExpression)) {
    regex_.emplace(pattern.substr(kExpression.size()));
    return;
  }
  while (pattern.starts_with('.')) pattern.remove_prefix(1);
  while (pattern.ends_with('.')) pattern.remove_suffix(1);
  text_ = without_wrapping(pattern);
  is_glob_ = text_.find_first_of("*?[") != std::string::npos;
}

std::optional<std::string> ModulePattern::fault() const {
  if (regex_) return regex_->fault();
  return text_.empty() ? std::optional<std::string>("is empty") : std::nullopt;
}

bool ModulePattern::matches(std::string_view module) const {
  if (regex_) return regex_->matches(module);
  if (text_.empty()) return false;
  const std::string_view name = without_wrapping(module);
  return is_glob_ ? matches_glob(text_, name) : matches_words(text_, name);
}

bool ModulePattern::matches_any(std::span<const std::string> names) const {
  return std::ranges::any_of(names, [&](const std::string& name) { return matches(name); });
}

}  // namespace gpushape::domain
