// Dates and times as logs and traces write them.
#pragma once

#include <optional>
#include <string_view>

namespace gpushape::inventory {

/// ISO 8601, seconds since 1970: "2023-11-16 18:15:46.6805900", "2024-05-10T00:00:00Z", with or
/// without a fraction and an offset. Absent where the text is nothing of that form.
std::optional<double> seconds_of_date(std::string_view text);

}  // namespace gpushape::inventory
