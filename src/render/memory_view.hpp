// The memory of one GPU: the table of its parts, and the bar of the split.
#pragma once

#include "domain/estimate.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// Table, bar and legend; with Style::verbosity above 0 every term with formula, inputs and source.
void show_memory(Page& page, const domain::Estimate& estimate);

/// What is left for the KV cache on the GPU, and what that holds.
void show_capacity(Page& page, const domain::Estimate& estimate);

}  // namespace gpushape::render
