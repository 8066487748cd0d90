// One constexpr table per enum: parsing, printing and help all read the same rows.
//
//   template <> inline constexpr auto kNames<Isolation> = std::to_array<NameRow<Isolation>>({
//       {Isolation::None, "none", "no other tenant, or one that is trusted"}, … });
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape {

template <class E>
struct NameRow {
  E value;
  std::string_view name;
  std::string_view description;
};

/// Specialise for every enum that is read or printed: rows in display order, one per enumerator.
template <class E>
inline constexpr auto kNames = std::array<NameRow<E>, 0>{};

template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& row : kNames<E>) {
    if (row.value == value) return row.name;
  }
  return "?";
}

template <class E>
constexpr std::optional<E> value_of(std::string_view name) {
  for (const auto& row : kNames<E>) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  names.reserve(kNames<E>.size());
  for (const auto& row : kNames<E>) names.emplace_back(row.name);
  return names;
}

}  // namespace gpushape
