#include "calibrate/log_text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace gpushape::calibrate {
namespace {

constexpr char kEscape = '\x1b';

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_of_name(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         letter == '_';
}

/// Copies `raw` without "ESC [ … letter" sequences and carriage returns.
void copy_plain(std::string_view raw, std::string& line) {
  line.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r') continue;
    if (raw[i] != kEscape) {
      line += raw[i];
      continue;
    }
    while (i + 1 < raw.size() && raw[i] != 'm' && raw[i] != 'K') ++i;
  }
}

std::string_view without_opening(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t:=([");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// The text between a quote and the next one like it.
std::string quoted(std::string_view text) {
  const std::size_t end = text.find(text.front(), 1);
  return std::string(text.substr(1, end == std::string_view::npos ? end : end - 1));
}

}  // namespace

bool next_line(std::string_view& text, std::string& line) {
  if (text.empty()) return false;
  const std::size_t end = text.find('\n');
  const std::string_view raw = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  copy_plain(raw.substr(0, kMostOfLine), line);
  return true;
}

std::optional<std::string_view> behind(std::string_view line, std::string_view words) {
  const std::size_t place = line.find(words);
  if (place == std::string_view::npos) return std::nullopt;
  return line.substr(place + words.size());
}

std::optional<double> leading_number(std::string_view text) {
  text = without_opening(text);
  const std::size_t end = text.find_first_not_of("0123456789.,-eE+");
  std::string digits;
  std::ranges::copy_if(text.substr(0, end), std::back_inserter(digits),
                       [](char letter) { return letter != ','; });
  double number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || rest == digits.data()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> leading_count(std::string_view text) {
  text = without_opening(text);
  std::int64_t count = 0;
  std::size_t digits = 0;
  constexpr std::size_t kMostDigits = 15;
  for (const char letter : text) {
    if (letter == ',' && digits > 0) continue;
    if (!is_digit(letter)) break;
    count = count * 10 + (letter - '0');
    if (++digits > kMostDigits) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  return count;
}

std::optional<double> leading_gib(std::string_view text) {
  const std::optional<double> number = leading_number(text);
  if (!number) return std::nullopt;
  text = without_opening(text);
  const std::size_t unit = text.find_first_not_of("0123456789.,-eE+ ");
  constexpr double kMibInGib = 1024;
  const bool is_mib = unit != std::string_view::npos && text[unit] == 'M';
  return is_mib ? *number / kMibInGib : *number;
}

std::optional<std::string> value_of_key(std::string_view line, std::string_view key) {
  for (std::size_t place = line.find(key); place != std::string_view::npos;
       place = line.find(key, place + 1)) {
    // A whole word: "model" is no part of "served_model_name".
    if (place > 0 && is_of_name(line[place - 1])) continue;
    std::string_view rest = line.substr(place + key.size());
    if (rest.starts_with('\'') || rest.starts_with('"')) rest.remove_prefix(1);
    const bool is_pair = rest.starts_with('=') || rest.starts_with(':');
    if (!is_pair) continue;
    rest.remove_prefix(1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.empty()) return std::string();
    if (rest.front() == '\'' || rest.front() == '"') return quoted(rest);
    return std::string(rest.substr(0, rest.find_first_of(",;)} \t")));
  }
  return std::nullopt;
}

std::string_view process_of(std::string_view line) {
  constexpr std::size_t kMostOfName = 64;
  std::string_view process;
  // Ray writes its own process before that of the worker: the last of a row is the one meant.
  for (std::size_t from = 0;;) {
    const std::size_t pid = line.find("pid=", from);
    if (pid == std::string_view::npos) return process;
    const std::size_t open = line.find_last_of("([", pid);
    const std::size_t close = line.find_first_of(")]", pid);
    if (open == std::string_view::npos || close == std::string_view::npos ||
        close - open > kMostOfName) {
      return process;
    }
    const bool is_in_row =
        process.empty() ||
        line.substr(from, open - from).find_first_not_of(' ') == std::string_view::npos;
    if (open < from || !is_in_row) return process;
    process = line.substr(open + 1, close - open - 1);
    from = close + 1;
  }
}

}  // namespace gpushape::calibrate
