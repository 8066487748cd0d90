#include "calibrate/logs/unsloth.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// "Unsloth: vLLM loading … with actual GPU utilization = 59.59%", "Unsloth: Using conservativeness
/// = 1.0. Chunked prefill tokens = 512. Num Sequences = 160." After an engine that failed:
/// "Unsloth: Retrying vLLM to process 96 sequences and 256 tokens in tandem." Source: Unsloth's
/// unsloth_zoo/vllm_utils.py, load_vllm.
void read_sizes(std::string_view line, EngineStart& start) {
  constexpr double kPercent = 100;
  if (const auto rest = behind(line, "actual GPU utilization = ")) {
    if (const auto number = leading_number(*rest)) start.utilization = *number / kPercent;
    start.is_library = true;
  }
  if (const auto rest = behind(line, kUnslothRetry)) {
    start.is_library = true;
    start.max_num_seqs = leading_count(*rest);
    if (const auto tokens = behind(*rest, " sequences and "))
      start.max_num_batched_tokens = leading_count(*tokens);
  }
  if (const auto rest = behind(line, "Num Sequences = ")) start.max_num_seqs = leading_count(*rest);
  // A model of images gets one sequence, and steps as long as its context: one of Qwen2.5-VL-7B
  // says 2,048 here and 16,384 where the engine does.
  const bool has_images = start.max_num_seqs == 1;
  if (const auto rest = behind(line, "Chunked prefill tokens = "); rest && !has_images)
    start.max_num_batched_tokens = leading_count(*rest);
}

/// "Unsloth: vLLM Bitsandbytes config using kwargs = {…, 'llm_int8_skip_modules': ['lm_head',
/// 'model.layers.2.mlp'], …}". Source: unsloth_zoo/vllm_utils.py, patch_vllm_compute_dtype.
void read_kept_modules(std::string_view line, EngineStart& start) {
  constexpr std::size_t kMostModules = 1'000;
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  auto rest = behind(line, "'llm_int8_skip_modules': [");
  if (!rest) return;
  std::string_view list = rest->substr(0, rest->find(']'));
  std::vector<std::string> modules;
  while (!list.empty() && modules.size() < kMostModules) {
    const std::size_t first = list.find('\'');
    if (first == std::string_view::npos) break;
    list.remove_prefix(first + 1);
    const std::string_view name = list.substr(0, list.find('\''));
    if (!name.empty() && name.find_first_not_of(kOfNames) == std::string_view::npos)
      modules.emplace_back(name);
    list.remove_prefix(std::min(list.size(), name.size() + 1));
  }
  start.kept_modules = std::move(modules);
}

}  // namespace

void read_unsloth(std::string_view line, EngineStart& start) {
  if (!line.contains("Unsloth: ")) return;
  read_sizes(line, start);
  read_kept_modules(line, start);
}

}  // namespace gpushape::calibrate::logs
