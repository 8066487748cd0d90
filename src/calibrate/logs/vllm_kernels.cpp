#include "calibrate/logs/vllm_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// Source: vLLM v1/sample/ops/topk_topp_sampler.py.
void read_sampler(std::string_view line, EngineStart& start) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"FlashInfer top-p/top-k sampling is available but disabled",
       "PyTorch-native implementation of top-p", "VLLM_USE_FLASHINFER_SAMPLER=0"});
  if (line.contains("Using FlashInfer for top-p")) start.samples_with_flashinfer = true;
  if (std::ranges::any_of(kOthers, [&](std::string_view words) { return line.contains(words); }))
    start.samples_with_flashinfer = false;
}

/// "MLA is not supported with awq quantization. Disabling MLA." of 0.7.1 and 0.7.2, and the
/// variable.
void read_latents(std::string_view line, EngineStart& start) {
  if (line.contains("Disabling MLA.") || asks_to_unfold(line)) start.unfolds_latents = true;
}

/// "Using FLASHINFER attention backend out of potential backends: […]", or to 0.19 "Using
/// AttentionBackendEnum.FLASHINFER backend.": the first of them is that of the decoder.
void read_attention_backend(std::string_view line, EngineStart& start) {
  const auto rest = behind(line, "Using ");
  if (!rest || !start.attention_backend.empty()) return;
  const std::size_t end = rest->find(' ');
  if (end == std::string_view::npos) return;
  const std::string_view behind_name = rest->substr(end);
  if (behind_name.starts_with(" attention backend out of") ||
      (rest->starts_with("AttentionBackendEnum.") && behind_name.starts_with(" backend")))
    start.attention_backend = backend_name(rest->substr(0, end));
}

}  // namespace

std::string backend_name(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  return std::string(dot == std::string_view::npos ? word : word.substr(dot + 1));
}

bool asks_to_unfold(std::string_view words) {
  const auto value = behind(words, "VLLM_MLA_DISABLE");
  if (!value) return false;
  const std::size_t start = value->find_first_not_of(" =:\"'");
  return start != std::string_view::npos && (*value)[start] == '1';
}

void read_kernels(std::string_view line, EngineStart& start) {
  read_sampler(line, start);
  read_latents(line, start);
  read_attention_backend(line, start);
}

}  // namespace gpushape::calibrate::logs
