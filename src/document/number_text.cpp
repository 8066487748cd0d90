#include "document/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace gpushape::document {

std::string number_text(double value) {
  constexpr std::size_t kLongest = 32;  // 17 digits, sign, point and exponent take 24
  std::array<char, kLongest> buffer{};
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  // YAML 1.1 takes a number without a point for an integer, or with an exponent for a string.
  if (!text.contains('.')) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

}  // namespace gpushape::document
