// The normal distribution: its upper tail, and the value that a part of it stays below.
#pragma once

#include <cmath>
#include <numbers>

namespace gpushape::estimate {

/// The part above `z` standard deviations.
inline double normal_above(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

/// The standard deviations below which `level` lies, 2.326 for 0.99; by bisection. `level` lies
/// between 0 and 1.
inline double normal_quantile(double level) {
  double low = -40;
  double high = 40;
  constexpr int kSteps = 80;  // halvings: past the precision of a double
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (normal_above(middle) > 1 - level ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace gpushape::estimate
