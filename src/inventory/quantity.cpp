#include "inventory/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gpushape::inventory {

namespace {

struct Suffix {
  std::string_view text;
  double factor;
};
constexpr double kKibi = 1024;
constexpr auto kSuffixes = std::to_array<Suffix>({
    {"", 1},
    {"n", 1e-9},
    {"u", 1e-6},
    {"m", 1e-3},
    {"k", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
    {"Ki", kKibi},
    {"Mi", kKibi* kKibi},
    {"Gi", kKibi* kKibi* kKibi},
    {"Ti", kKibi* kKibi* kKibi* kKibi},
    {"Pi", kKibi* kKibi* kKibi* kKibi* kKibi},
    {"Ei", kKibi* kKibi* kKibi* kKibi* kKibi* kKibi},
});
constexpr double kMost = 1152921504606846976.0;  // 2^60

}  // namespace

std::optional<double> quantity_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  // "1E" is a suffix and "1E3" an exponent: the number is read without one first.
  double value = 0;
  const char* const last = text.data() + text.size();
  auto read = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  if (read.ec != std::errc()) return std::nullopt;
  const bool has_exponent =
      read.ptr != last && (*read.ptr == 'e' || *read.ptr == 'E') && read.ptr + 1 != last;
  if (has_exponent) {
    read = std::from_chars(text.data(), last, value, std::chars_format::scientific);
    if (read.ec != std::errc()) return std::nullopt;
  }
  const std::string_view suffix(read.ptr, static_cast<std::size_t>(last - read.ptr));
  const auto row = std::ranges::find(kSuffixes, suffix, &Suffix::text);
  if (row == kSuffixes.end()) return std::nullopt;
  value *= row->factor;
  if (!std::isfinite(value) || value < 0 || value > kMost) return std::nullopt;
  return value;
}

}  // namespace gpushape::inventory
