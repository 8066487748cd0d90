#include "base/calendar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gpushape {

namespace {

struct DurationUnit {
  char letter;
  std::int64_t seconds;
};
/// From the largest on.
constexpr std::array<DurationUnit, 4> kUnits = {{{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};
constexpr std::int64_t kMostSeconds = 100LL * 365 * 86'400;

/// The number that all of `text` is; no sign, no blank.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto unit = std::ranges::find(kUnits, text.back(), &DurationUnit::letter);
  const std::optional<std::int64_t> count = whole_number(text.substr(0, text.size() - 1));
  if (unit == kUnits.end() || !count || *count < 1 || *count > kMostSeconds / unit->seconds)
    return std::nullopt;
  return *count * unit->seconds;
}

std::string duration_text(std::int64_t seconds) {
  const auto unit = std::ranges::find_if(
      kUnits, [seconds](const DurationUnit& row) { return seconds % row.seconds == 0; });
  return fmt::format("{}{}", seconds / unit->seconds, unit->letter);
}

std::optional<std::chrono::sys_days> parse_date(std::string_view text) {
  constexpr std::size_t kLength = 10;  // YYYY-MM-DD
  if (text.size() != kLength || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = whole_number(text.substr(0, 4));
  const auto month = whole_number(text.substr(5, 2));
  const auto day = whole_number(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::string date_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace gpushape
