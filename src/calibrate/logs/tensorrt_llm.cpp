// TensorRT-LLM's start-up log: of the PyTorch backend, which profiles itself with a dummy step, and
// of built engines before it. Source: TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py,
// cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp and published logs of 0.5 to 1.2.
#include <algorithm>
#include <array>
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

struct TrtFigurePhrase {
  std::string_view phrase;
  std::optional<double> RankReading::* figure;
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
  if (const auto rest = behind(line, "TensorRT-LLM version: "))
    start.engine_version = std::string(rest->substr(0, rest->find_first_of(" \t,")));
  if (const auto rest = behind(line, "fraction is set ")) start.utilization = leading_number(*rest);
  if (line.contains("max_seq_len=") && line.contains("max_num_tokens=")) {
    take_count(start.context_tokens, line, "max_seq_len");
    take_count(start.max_num_batched_tokens, line, "max_num_tokens");
    take_count(start.max_num_seqs, line, "max_batch_size");
  }
  if (line.contains("LlmArgs") || line.contains("LLM Args")) {
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
