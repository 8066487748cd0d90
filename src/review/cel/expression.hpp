// The tree of a CEL expression. Bounded in length and depth as the API server bounds it, so that
// walking it by recursion is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "review/cel/value.hpp"

namespace gpushape::review::cel {

/// resource.k8s.io/v1 types.go, CELSelectorExpressionMaxLength.
inline constexpr std::size_t kMostLetters = std::size_t{10} * 1024;

enum class Op : std::uint8_t {
  Literal,
  Name,            ///< `name`
  Select,          ///< child 0, `name`
  OptionalSelect,  ///< a.?b
  Index,           ///< child 0, child 1
  OptionalIndex,   ///< a[?b]
  Call,            ///< `name`; with `has_receiver` the first child is what it is called on
  List,
  Map,  ///< keys and values in turn
  Not,
  Negate,
  And,  ///< two or more children
  Or,
  Choose,   ///< c ? a : b
  Compare,  ///< `name` is the sign: ==, !=, <, <=, >, >=, in
  Arithmetic,
  Has,    ///< of a Select
  Macro,  ///< `name` of all, exists, exists_one, filter, map; range, body[, result]; `variable`
  Bind,   ///< cel.bind(variable, child 0, child 1)
};

struct Expression {
  Op op = Op::Literal;
  std::size_t offset = 0;  ///< in bytes from the beginning of the text
  std::string name;
  std::string variable;
  bool has_receiver = false;
  int depth = 1;  ///< of the tree below, itself included
  Value literal;
  std::vector<Expression> children;
};

struct Fault {
  std::string message;
  std::size_t offset = 0;
};

std::expected<Expression, Fault> parse(std::string_view text);

}  // namespace gpushape::review::cel
