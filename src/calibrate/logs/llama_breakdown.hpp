// llama.cpp's breakdown of memory, a table that its newer programs print at the end:
// "|   - CUDA0 (RTX 4090) | 24080 = 9436 + (14193 = 13169 + 38 + 985) + 451 |", in whole MiB.
// Source: llama.cpp common/fit.cpp (common_memory_breakdown_print).
#pragma once

#include <string_view>

#include "calibrate/logs/llama_state.hpp"

namespace gpushape::calibrate::logs {

void read_breakdown(std::string_view line, LlamaState& state);

/// Rounded to whole MiB: only where nothing better was printed.
void fill_from_breakdown(LlamaState& state);

}  // namespace gpushape::calibrate::logs
