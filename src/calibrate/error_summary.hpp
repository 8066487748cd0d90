// How far the estimates of many published starts are off, all together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "calibrate/comparison.hpp"

namespace gpushape::calibrate {

/// Errors of figures over many starts.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0;         ///< of the absolute relative errors
  double percentile_95 = 0;  ///< the same
  double mean_absolute = 0;  ///< relative
  double worst = 0;          ///< relative, absolute value
  double worst_gib = 0;      ///< of the same start
  std::string worst_id;
  std::size_t in_range = 0;
  double median_width = 0;  ///< of the ranges, relative to what was measured
};

using FigureOf = std::optional<Figure> Comparison::*;
ErrorSummary summarize(std::span<const Comparison> comparisons, FigureOf figure);
/// Several figures of each start, together.
ErrorSummary summarize(std::span<const Comparison> comparisons, std::span<const FigureOf> figures);

}  // namespace gpushape::calibrate
