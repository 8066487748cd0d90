// The words of a CEL expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "review/cel/expression.hpp"

namespace gpushape::review::cel {

struct Token {
  enum class Kind : std::uint8_t { Name, Sign, Value, End };

  Kind kind = Kind::End;
  std::string text{};  ///< as written
  Value value{};       ///< of a Value
  std::size_t offset = 0;
};

/// The last token is always an End.
std::expected<std::vector<Token>, Fault> scan(std::string_view text);

}  // namespace gpushape::review::cel
