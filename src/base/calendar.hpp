// Spans of time and days of the calendar as people write them: "8h", "2026-11-28". Nothing here
// asks a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpushape {

/// "90m", "8h", "14d", "30s" in seconds: a whole number above 0 and s, m, h or d; at most a
/// hundred years.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// Seconds in the largest unit that holds them whole: 5400 is "90m".
std::string duration_text(std::int64_t seconds);

/// A day as ISO 8601 writes it, "2026-11-28"; nothing for a day that no calendar has.
std::optional<std::chrono::sys_days> parse_date(std::string_view text);
std::string date_text(std::chrono::sys_days day);

}  // namespace gpushape
