// Which kernels a start of vLLM chose, or was told to take: of sampling, of attention, of latents.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate::logs {

/// "FLASHINFER" of "AttentionBackendEnum.FLASHINFER".
std::string backend_name(std::string_view word);
/// Whether words ask vLLM for keys and values in place of latents: "VLLM_MLA_DISABLE=1",
/// "VLLM_MLA_DISABLE: '1'".
bool asks_to_unfold(std::string_view words);
void read_kernels(std::string_view line, EngineStart& start);

}  // namespace gpushape::calibrate::logs
