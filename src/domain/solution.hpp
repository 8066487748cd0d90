// Inverse questions: which value of one variable is the last with which a workload fits, and what
// keeps the next one from fitting. "Fits" means at the high end of the range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/name_table.hpp"

namespace gpushape::domain {

enum class SolveFor { Context, Concurrency, Quant, Gpus, Utilization };

struct Solution {
  SolveFor variable = SolveFor::Context;
  /// Tokens, sequences, a quantization, GPUs, or a fraction; absent where no value fits.
  std::optional<std::variant<std::int64_t, double, std::string>> value;
  std::string binding_term;  ///< "kvPool", "modelContext", "weights" …
  std::string says;          ///< the same with its figures

  bool operator==(const Solution&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::SolveFor> = std::to_array<NameRow<domain::SolveFor>>({
    {domain::SolveFor::Context, "context", "the longest context"},
    {domain::SolveFor::Concurrency, "concurrency", "the most sequences in flight"},
    {domain::SolveFor::Quant, "quant", "the highest precision"},
    {domain::SolveFor::Gpus, "gpus", "the fewest GPUs"},
    {domain::SolveFor::Utilization, "utilization", "the least fraction of the memory"},
});
}  // namespace gpushape

namespace gpushape::domain {
/// "the longest context".
constexpr std::string_view description_of(SolveFor variable) {
  for (const auto& row : kNames<SolveFor>) {
    if (row.value == variable) return row.description;
  }
  return {};
}
}  // namespace gpushape::domain
