// What vLLM's processes print of the memory of one rank.
#pragma once

#include <string_view>

#include "calibrate/logs/start_parts.hpp"

namespace gpushape::calibrate::logs {

/// Takes the figures of `line` into the rank whose process printed it, and what they say of the
/// whole start: the estimate of its graphs, why it was refused.
void read_vllm_figures(std::string_view line, Start& start);

}  // namespace gpushape::calibrate::logs
