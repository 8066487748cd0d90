// A value together with where it came from, so that every answer can say which of its inputs were
// assumed.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "base/name_table.hpp"

namespace gpushape::domain {

enum class Origin { Default, Flag, File, Catalog, Computed, Measured };

/// A declared or derived fact. `from` is a short text for people: "--isolation", "workload.yaml:7",
/// "vLLM 0.19 default", "config.json"; for a default, the reason it was chosen.
template <class T>
struct Fact {
  T value{};
  Origin origin = Origin::Default;
  std::string from;

  bool operator==(const Fact&) const = default;
};

template <class T>
Fact<T> defaulted(T value, std::string why = {}) {
  return {std::move(value), Origin::Default, std::move(why)};
}

/// Where one fact of a model or a device comes from.
struct FactSource {
  std::string fact;    ///< "headDim", "memory.nvmlMib" …
  std::string source;  ///< an address, a file, or the rule of the family that supplies the default

  bool operator==(const FactSource&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Origin> = std::to_array<NameRow<domain::Origin>>({
    {domain::Origin::Default, "default", "nobody said; the product's default"},
    {domain::Origin::Flag, "flag", "given on the command line"},
    {domain::Origin::File, "file", "given in a document"},
    {domain::Origin::Catalog, "catalog", "a fact of the model, engine or device"},
    {domain::Origin::Computed, "computed", "follows from other facts"},
    {domain::Origin::Measured, "measured", "observed on a real system"},
});
}  // namespace gpushape
