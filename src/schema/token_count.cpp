#include "schema/token_count.hpp"

#include <charconv>
#include <system_error>

namespace gpushape::schema {

std::optional<std::int64_t> token_count(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  std::int64_t unit = 1;
  if (text == "k" || text == "K") {
    unit = 1024;
  } else if (text == "m" || text == "M") {
    unit = std::int64_t{1024} * 1024;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  if (__builtin_mul_overflow(count, unit, &count)) return std::nullopt;
  return count;
}

}  // namespace gpushape::schema
