#include "schema/token_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/edit_distance.hpp"
#include "schema/limits.hpp"
#include "schema/token_count.hpp"

namespace gpushape::schema {

using domain::Percentile;
using domain::TokenFigures;

namespace {

constexpr double kLeastLevel = 0.5;
constexpr double kMostLevel = 0.9999;  // ours: beyond it no trace that people have says anything

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Tokens: with k or m as counts have them, or a number with decimals for a mean.
std::optional<double> tokens_of(std::string_view text) {
  if (const std::optional<std::int64_t> count = token_count(text))
    return static_cast<double>(*count);
  return number_of(text);
}

std::optional<double> rank_of(std::string_view name) {
  if (name == "min") return 0;
  if (name == "max") return 100;
  if (name == "median") return 50;
  if (!name.starts_with('p') && !name.starts_with('P')) return std::nullopt;
  const std::optional<double> rank = number_of(name.substr(1));
  return rank && *rank >= 0 && *rank <= 100 ? rank : std::nullopt;
}

Diagnostics refuse(std::string message, std::string help) {
  return {complaint(std::move(message), std::move(help))};
}

const std::vector<std::string> kNamesOfFigures = {"mean",   "sd",  "min", "max",
                                                  "median", "p50", "p95", "p99"};
constexpr std::string_view kForms =
    "write a number of tokens, or p50=900,p95=3200, or mean=1100,sd=1000";

}  // namespace

std::string percentile_name(double rank) { return fmt::format("p{:g}", rank); }

Diagnostics set_token_figure(TokenFigures& figures, std::string_view name, double tokens,
                             std::string_view what) {
  if (!(tokens >= 0) || tokens > static_cast<double>(kTokensBounds.most)) {
    return refuse(fmt::format("{}: {} is {:g}, which is not between 0 and {}", what, name, tokens,
                              kTokensBounds.most),
                  std::string(kForms));
  }
  const auto twice = [&] {
    return refuse(fmt::format("{}: {} is given twice", what, name), "leave one of them out");
  };
  if (name == "mean" || name == "avg") {
    if (figures.mean) return twice();
    figures.mean = tokens;
    return {};
  }
  if (name == "sd" || name == "stddev" || name == "std") {
    if (figures.deviation) return twice();
    figures.deviation = tokens;
    return {};
  }
  const std::optional<double> rank = rank_of(name);
  if (!rank) {
    return refuse(fmt::format("{}: '{}' is not known", what, name),
                  suggestion(name, kNamesOfFigures, kForms));
  }
  if (std::ranges::find(figures.percentiles, *rank, &Percentile::rank) != figures.percentiles.end())
    return twice();
  figures.percentiles.push_back({.rank = *rank, .tokens = tokens});
  return {};
}

Diagnostics finish_token_figures(TokenFigures& figures, std::string_view what) {
  std::vector<Percentile>& percentiles = figures.percentiles;
  std::ranges::sort(percentiles, {}, &Percentile::rank);
  for (std::size_t i = 1; i < percentiles.size(); ++i) {
    if (percentiles[i].tokens >= percentiles[i - 1].tokens) continue;
    return refuse(fmt::format("{}: {} ({:g}) is below {} ({:g})", what,
                              percentile_name(percentiles[i].rank), percentiles[i].tokens,
                              percentile_name(percentiles[i - 1].rank), percentiles[i - 1].tokens),
                  "percentiles rise with their rank: swap the two?");
  }
  if (figures.mean && !percentiles.empty() && percentiles.back().rank >= 100 &&
      percentiles.back().tokens < *figures.mean) {
    return refuse(fmt::format("{}: the longest ({:g}) is below the mean ({:g})", what,
                              percentiles.back().tokens, *figures.mean),
                  "swap the two?");
  }
  if (figures.deviation && !figures.mean) {
    return refuse(
        fmt::format("{}: sd says how far lengths lie from a mean that is not given", what),
        "add mean=…");
  }
  const auto inner = std::ranges::count_if(percentiles, [](const Percentile& percentile) {
    return percentile.rank > 0 && percentile.rank < 100;
  });
  if (!figures.mean && inner < 2) {
    return refuse(
        fmt::format("{}: that is too little to tell how long requests are together", what),
        "give two percentiles (p50=900,p95=3200), or the mean");
  }
  // Two percentiles make a lognormal, which nothing has at a length of 0.
  if (!figures.mean && inner == 2 && percentiles.size() == 2 && percentiles.front().tokens == 0 &&
      percentiles.back().tokens > 0) {
    return refuse(fmt::format("{}: {} is 0", what, percentile_name(percentiles.front().rank)),
                  "give a higher percentile, or the mean");
  }
  return {};
}

Result<TokenFigures> parse_token_figures(std::string_view text, std::string_view what) {
  TokenFigures figures;
  if (!text.contains('=')) {
    const std::optional<double> tokens = tokens_of(text);
    if (!tokens) {
      return failure(fmt::format("{}: '{}' is no number of tokens", what, text),
                     std::string(kForms));
    }
    figures.deviation = 0;
    if (Diagnostics faults = set_token_figure(figures, "mean", *tokens, what); !faults.empty())
      return failure(std::move(faults));
    return figures;
  }
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    const std::optional<double> tokens = tokens_of(value);
    if (!tokens) {
      return failure(fmt::format("{}: '{}' is no figure with a number of tokens", what, part),
                     std::string(kForms));
    }
    if (Diagnostics faults = set_token_figure(figures, part.substr(0, equals), *tokens, what);
        !faults.empty())
      return failure(std::move(faults));
  }
  if (Diagnostics faults = finish_token_figures(figures, what); !faults.empty())
    return failure(std::move(faults));
  return figures;
}

Result<double> parse_service_level(std::string_view text, std::string_view what) {
  std::string_view digits = text;
  const bool is_rank = digits.starts_with('p') || digits.starts_with('P') || digits.ends_with('%');
  if (digits.starts_with('p') || digits.starts_with('P')) digits.remove_prefix(1);
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const std::optional<double> number = number_of(digits);
  if (!number) {
    return failure(fmt::format("{}: '{}' is no service level", what, text),
                   "write p99, 99.9 or 0.99");
  }
  const double level = is_rank || *number > 1 ? *number / 100 : *number;
  if (level >= kLeastLevel && level <= kMostLevel) return level;
  return failure(fmt::format("{}: {} is not between p{:g} and p{:g}", what, text, kLeastLevel * 100,
                             kMostLevel * 100),
                 "it is the part of the time that the memory must do: p99 is usual; what must "
                 "always do is --concurrency at the full --context");
}

}  // namespace gpushape::schema
