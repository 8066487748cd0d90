#include "calibrate/error_summary.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace gpushape::calibrate {
namespace {

double middle_of(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// What was compared of these starts, with the start's name.
struct NamedError {
  const Figure* figure;
  std::string_view id;
};

std::vector<NamedError> errors_of(std::span<const Comparison> comparisons,
                                  std::span<const FigureOf> figures) {
  std::vector<NamedError> result;
  for (const Comparison& comparison : comparisons) {
    for (const FigureOf figure : figures) {
      const std::optional<Figure>& one = comparison.*figure;
      if (one) result.push_back({&*one, comparison.start.id});
    }
  }
  return result;
}

}  // namespace

ErrorSummary summarize(std::span<const Comparison> comparisons, FigureOf figure) {
  return summarize(comparisons, std::span(&figure, 1));
}

ErrorSummary summarize(std::span<const Comparison> comparisons, std::span<const FigureOf> figures) {
  ErrorSummary summary;
  std::vector<double> errors;
  std::vector<double> widths;
  for (const auto& [one, id] : errors_of(comparisons, figures)) {
    const double error = std::abs(one->error());
    errors.push_back(error);
    widths.push_back(one->width());
    summary.in_range += one->is_in_range() ? 1 : 0;
    if (error >= summary.worst) {
      summary.worst = error;
      summary.worst_gib = std::abs(one->error_gib());
      summary.worst_id = id;
    }
  }
  summary.count = errors.size();
  if (errors.empty()) return summary;
  for (const double error : errors) summary.mean_absolute += error;
  summary.mean_absolute /= static_cast<double>(errors.size());
  std::ranges::sort(errors);
  std::ranges::sort(widths);
  summary.median = middle_of(errors);
  summary.median_width = middle_of(widths);
  // The smallest error that at least 95 of 100 do not exceed.
  constexpr double kShare = 0.95;
  const auto rank =
      static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(errors.size())));
  summary.percentile_95 = errors[std::min(errors.size(), std::max<std::size_t>(rank, 1)) - 1];
  return summary;
}

}  // namespace gpushape::calibrate
