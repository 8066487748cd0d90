#include "document/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gpushape::document {

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

}  // namespace

std::optional<double> quantity_of(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double number = 0;
  const char* const last = text.data() + text.size();
  // "1E" is a suffix where nothing follows, and an exponent before digits: what from_chars does.
  const auto [rest, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(last - rest));
  const auto row = std::ranges::find(kSuffixes, suffix, &Suffix::text);
  if (row == kSuffixes.end() || !std::isfinite(number * row->factor)) return std::nullopt;
  return number * row->factor;
}

}  // namespace gpushape::document
