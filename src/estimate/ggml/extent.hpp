// Lengths that follow the step: a graph is drawn once, and each step says how large it is.
//
// An extent is a count of units, or of products of two, and some more for every sequence: the rows
// of a mask are 1 x cells x tokens long, what a convolution is fed 1 x tokens + 3 x sequences.
// Extents are equal where every step makes them equal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace gpushape::estimate::ggml {

struct StepSizes {
  std::int64_t tokens = 512;   ///< of one physical batch, over all sequences
  std::int64_t outputs = 512;  ///< rows of logits
  std::int64_t cells = 0;      ///< of one sequence's cache
  std::int64_t window_cells = 0;
  std::int64_t sequences = 1;

  bool operator==(const StepSizes&) const = default;
};

enum class Unit : std::uint8_t { One, Token, Output, Cell, WindowCell };

struct Extent {
  std::int64_t count = 1;
  std::int64_t per_sequence = 0;
  Unit unit = Unit::One;
  Unit by = Unit::One;  ///< One, or not above `unit`

  constexpr Extent() = default;
  // A plain number is an extent, wherever shapes are written down.
  constexpr Extent(std::int64_t number) : count(number) {}  // NOLINT(google-explicit-constructor)
  constexpr explicit Extent(Unit one) : unit(one) {}

  [[nodiscard]] constexpr bool is_number() const { return unit == Unit::One && per_sequence == 0; }
  bool operator==(const Extent&) const = default;
};

constexpr Extent kTokens{Unit::Token};
constexpr Extent kOutputs{Unit::Output};
constexpr Extent kCells{Unit::Cell};
constexpr Extent kWindowCells{Unit::WindowCell};

constexpr Extent for_each_sequence(std::int64_t count) {
  Extent extent(0);
  extent.per_sequence = count;
  return extent;
}

constexpr Extent scaled(Extent extent, std::int64_t factor) {
  extent.count *= factor;
  extent.per_sequence *= factor;
  if (extent.count == 0) extent.unit = extent.by = Unit::One;
  return extent;
}

/// Without a rest.
constexpr Extent divided(Extent extent, std::int64_t divisor) {
  extent.count /= divisor;
  extent.per_sequence /= divisor;
  return extent;
}

constexpr Extent operator*(const Extent& a, const Extent& b) {
  if (a.is_number()) return scaled(b, a.count);
  if (b.is_number()) return scaled(a, b.count);
  const bool is_single = a.by == Unit::One && b.by == Unit::One;
  if (!is_single || a.per_sequence != 0 || b.per_sequence != 0)
    throw std::logic_error("no tensor of a step has as many dimensions that follow it");
  Extent product(a.count * b.count);
  product.unit = std::max(a.unit, b.unit);
  product.by = std::min(a.unit, b.unit);
  return product;
}

/// One of them is for each sequence alone.
constexpr Extent operator+(const Extent& a, const Extent& b) {
  Extent sum = a.count == 0 ? b : a;
  if (a.count != 0 && b.count != 0) throw std::logic_error("extents of two units have no sum");
  sum.per_sequence = a.per_sequence + b.per_sequence;
  return sum;
}

/// What a step makes of extents.
class StepLengths {
 public:
  explicit constexpr StepLengths(const StepSizes& sizes)
      : of_units_{1, sizes.tokens, sizes.outputs, sizes.cells, sizes.window_cells},
        sequences_(sizes.sequences) {}

  [[nodiscard]] constexpr std::int64_t of(const Extent& extent) const {
    return extent.count * of_units_[static_cast<std::size_t>(extent.unit)] *
               of_units_[static_cast<std::size_t>(extent.by)] +
           extent.per_sequence * sequences_;
  }

 private:
  std::array<std::int64_t, 5> of_units_;  ///< by Unit
  std::int64_t sequences_;
};

}  // namespace gpushape::estimate::ggml
