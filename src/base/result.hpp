// A value, or everything that was wrong with the input it was to be made from.
#pragma once

#include <expected>
#include <utility>

#include "base/diagnostic.hpp"

namespace gpushape {

template <class T>
using Result = std::expected<T, Diagnostics>;

inline std::unexpected<Diagnostics> failure(Diagnostic diagnostic) {
  Diagnostics all;
  all.push_back(std::move(diagnostic));
  return std::unexpected(std::move(all));
}
inline std::unexpected<Diagnostics> failure(Diagnostics diagnostics) {
  return std::unexpected(std::move(diagnostics));
}
inline std::unexpected<Diagnostics> failure(std::string message, std::string help = {}) {
  return failure(complaint(std::move(message), std::move(help)));
}

}  // namespace gpushape
