// SGLang's settings as its log lists them, "key=value, key=value": those that bear on memory beside
// the model, its format and the ranks that share it.
#pragma once

#include <optional>
#include <string_view>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate::logs {

/// What was free before a model was loaded, GiB: "Load weight begin. avail mem=112.24 GB", or what
/// is left and what was taken, "Load weight end. …, avail mem=74.28 GB, mem usage=0.74 GB."
std::optional<double> free_before_loading(std::string_view line);

/// Of FP4 the sizes of "KV Cache is allocated." leave out the scales, one byte for 16 values, in
/// builds whose line does not say the type: 5,539,718 tokens of Qwen2.5-1.5B, 28 layers of 2 x 256
/// values, print 36.98 GiB, half a byte each, and take 43.0 of what was free with the buffers
/// beside them (https://github.com/jethac/dgx-spark-hijinks).
bool leaves_scales_out(std::string_view kv_cache_type, std::string_view line);
inline constexpr double kWithScales = 9.0 / 8;

/// Source: SGLang python/sglang/srt/server_args.py.
void read_sglang_arguments(std::string_view line, EngineStart& start);

}  // namespace gpushape::calibrate::logs
