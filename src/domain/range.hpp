// A byte figure with honest bounds: reality lies in [low, high] at least 95 times in 100;
// `expected` is the best guess.
#pragma once

#include "base/bytes.hpp"

namespace gpushape::domain {

struct Range {
  Bytes low;
  Bytes expected;
  Bytes high;

  bool operator==(const Range&) const = default;
};

constexpr Range exactly(Bytes value) { return {value, value, value}; }

}  // namespace gpushape::domain
