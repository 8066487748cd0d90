// Two shapes of an answer side by side.
#pragma once

#include <string>

#include "domain/advice.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

/// Positions in the advice's shapes. Lines whose two values are equal are marked so.
std::string compare_shapes(const domain::Advice& advice, std::size_t first, std::size_t second,
                           const Style& style);

}  // namespace gpushape::render
