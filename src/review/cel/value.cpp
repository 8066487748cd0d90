#include "review/cel/value.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gpushape::review::cel {

namespace {

bool is_number_kind(Kind kind) {
  return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Double;
}

double as_double(const Value& value) {
  return value.kind == Kind::Double ? value.real : static_cast<double>(value.number);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::string_view first_part(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return part;
}

/// Digits of any length, without leading zeros.
int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

int compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_counts = is_digits(a);
  const bool b_counts = is_digits(b);
  if (a_counts && b_counts) return compare_digits(a, b);
  if (a_counts != b_counts) return a_counts ? -1 : 1;
  return a.compare(b);
}

int sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

std::string_view without_build(std::string_view text) { return text.substr(0, text.find('+')); }

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 15> kNames = {
      "null_type", "bool", "int",           "uint",      "double", "string",  "quantity", "semver",
      "list",      "map",  "optional_type", "DRADevice", "dyn",    "unknown", "error"};
  return kNames.at(static_cast<std::size_t>(kind));
}

bool equal(const Value& a, const Value& b) {
  if (is_number_kind(a.kind) && is_number_kind(b.kind)) {
    if (a.kind != Kind::Double && b.kind != Kind::Double) return a.number == b.number;
    return as_double(a) == as_double(b);
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return a.truth == b.truth;
    case Kind::String:
      return a.text == b.text;
    case Kind::Quantity:
      return a.real == b.real;
    case Kind::Semver:
      return compare_semver(a.text, b.text) == 0;
    case Kind::List:
    case Kind::Optional:
      return std::ranges::equal(*a.items, *b.items, equal);
    case Kind::Map:
      return std::ranges::equal(*a.fields, *b.fields, [](const auto& x, const auto& y) {
        return x.first == y.first && equal(x.second, y.second);
      });
    default:
      return false;
  }
}

int compare_semver(std::string_view a, std::string_view b) {
  std::string_view a_rest = without_build(a);
  std::string_view b_rest = without_build(b);
  std::string_view a_core = first_part(a_rest, '-');
  std::string_view b_core = first_part(b_rest, '-');
  for (int i = 0; i < 3; ++i) {
    const int order = compare_digits(first_part(a_core, '.'), first_part(b_core, '.'));
    if (order != 0) return sign(order);
  }
  // A version without a pre-release stands above one that has it.
  if (a_rest.empty() || b_rest.empty()) {
    return a_rest.empty() == b_rest.empty() ? 0 : a_rest.empty() ? 1 : -1;
  }
  while (!a_rest.empty() && !b_rest.empty()) {
    const int order = compare_identifiers(first_part(a_rest, '.'), first_part(b_rest, '.'));
    if (order != 0) return sign(order);
  }
  return a_rest.empty() == b_rest.empty() ? 0 : a_rest.empty() ? -1 : 1;
}

std::string parse_semver(std::string_view text, bool normalize) {
  if (normalize && text.starts_with('v')) text.remove_prefix(1);
  const std::size_t core_end = std::min(text.find_first_of("-+"), text.size());
  std::string_view core = text.substr(0, core_end);
  std::string out;
  int parts = 0;
  while (!core.empty() || (normalize && parts < 3)) {
    std::string_view part = core.empty() ? std::string_view("0") : first_part(core, '.');
    while (normalize && part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if (!is_digits(part) || (part.size() > 1 && part.front() == '0')) return {};
    out.append(out.empty() ? "" : ".").append(part);
    if (++parts > 3) return {};
  }
  if (parts != 3 || text.substr(0, core_end).ends_with('.')) return {};
  std::string_view rest = text.substr(core_end);
  const std::size_t build = rest.find('+');
  for (std::string_view words :
       {rest.substr(0, build),
        build == std::string_view::npos ? std::string_view() : rest.substr(build)}) {
    if (words.empty()) continue;
    words.remove_prefix(1);
    if (words.empty() || words.ends_with('.')) return {};
    while (!words.empty()) {
      if (!is_word(first_part(words, '.'))) return {};
    }
  }
  return out.append(rest);
}

}  // namespace gpushape::review::cel
