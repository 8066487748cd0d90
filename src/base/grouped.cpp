#include "base/grouped.hpp"

#include <cstddef>

namespace gpushape {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t from_right = 3; from_right + sign < digits.size(); from_right += 4) {
    digits.insert(digits.size() - from_right, 1, ',');
  }
  return digits;
}

}  // namespace gpushape
