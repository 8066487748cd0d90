// A figure with bounds while it is being computed: bytes (or a plain number) as doubles, so that
// sums and products need no rounding on the way. Leaves this room as a domain::Range.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "domain/range.hpp"

namespace gpushape::estimate {

struct Spread {
  double low = 0;
  double expected = 0;
  double high = 0;

  bool operator==(const Spread&) const = default;
};

constexpr Spread certain(double value) { return {value, value, value}; }

constexpr Spread operator+(const Spread& a, const Spread& b) {
  return {a.low + b.low, a.expected + b.expected, a.high + b.high};
}
constexpr Spread& operator+=(Spread& a, const Spread& b) { return a = a + b; }
/// `factor` is not negative.
constexpr Spread operator*(const Spread& a, double factor) {
  return {a.low * factor, a.expected * factor, a.high * factor};
}
/// Neither is negative.
constexpr Spread scaled(const Spread& figure, const Spread& ratio) {
  return {figure.low * ratio.low, figure.expected * ratio.expected, figure.high * ratio.high};
}
constexpr Spread larger(const Spread& a, const Spread& b) {
  return {a.low > b.low ? a.low : b.low, a.expected > b.expected ? a.expected : b.expected,
          a.high > b.high ? a.high : b.high};
}

/// Low is rounded down, high up.
inline domain::Range to_range(const Spread& spread) {
  return {.low = Bytes(static_cast<std::int64_t>(std::floor(spread.low))),
          .expected = Bytes(std::llround(spread.expected)),
          .high = Bytes(static_cast<std::int64_t>(std::ceil(spread.high)))};
}
inline Spread to_spread(const domain::Range& range) {
  return {static_cast<double>(range.low.count()), static_cast<double>(range.expected.count()),
          static_cast<double>(range.high.count())};
}

/// The sum of figures whose errors have nothing to do with each other: the expected values add up,
/// the distances to the bounds add in squares (propagation of independent errors: JCGM 100:2008,
/// 5.1.2). The plain sum of the bounds would claim that every term errs to the same side at once.
class IndependentSum {
 public:
  void add(const domain::Range& range) {
    expected_ += range.expected;
    const auto down = static_cast<double>((range.expected - range.low).count());
    const auto up = static_cast<double>((range.high - range.expected).count());
    below_ += down * down;
    above_ += up * up;
  }
  [[nodiscard]] domain::Range range() const {
    return {.low = expected_ - Bytes(static_cast<std::int64_t>(std::ceil(std::sqrt(below_)))),
            .expected = expected_,
            .high = expected_ + Bytes(static_cast<std::int64_t>(std::ceil(std::sqrt(above_))))};
  }

 private:
  Bytes expected_;
  double below_ = 0;
  double above_ = 0;
};

inline domain::Range independent_sum(std::span<const domain::Range> ranges) {
  IndependentSum sum;
  for (const domain::Range& range : ranges) sum.add(range);
  return sum.range();
}

}  // namespace gpushape::estimate
