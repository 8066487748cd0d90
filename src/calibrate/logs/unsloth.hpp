// What Unsloth prints around the engine of vLLM that it starts for training. Source: Unsloth's
// unsloth_zoo/vllm_utils.py.
#pragma once

#include <string_view>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate::logs {

/// When an engine of its own failed, before it makes another.
inline constexpr std::string_view kUnslothRetry = "Unsloth: Retrying vLLM to process ";

void read_unsloth(std::string_view line, EngineStart& start);

}  // namespace gpushape::calibrate::logs
