// What the sequences in flight hold together, in tokens or in any unit that follows from each one's
// length: the quantile that memory is sized by, with the bounds of what it rests on.
#pragma once

#include <functional>

#include "domain/traffic.hpp"
#include "estimate/spread.hpp"
#include "estimate/traffic/sequence_sum.hpp"

namespace gpushape::estimate {

/// Units that one sequence takes at so many tokens: blocks, bytes, tokens.
using UnitsOf = std::function<double(double tokens)>;

class JointDemand {
 public:
  /// `count` sequences, each as long as requests are at their end.
  JointDemand(const domain::Lengths& lengths, std::int64_t count, const UnitsOf& units_of);
  /// What was in flight when the trace was played back.
  JointDemand(const domain::Replay& replay, const UnitsOf& units_of);

  /// What all of them stay within for `level` of the time.
  [[nodiscard]] double quantile(double level) const;
  /// The same with bounds.
  [[nodiscard]] Spread bounded(double level) const;
  /// How often they take more than that.
  [[nodiscard]] double above(double units) const;

 private:
  void set_bounds(const domain::Lengths& lengths, std::int64_t count, const UnitsOf& units_of);

  SequenceSum sum_;
  double margin_ = 1;       ///< on everything
  bool is_normal_ = false;  ///< without the skewness of the sum
  double least_ = 0;        ///< from `least_level_` on
  double least_level_ = 1;
  // How wrong it may be: everything, and what goes beyond the mean.
  double low_ = 1;
  double high_ = 1;
  double low_deviation_ = 1;
  double high_deviation_ = 1;
};

/// The same in tokens.
double tokens_in_flight(const domain::Lengths& lengths, std::int64_t count, double level);

}  // namespace gpushape::estimate
