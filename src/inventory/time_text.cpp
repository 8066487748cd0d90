#include "inventory/time_text.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>

namespace gpushape::inventory {
namespace {

/// Takes a number of so many digits, and the letter behind it where one is expected.
std::optional<int> take(std::string_view& text, std::size_t digits, char behind) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  const char* const end = text.data() + digits;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  text.remove_prefix(digits);
  if (behind == '\0') return value;
  if (text.empty() || (text.front() != behind && !(behind == 'T' && text.front() == ' ')))
    return std::nullopt;
  text.remove_prefix(1);
  return value;
}

/// "Z", "+01:00", "-0530" or nothing.
std::optional<int> offset_seconds(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z" || text == " UTC") return 0;
  const char sign = text.front();
  if (sign != '+' && sign != '-') return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> hours = take(text, 2, '\0');
  if (!hours) return std::nullopt;
  if (text.starts_with(':')) text.remove_prefix(1);
  const std::optional<int> minutes = text.empty() ? 0 : take(text, 2, '\0');
  if (!minutes || !text.empty()) return std::nullopt;
  const int seconds = (*hours * 60 + *minutes) * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<double> seconds_of_date(std::string_view text) {
  const auto year = take(text, 4, '-');
  const auto month = year ? take(text, 2, '-') : std::nullopt;
  const auto day = month ? take(text, 2, 'T') : std::nullopt;
  const auto hour = day ? take(text, 2, ':') : std::nullopt;
  const auto minute = hour ? take(text, 2, ':') : std::nullopt;
  const auto second = minute ? take(text, 2, '\0') : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  double fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    for (double part = 0.1; !text.empty() && text.front() >= '0' && text.front() <= '9';
         part /= 10) {
      fraction += part * (text.front() - '0');
      text.remove_prefix(1);
    }
  }
  const std::optional<int> offset = offset_seconds(text);
  if (!offset) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t whole = ((days * 24 + *hour) * 60 + *minute) * 60 + *second - *offset;
  return static_cast<double>(whole) + fraction;
}

}  // namespace gpushape::inventory
