// TensorRT-LLM's start-up log: of the PyTorch backend, which profiles itself with a dummy step, and
// of built engines before it. Source: TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py,
// cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp and published logs of 0.5 to 1.2.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/start_parts.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// "[12/07/2025-10:00:00] [TRT-LLM] [RANK 1] [I] …" is "RANK 1".
std::string rank_process_in(std::string_view line) {
  const auto rest = behind(line, "[RANK ");
  return rest ? "RANK " + std::string(rest->substr(0, rest->find(']'))) : std::string();
}

/// "FP8." as "fp8".
std::string lower_word(std::string_view text) {
  std::string word(text.substr(0, text.find_first_of(" \t.,")));
  std::ranges::transform(word, word.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return word;
}

struct TrtFigurePhrase {
  std::string_view phrase;
  std::optional<double> RankReading::*figure;
};
constexpr auto kTrtFigures = std::to_array<TrtFigurePhrase>({
    {"(inside torch) in memory usage profiling: ", &RankReading::weights_gib},
    {"during inference (inside torch) in memory usage profiling: ", &RankReading::activation_gib},
    {"Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage profiling: ",
     &RankReading::non_torch_gib},
    {"available KV cache memory when calculating max tokens: ", &RankReading::pool_gib},
    {"Estimated max memory in KV cache : ", &RankReading::pool_gib},
    {"device total memory ", &RankReading::total_gib},
    {"in paged kv cache: total: ", &RankReading::total_gib},
});

void read_figures(std::string_view line, Start& state) {
  for (const TrtFigurePhrase& row : kTrtFigures) {
    // The weights' phrase is the end of the activation's.
    const bool is_other =
        row.figure == &RankReading::weights_gib && line.contains("during inference");
    const auto rest = behind(line, row.phrase);
    if (!rest || is_other) continue;
    if (RankReading* rank = state.rank(rank_process_in(line)))
      rank->*(row.figure) = leading_gib(*rest);
  }
  EngineStart& start = state.log.start;
  // A first pool serves the dummy step, the last one the requests.
  if (const auto rest = behind(line, "for max tokens in paged KV cache ("))
    start.pool_tokens = leading_count(*rest);
  if (const auto rest = behind(line, "[MemUsageChange] Allocated ");
      rest && line.contains("paged KV cache")) {
    if (RankReading* rank = state.rank(rank_process_in(line))) rank->pool_gib = leading_gib(*rest);
  }
  if (const auto rest = behind(line, "Using "); rest && line.contains("tokens in paged KV cache"))
    start.pool_tokens = leading_count(*rest);
  if (const auto rest = behind(line, "Allocate "); rest && rest->contains("bytes for k/v cache")) {
    constexpr double kGib = 1024.0 * 1024 * 1024;
    const auto bytes = leading_number(*rest);
    RankReading* rank = state.rank(rank_process_in(line));
    if (bytes && rank != nullptr) rank->pool_gib = *bytes / kGib;
  }
  if (const auto rest = behind(line, "Number of blocks in KV cache primary pool: "))
    start.pool_blocks = leading_count(*rest);
  if (const auto rest = behind(line, "Number of tokens per block: "))
    start.block_tokens = leading_count(*rest);
}

void read_settings(std::string_view line, Start& state) {
  EngineStart& start = state.log.start;
  for (const std::string_view words : {"TensorRT-LLM version: ", "TensorRT LLM version: "}) {
    if (const auto rest = behind(line, words))
      start.engine_version = std::string(rest->substr(0, rest->find_first_of(" \t,")));
  }
  if (const auto rest = behind(line, "fraction is set ")) start.utilization = leading_number(*rest);
  if (line.contains("max_seq_len=") && line.contains("max_num_tokens=")) {
    take_count(start.context_tokens, line, "max_seq_len");
    take_count(start.max_num_batched_tokens, line, "max_num_tokens");
    take_count(start.max_num_seqs, line, "max_batch_size");
  }
  // Newer releases print the arguments without a name.
  if (line.contains("LlmArgs") || line.contains("LLM Args") ||
      (line.contains("model='") && line.contains("tensor_parallel_size="))) {
    take_text(start.model, line, "model");
    take_count(start.tensor_parallel, line, "tensor_parallel_size");
    take_count(start.pipeline_parallel, line, "pipeline_parallel_size");
    take_count(start.context_tokens, line, "max_seq_len");
    take_count(start.max_num_seqs, line, "max_batch_size");
    take_count(start.max_num_batched_tokens, line, "max_num_tokens");
    take_number(start.utilization, line, "free_gpu_memory_fraction");
    if (is_true(line, "enable_attention_dp")) {
      start.engine = "tensorrt-llm";
      start.data_parallel = start.tensor_parallel;
      share_attention(start);
    }
  }
}

/// "Found /models/Llama-3.1-8B-Instruct-FP8/hf_quant_config.json, pre-quantized checkpoint is
/// used."
void read_checkpoint(std::string_view line, EngineStart& start) {
  constexpr std::string_view kFile = "/hf_quant_config.json, pre-quantized";
  const auto found = behind(line, "Found ");
  if (found && found->contains(kFile) && start.model.empty())
    start.model = std::string(found->substr(0, found->find(kFile)));
  if (const auto rest = behind(line, "Setting kv_cache_quant_algo="))
    start.kv_cache_type = lower_word(*rest);
}

/// trtllm-bench's report: "Model:  meta-llama/Llama-3.1-70B-Instruct", "TP Size:  8".
void read_report(std::string_view line, EngineStart& start) {
  const auto row = [&](std::string_view name) -> std::optional<std::string_view> {
    if (!line.starts_with(name)) return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of(" \t", name.size()), line.size()));
    return line;
  };
  if (const auto value = row("Model:")) start.model = std::string(*value);
  if (const auto value = row("KV Cache Dtype:")) start.kv_cache_type = lower_word(*value);
  if (const auto value = row("Quantization:")) start.quantization = lower_word(*value);
  if (const auto value = row("TP Size:"))
    start.tensor_parallel = leading_count(*value).value_or(start.tensor_parallel);
  if (const auto value = row("PP Size:"))
    start.pipeline_parallel = leading_count(*value).value_or(start.pipeline_parallel);
  if (const auto value = row("Max Runtime Batch Size:")) start.max_num_seqs = leading_count(*value);
  if (const auto value = row("Max Runtime Tokens:"))
    start.max_num_batched_tokens = leading_count(*value);
  constexpr double kPercent = 100;
  const auto share = row("KV Memory Percentage:");
  if (const auto number = share ? leading_number(*share) : std::nullopt)
    start.utilization = *number / kPercent;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTrtFailures = {{
    {"No available memory", "no memory was left for the KV cache"},
    {"OutOfMemoryError", "the GPU ran out of memory"},
    {"CUDA out of memory", "the GPU ran out of memory"},
}};

}  // namespace

bool is_tensorrt_llm(std::string_view line) {
  return line.contains("[TRT-LLM] [") || line.contains("[TensorRT-LLM]");
}

Result<EngineLog> read_tensorrt_llm(std::string_view text, const std::string& file) {
  Start state;
  for (std::string line; next_line(text, line);) {
    read_figures(line, state);
    read_settings(line, state);
    read_checkpoint(line, state.log.start);
    read_report(line, state.log.start);
    for (const auto& [words, reason] : kTrtFailures) {
      if (line.contains(words)) state.log.failure = std::string(reason);
    }
  }
  EngineLog log = finished(std::move(state), file);
  log.start.engine = "tensorrt-llm";
  if (!has_figures(log.start)) return without_figures("TensorRT-LLM", file);
  return log;
}

}  // namespace gpushape::calibrate::logs
