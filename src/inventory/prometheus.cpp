#include "inventory/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace gpushape::inventory {
namespace {

using document::Node;
using domain::UsageSample;

constexpr double kLatestSecond = 1e11;

std::optional<double> figure_of(const Node& node) {
  if (node.is_number()) return node.number();
  const std::string& text = node.text();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<UsageSample> samples_of(const Node& series, std::string_view metric, double most,
                                    const Complain& complain) {
  std::vector<UsageSample> samples;
  const auto read = [&](const Node& node) {
    const auto& items = node.items();
    const auto time = items.size() == 2 ? figure_of(items[0]) : std::nullopt;
    const auto value = items.size() == 2 ? figure_of(items[1]) : std::nullopt;
    if (value && std::isnan(*value)) return;  // Prometheus' word for a series that ended
    const bool is_sane =
        time && value && *time >= 0 && *time <= kLatestSecond && *value >= 0 && *value <= most;
    if (!is_sane) {
      complain(node,
               fmt::format("{}: a sample is [seconds, \"value from 0 to {}\"]", metric, most));
      return;
    }
    samples.push_back({.seconds = *time, .value = *value});
  };
  if (const Node* const value = series.find("value")) read(*value);
  if (const Node* const values = series.find("values")) {
    for (const Node& value : values->items()) read(value);
  }
  std::ranges::stable_sort(samples, {}, &UsageSample::seconds);
  return samples;
}

}  // namespace gpushape::inventory
