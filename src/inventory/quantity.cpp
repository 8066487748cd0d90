#include "inventory/quantity.hpp"

#include "document/quantity.hpp"

namespace gpushape::inventory {

namespace {

constexpr double kMost = 1152921504606846976.0;  // 2^60

}  // namespace

std::optional<double> quantity_of(std::string_view text) {
  const std::optional<double> value = document::quantity_of(text);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
}

}  // namespace gpushape::inventory
