// SGLang's settings as its log lists them, "key=value, key=value": those that bear on memory beside
// the model, its format and the ranks that share it.
#pragma once

#include <string_view>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate::logs {

/// Source: SGLang python/sglang/srt/server_args.py.
void read_sglang_arguments(std::string_view line, EngineStart& start);

}  // namespace gpushape::calibrate::logs
