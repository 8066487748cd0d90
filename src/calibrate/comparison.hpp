// Prediction beside measurement: what an estimate says of an engine start, and what the engine
// printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/engine_start.hpp"
#include "calibrate/prediction.hpp"
#include "catalog/catalog.hpp"
#include "domain/range.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::calibrate {

/// One figure of a start, GiB as printed.
struct Figure {
  domain::Range predicted;
  double measured_gib = 0;

  /// (predicted - measured) / measured.
  [[nodiscard]] double error() const;
  [[nodiscard]] double error_gib() const { return predicted.expected.gib() - measured_gib; }
  /// Inside the predicted range, as far as two printed decimals tell.
  [[nodiscard]] bool is_in_range() const;
};

struct Comparison {
  EngineStart start;
  std::string excluded;  ///< why there is no prediction; empty where there is one
  std::optional<Figure> weights;
  std::optional<Figure> activation;
  std::optional<Figure> non_torch;
  std::optional<Figure> graphs;
  std::optional<Figure> pool;
  std::optional<TokenCheck> tokens;
  std::string without_pool;  ///< why the pool is not compared; empty where it is
};

/// Never fails: what cannot be compared is excluded with its reason.
Comparison compare(const EngineStart& start, const catalog::Catalog& catalog,
                   const profiles::Profiles& profiles);

/// Starts that ask for the same, once each, in their order.
std::vector<EngineStart> distinct(std::span<const EngineStart> starts);

/// Errors of one figure over many starts.
struct ErrorSummary {
  std::size_t count = 0;
  double median = 0;         ///< of the absolute relative errors
  double mean_absolute = 0;  ///< relative
  double worst = 0;          ///< relative, absolute value
  double worst_gib = 0;      ///< of the same start
  std::string worst_id;
  std::size_t in_range = 0;
};

using FigureOf = std::optional<Figure> Comparison::*;
ErrorSummary summarize(std::span<const Comparison> comparisons, FigureOf figure);

}  // namespace gpushape::calibrate
