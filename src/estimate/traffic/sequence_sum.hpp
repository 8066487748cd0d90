// The sum over sequences in flight that do not know of each other: how much it is in a part of the
// time, and how often it is above a size.
//
// Up to a thousand sequences the distribution is computed, not fitted: one sequence's distribution
// is laid on a grid and its transform raised to the number of sequences (the transform of a sum of
// independent variables is the product of theirs). With more, the sum is so near to normal that
// mean, deviation and skewness tell it (Cornish and Fisher 1938, first term). Nothing is random.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gpushape::estimate {

/// What one sequence may take, in units (blocks), and how often it takes so many.
struct UnitShare {
  double units = 0;
  double share = 0;
};

class SequenceSum {
 public:
  /// `one` has at least one row, with units of 0 or more; shares add up to 1. `count` is at
  /// least 1.
  SequenceSum(std::span<const UnitShare> one, std::int64_t count);
  /// A sum that was observed at moments of equal weight; at least one.
  explicit SequenceSum(std::vector<double> observed);

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double deviation() const { return deviation_; }
  /// What the sum stays within for `level` of the time; 0 < level < 1.
  [[nodiscard]] double quantile(double level) const;
  /// How often it is above `units`.
  [[nodiscard]] double above(double units) const;

 private:
  void lay_on_grid(std::span<const UnitShare> one, std::int64_t count, double most);

  double mean_ = 0;
  double deviation_ = 0;
  double skewness_ = 0;
  double step_ = 0;               ///< of the grid; 0 where there is none
  std::vector<double> up_to_;     ///< part of the time that the sum is at most that point
  std::vector<double> observed_;  ///< ascending
};

}  // namespace gpushape::estimate
