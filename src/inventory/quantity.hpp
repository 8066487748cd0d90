// A quantity that an inventory can hold: document's reading of the text, within bounds.
#pragma once

#include <optional>
#include <string_view>

namespace gpushape::inventory {

/// Absent where the text is none, below 0 or beyond 2^60.
std::optional<double> quantity_of(std::string_view text);

}  // namespace gpushape::inventory
