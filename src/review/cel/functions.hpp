// The functions of CEL selectors: one row an overload, read by the checker and by the evaluator.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "review/cel/value.hpp"

namespace gpushape::review::cel {

inline constexpr std::size_t kMostParameters = 4;

struct Overload {
  std::string_view name;      ///< "compareTo", "sets.contains"
  bool has_receiver = false;  ///< the first parameter is what it is called on
  std::size_t parameters = 0;
  std::array<Kind, kMostParameters> kinds{};  ///< Dyn takes any
  Kind result = Kind::Dyn;
  Value (*call)(std::span<const Value>) = nullptr;
};

std::span<const Overload> overloads();

/// The first overload of that name that takes values (or types) of these kinds.
const Overload* find_overload(std::string_view name, bool has_receiver,
                              std::span<const Kind> kinds);
bool is_function(std::string_view name);
/// A function of Kubernetes' libraries that is not worked out here: its value is Unknown.
bool is_beyond(std::string_view name);

}  // namespace gpushape::review::cel
