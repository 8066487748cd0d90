// Whole numbers divided upwards.
#pragma once

#include <cstdint>

namespace gpushape::estimate {

/// Both are not negative; nothing is divided by 0: that gives 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return b > 0 ? (a + b - 1) / b : 0;
}

}  // namespace gpushape::estimate
