#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace gpushape::cli {
namespace {

// No model, cluster or budget of ours comes near these; anything above is a slip of the keyboard.
constexpr std::int64_t kMostTokensWritten = 1LL << 40;
constexpr std::int64_t kMostBytes = 1LL << 50;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

std::unexpected<Diagnostics> refuse(const Given& given, std::string_view expected) {
  return failure(fmt::format("{}: '{}' is not {}", given.flag, given.text, expected));
}

/// Digits with one of `units` behind them. The product stays within `most`.
std::optional<std::int64_t> scaled(std::string_view text, std::span<const Unit> units,
                                   std::int64_t most, bool& is_too_large) {
  std::int64_t digits = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, digits);
  if (rest == text.data() || error == std::errc::invalid_argument) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  std::int64_t factor = 0;
  if (unit.empty()) factor = 1;
  for (const Unit& row : units) {
    if (row.name == unit) factor = row.factor;
  }
  if (factor == 0) return std::nullopt;
  std::int64_t product = 0;
  if (error == std::errc::result_out_of_range || __builtin_mul_overflow(digits, factor, &product) ||
      product > most) {
    is_too_large = true;
    return std::nullopt;
  }
  return product;
}

Result<std::int64_t> scaled_count(const Given& given, std::span<const Unit> units,
                                  std::int64_t least, std::int64_t most,
                                  std::string_view expected) {
  bool is_too_large = false;
  const std::optional<std::int64_t> value = scaled(given.text, units, most, is_too_large);
  if (is_too_large) {
    return failure(
        fmt::format("{}: {} is above the most that makes sense, {}", given.flag, given.text, most));
  }
  if (!value) return refuse(given, expected);
  if (*value < least) {
    return failure(
        fmt::format("{}: {} is below the least value, {}", given.flag, given.text, least));
  }
  return *value;
}

constexpr std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

constexpr auto kTokenUnits =
    std::to_array<Unit>({{"k", 1024}, {"K", 1024}, {"m", power(1024, 2)}, {"M", power(1024, 2)}});
// vLLM's argument parser: lower case decimal, upper case binary.
constexpr auto kEngineUnits = std::to_array<Unit>({{"k", 1000},
                                                   {"m", power(1000, 2)},
                                                   {"g", power(1000, 3)},
                                                   {"t", power(1000, 4)},
                                                   {"K", 1024},
                                                   {"M", power(1024, 2)},
                                                   {"G", power(1024, 3)},
                                                   {"T", power(1024, 4)}});
constexpr auto kByteUnits = std::to_array<Unit>({{"B", 1},
                                                 {"kB", 1000},
                                                 {"KB", 1000},
                                                 {"MB", power(1000, 2)},
                                                 {"GB", power(1000, 3)},
                                                 {"TB", power(1000, 4)},
                                                 {"KiB", 1024},
                                                 {"MiB", power(1024, 2)},
                                                 {"GiB", power(1024, 3)},
                                                 {"TiB", power(1024, 4)},
                                                 {"Ki", 1024},
                                                 {"Mi", power(1024, 2)},
                                                 {"Gi", power(1024, 3)},
                                                 {"Ti", power(1024, 4)}});

Result<Bytes> as_bytes(Result<std::int64_t> count) {
  if (!count) return std::unexpected(std::move(count.error()));
  return Bytes(*count);
}

}  // namespace

Result<std::int64_t> parse_count(const Given& given, std::int64_t least, std::int64_t most) {
  return scaled_count(given, {}, least, most, "a whole number");
}

Result<std::int64_t> parse_tokens(const Given& given) {
  return scaled_count(given, kTokenUnits, 1, kMostTokensWritten,
                      "a number of tokens such as 8192 or 32k");
}

Result<std::int64_t> parse_engine_count(const Given& given, std::int64_t most) {
  return scaled_count(given, kEngineUnits, 1, most, "a whole number such as 8192 or 8K");
}

Result<Bytes> parse_bytes(const Given& given) {
  return as_bytes(scaled_count(given, kByteUnits, 0, kMostBytes,
                               "a number of bytes such as 8589934592 or 8GiB"));
}

Result<Bytes> parse_engine_bytes(const Given& given) {
  // The engine's one-letter units, and ours, which no engine reads another way.
  const bool is_ours = given.text.ends_with('B') || given.text.ends_with('i');
  return as_bytes(scaled_count(
      given, is_ours ? std::span<const Unit>(kByteUnits) : std::span<const Unit>(kEngineUnits), 1,
      kMostBytes, "a number of bytes such as 8589934592 or 8GiB"));
}

namespace {

// Beyond any model; 10^15 parameters of 8 bits are a petabyte.
constexpr double kMostParameters = 1e15;

std::optional<double> parameters_of(std::string_view text) {
  double scale = 1;
  if (!text.empty()) {
    const char unit = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
    if (unit == 'M') scale = 1e6;
    if (unit == 'B') scale = 1e9;
    if (unit == 'T') scale = 1e12;
    if (scale > 1) text.remove_suffix(1);
  }
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && rest == text.data() + text.size() &&
                         std::isfinite(value) && value >= 0 && value * scale <= kMostParameters;
  return is_number ? std::optional(value * scale) : std::nullopt;
}

}  // namespace

Result<ParameterRange> parse_parameter_range(const Given& given) {
  const std::string_view text = given.text;
  const std::size_t dash = text.find('-');
  const bool is_range = dash != std::string_view::npos;
  const std::string_view low = is_range ? text.substr(0, dash) : text;
  const std::string_view high = is_range ? text.substr(dash + 1) : text;
  const auto least = is_range && low.empty() ? std::optional(0.0) : parameters_of(low);
  const auto most = is_range && high.empty() ? std::optional(kMostParameters) : parameters_of(high);
  if (!least || !most || *least > *most || text == "-")
    return refuse(given, "parameters such as 8B, 1B-10B, -3B or 70B-");
  // "8B" is said of models of 7.6 to 8.8 billion.
  const double slack = is_range ? 0 : 0.1;
  return ParameterRange{static_cast<std::int64_t>(*least * (1 - slack)),
                        static_cast<std::int64_t>(*most * (1 + slack))};
}

Result<double> parse_number(const Given& given, double above, double most) {
  double value = 0;
  const char* end = given.text.data() + given.text.size();
  const auto [rest, error] = std::from_chars(given.text.data(), end, value);
  if (rest != end || error == std::errc::invalid_argument || !std::isfinite(value)) {
    return refuse(given, "a number");
  }
  if (error == std::errc::result_out_of_range || !(value > above) || value > most) {
    return failure(fmt::format("{}: {} is out of range, expected a number above {} and at most {}",
                               given.flag, given.text, above, most));
  }
  return value;
}

Result<domain::EngineVersion> parse_version(const Given& given) {
  // "0.20.0rc1", "0.19.1.post1", "0.11.1+cu129": the facts are those of the release that it belongs
  // to.
  std::string_view release = given.text;
  for (const std::string_view suffix : {"rc", ".post", "post", ".dev", "dev", "+"}) {
    const std::size_t at = release.find(suffix);
    if (at != std::string_view::npos && at > 0) release = release.substr(0, at);
  }
  // A fourth number ("0.10.1.1") numbers a repeated build of the same release.
  if (std::ranges::count(release, '.') == 3) release = release.substr(0, release.rfind('.'));
  const std::optional<domain::EngineVersion> version = domain::engine_version(release);
  if (!version) return refuse(given, "a version such as 0.19 or 0.19.1");
  // "0.1.dev18496+g…" is what a build from a checkout without tags calls itself, whatever it holds.
  if (given.text.contains(".dev") && *version <= domain::EngineVersion{0, 1, 0}) {
    return failure(
        fmt::format("{}: '{}' is a build that does not know its release", given.flag, given.text),
        "name the release that it was built from, such as 0.19");
  }
  return *version;
}

}  // namespace gpushape::cli
