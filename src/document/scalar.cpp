#include "document/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Word {
  std::string_view text;
  enum class Meaning { Null, True, False, Infinity, MinusInfinity, Nan } meaning;
};
using enum Word::Meaning;
constexpr auto kWords = std::to_array<Word>({
    {"", Null},
    {"~", Null},
    {"null", Null},
    {"Null", Null},
    {"NULL", Null},
    {"y", True},
    {"Y", True},
    {"yes", True},
    {"Yes", True},
    {"YES", True},
    {"true", True},
    {"True", True},
    {"TRUE", True},
    {"on", True},
    {"On", True},
    {"ON", True},
    {"n", False},
    {"N", False},
    {"no", False},
    {"No", False},
    {"NO", False},
    {"false", False},
    {"False", False},
    {"FALSE", False},
    {"off", False},
    {"Off", False},
    {"OFF", False},
    {".nan", Nan},
    {".NaN", Nan},
    {".NAN", Nan},
    {".inf", Infinity},
    {".Inf", Infinity},
    {".INF", Infinity},
    {"+.inf", Infinity},
    {"+.Inf", Infinity},
    {"+.INF", Infinity},
    {"-.inf", MinusInfinity},
    {"-.Inf", MinusInfinity},
    {"-.INF", MinusInfinity},
});

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

Node value_of(Word::Meaning meaning) {
  switch (meaning) {
    case Null:
      return {};
    case True:
      return true;
    case False:
      return false;
    case Infinity:
      return kInfinity;
    case MinusInfinity:
      return -kInfinity;
    case Nan:
      return kNan;
  }
  return {};
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text;
}

// Takes the prefix off.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits.front() != '0') return 10;
  const char letter = static_cast<char>(digits[1] | 0x20);  // in lower case
  const bool has_letter = letter == 'x' || letter == 'b' || letter == 'o';
  digits.remove_prefix(has_letter ? 2 : 1);
  if (letter == 'x') return 16;
  return letter == 'b' ? 2 : 8;
}

// Go's strconv.ParseInt with base 0: a sign, then 0x, 0b, 0o or a leading 0 (octal), else decimal.
// What does not fit 64 bits becomes a Number.
std::optional<Node> resolve_integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = without_sign(text);
  const int base = take_base(digits);
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  std::uint64_t magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (rest != end) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error == std::errc() && magnitude <= kMost) {
    const auto value = static_cast<std::int64_t>(magnitude);
    return is_negative ? -value : value;
  }
  if (error == std::errc() && is_negative && magnitude == kMost + 1) {
    return std::numeric_limits<std::int64_t>::min();
  }
  double value = 0;
  for (const char digit : digits) {
    value = value * base + (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
  }
  if (base == 10) value = to_double(digits);
  return is_negative ? -value : value;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_decimal(std::string_view text) {
  text = without_sign(text);
  const auto take_digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const std::size_t whole = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits() + whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text = without_sign(text.substr(1));
  return take_digits() > 0 && text.empty();
}

// Anything that begins like a number and holds only what the numbers, dates and times of YAML 1.1
// and 1.2 hold. Some strings that are safe ("1-2") are quoted with them.
bool could_be_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  // "E0": the float of the YAML 1.1 type repository needs no digit before its exponent.
  if (digits.starts_with('e') || digits.starts_with('E')) {
    const std::string_view exponent = without_sign(digits.substr(1));
    return !exponent.empty() && std::ranges::all_of(exponent, is_digit);
  }
  if (digits.empty() || (!is_digit(digits.front()) && digits.front() != '.')) return false;
  const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  return digits.substr(is_hexadecimal ? 2 : 0)
             .find_first_not_of(is_hexadecimal
                                    ? "0123456789abcdefABCDEF_"
                                    : "0123456789_.:+-eEoObBtTzZ ") == std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter | 0x20);
  }
  return result;
}

bool is_word(std::string_view text) {
  constexpr std::size_t kLongestWord = 5;
  if (text.size() > kLongestWord) return false;
  const std::string lower = lower_case(text);
  return std::ranges::any_of(kWords, [&](const Word& word) { return word.text == lower; }) ||
         lower_case(without_sign(text)) == ".inf" || lower == ".nan";
}

}  // namespace

double to_double(std::string_view decimal) {
  if (decimal.starts_with('+')) decimal.remove_prefix(1);
  double value = 0;
  const auto [rest, error] =
      std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  // Too large or too small: the place of the first digit that counts decides.
  const bool is_negative = decimal.starts_with('-');
  decimal = without_sign(decimal);
  const std::size_t exponent_at = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::string_view mantissa = decimal.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_not_of("0."), mantissa.size());
  const auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t exponent = 0;
  if (exponent_at < decimal.size()) {
    std::string_view digits = decimal.substr(exponent_at + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
    if (parsed == std::errc::result_out_of_range) {
      constexpr std::int64_t kBeyondAnyText = std::int64_t{1} << 40U;
      exponent = digits.starts_with('-') ? -kBeyondAnyText : kBeyondAnyText;
    }
  }
  const double size = magnitude + exponent > 0 ? kInfinity : 0.0;
  return is_negative ? -size : size;
}

Node resolve_plain(std::string_view text) {
  constexpr std::string_view kFirstLetters = "+-.~0123456789yYnNtTfFoO";
  if (!text.empty() && !kFirstLetters.contains(text.front())) return text;
  for (const Word& word : kWords) {
    if (word.text == text) return value_of(word.meaning);
  }
  if (text.starts_with('.')) return is_decimal(text) ? Node(to_double(text)) : Node(text);
  if (!is_digit(text.front()) && text.front() != '+' && text.front() != '-') return text;
  std::string digits(text);
  std::erase(digits, '_');
  if (std::optional<Node> integer = resolve_integer(digits)) return *std::move(integer);
  return is_decimal(digits) ? Node(to_double(digits)) : Node(text);
}

bool is_safe_unquoted(std::string_view text) {
  if (text.empty() || is_word(text) || could_be_number(text)) return false;
  const char first = text.front();
  const bool begins_well = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                           is_digit(first) || (static_cast<unsigned char>(first) & 0x80U) != 0 ||
                           std::string_view("_/.+$(^;\\").contains(first);
  if (!begins_well || text.starts_with("...") || text.ends_with(' ') || text.ends_with(':')) {
    return false;
  }
  if (text.contains(": ") || text.contains(" #")) return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0 || !is_printable(code_point_at(text, i))) return false;
    i += length;
  }
  return true;
}

}  // namespace gpushape::document
