// The memory of one GPU: the table of its parts, and the bar of the split.
#pragma once

#include <string>

#include "domain/estimate.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// Table, bar and legend; with Style::verbosity above 0 every term with formula, inputs and source.
void show_memory(Page& page, const domain::Estimate& estimate);

/// "40C of h100-sxm-80", "h100-sxm-80", or the total where no device was named.
std::string place_name(const domain::Capacity& capacity);

/// What is left for the KV cache on the GPU, and what that holds.
void show_capacity(Page& page, const domain::Estimate& estimate);

}  // namespace gpushape::render
