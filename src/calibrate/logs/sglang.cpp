// SGLang's start-up log. It prints what is free before and after each step ("GB" that are GiB), the
// sizes of its pools, and every argument with its defaults taken; its release it does not print, so
// that is told from the arguments that there are. Of several starts in one file the last
// one with figures stands. Source: SGLang
// python/sglang/srt/model_executor/model_runner.py, mem_cache/memory_pool.py,
// managers/scheduler.py, server_args.py and published logs of 0.3 to 0.5.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/sglang_settings.hpp"
#include "calibrate/logs/start_parts.hpp"

namespace gpushape::calibrate::logs {
namespace {

struct SglangState : Start {
  bool has_dp_attention = false;
  std::vector<std::string> with_pool;  ///< processes that have made the pools of their own model

  [[nodiscard]] bool has_pool(const std::string& process) const {
    return std::ranges::find(with_pool, process) != with_pool.end();
  }
};

/// "[2025-05-29 12:00:10 DP0 TP0] Load …" is "DP0 TP0"; "[gpu_id=1] …" is "gpu_id=1".
std::string process_in(std::string_view line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::string_view inside = line.substr(open + 1, close - open - 1);
  if (inside.contains("gpu")) return std::string(inside);
  // Behind date and time, or the time alone (to 0.4).
  while (!inside.empty() && inside.front() >= '0' && inside.front() <= '9') {
    const std::size_t blank = inside.find(' ');
    if (blank == std::string_view::npos) return {};
    inside.remove_prefix(blank + 1);
  }
  return std::string(inside);
}

struct Marker {
  std::string_view argument;
  std::string_view version;
};
/// Arguments that came with a release that facts change with, newest first. Source: SGLang
/// server_args.py of these releases.
constexpr auto kMarkers = std::to_array<Marker>({
    {"disable_piecewise_cuda_graph=", "0.5.10"},
    {"mamba_full_memory_ratio=", "0.5.3"},
    {"swa_full_tokens_ratio=", "0.4.9"},
    {"moe_dense_tp_size=", "0.4.8"},
    {"pp_size=", "0.4.6"},
    {"cuda_graph_max_bs=", "0.4"},
});

std::string release_told_by(std::string_view arguments) {
  for (const Marker& marker : kMarkers) {
    if (arguments.contains(marker.argument)) return std::string(marker.version);
  }
  return "0.3";
}

void read_server_arguments(std::string_view line, SglangState& state) {
  EngineStart& start = state.log.start;
  if (start.engine_version.empty()) {
    start.engine_version = release_told_by(line);
    state.log.version_from = "told from the arguments";
  }
  take_text(start.model, line, "model_path");
  take_text(start.dtype, line, "dtype");
  take_text(start.quantization, line, "quantization");
  take_count(start.context_tokens, line, "context_length");
  take_count(start.tensor_parallel, line, "tp_size");
  take_count(start.pipeline_parallel, line, "pp_size");
  take_count(start.data_parallel, line, "dp_size");
  start.enforce_eager = is_true(line, "disable_cuda_graph");
  read_sglang_arguments(line, start);
  state.has_dp_attention = is_true(line, "enable_dp_attention");
  std::string speculative;
  take_text(speculative, line, "speculative_algorithm");
  state.log.has_drafts = !speculative.empty();
}

constexpr std::array<std::string_view, 3> kSizes = {" K size: ", " V size: ", " KV size: "};

/// "KV Cache is allocated. #tokens: N, K size: x GB, V size: y GB", or with one size for both; to
/// 0.4.2 without the count. A process that has made its pools makes the next one for a draft model.
void read_pool(std::string_view line, SglangState& state) {
  if (state.has_pool(process_in(line))) return;
  double gib = 0;
  for (const std::string_view words : kSizes) {
    if (const auto rest = behind(line, words)) gib += leading_gib(*rest).value_or(0);
  }
  if (const auto rest = behind(line, "#tokens: ")) {
    // Of a hybrid, the layers that hold every token count; windows hold fewer.
    const auto tokens = leading_count(*rest);
    std::optional<std::int64_t>& known = state.log.start.pool_tokens;
    const bool is_hybrid = line.contains("swa") || line.contains("SWA");
    if (tokens && !is_hybrid) known = known ? std::max(*known, *tokens) : *tokens;
  }
  if (gib <= 0) return;
  if (leaves_scales_out(state.log.start.kv_cache_type, line)) gib *= kWithScales;
  const std::string process = process_in(line);
  if (RankReading* rank = state.rank(process)) rank->pool_gib = rank->pool_gib.value_or(0) + gib;
}

/// Weights of the first model that a process loads; what it loads after that is a draft model.
void read_load(std::string_view line, const std::string& process, SglangState& state) {
  RankReading* rank = state.rank(process);
  const auto left = behind(line, "avail mem=");
  if (rank == nullptr || rank->weights_gib) return;
  if (line.contains("Load weight begin")) {
    if (left) rank->free_gib = leading_gib(*left);
    return;
  }
  // Older releases print what is left only.
  if (left && rank->free_gib)
    rank->weights_gib = *rank->free_gib - leading_gib(*left).value_or(*rank->free_gib);
  if (const auto rest = behind(line, "mem usage=")) rank->weights_gib = leading_gib(*rest);
  if (!rank->free_gib) rank->free_gib = free_before_loading(line);
  take_text(state.log.start.dtype, line, "dtype");
}

/// "Mamba Cache is allocated. max_mamba_cache_size: N, conv_state size: x GB, ssm_state size: y
/// GB", and more for drafts: beside the pool of keys and values.
void read_states(std::string_view line, const std::string& process, SglangState& state) {
  RankReading* rank = state.rank(process);
  if (rank == nullptr || state.has_pool(process)) return;
  constexpr std::string_view kSize = " size: ";
  double gib = 0;
  for (auto rest = behind(line, kSize); rest; rest = behind(*rest, kSize))
    gib += leading_gib(*rest).value_or(0);
  if (gib > 0) rank->state_gib = gib;
}

bool ends_capture(std::string_view line) {
  const bool is_capture = line.contains("apture") && !line.contains("draft");
  return is_capture && (line.contains("cuda graph end") || line.contains("CUDA graph end"));
}

void read_sglang_figures(std::string_view line, SglangState& state) {
  const std::string process = process_in(line);
  if (line.contains("Load weight begin") || line.contains("Load weight end")) {
    read_load(line, process, state);
  } else if (ends_capture(line)) {
    const auto rest = behind(line, "mem usage=");
    RankReading* rank = state.rank(process);
    if (rest && rank != nullptr)
      rank->graphs_gib = rank->graphs_gib.value_or(0) + leading_gib(*rest).value_or(0);
  } else if (line.contains("Mamba Cache is allocated")) {
    read_states(line, process, state);
  } else if (line.contains("KV Cache is allocated")) {
    read_pool(line, state);
  } else if (line.contains("Memory pool end")) {
    if (state.rank(process) != nullptr && !state.has_pool(process))
      state.with_pool.push_back(process);
  } else if (line.contains("max_total_num_tokens=")) {
    take_count(state.log.start.pool_tokens, line, "max_total_num_tokens");
    take_count(state.log.start.context_tokens, line, "context_len");
    take_count(state.log.start.max_num_seqs, line, "max_running_requests");
    take_count(state.log.start.max_num_batched_tokens, line, "chunked_prefill_size");
  }
}

struct Failure {
  std::string_view words;
  std::string_view reason;
};
constexpr auto kFailures = std::to_array<Failure>({
    {"Not enough memory. Please try to increase --mem-fraction-static",
     "no memory was left for the KV cache"},
    {"Loaded weights leave no GPU memory for the KV cache", "no memory was left for the KV cache"},
    {"OutOfMemoryError", "the GPU ran out of memory"},
    {"CUDA out of memory", "the GPU ran out of memory"},
});

void read_sglang_line(std::string_view line, SglangState& state) {
  if (line.contains("ServerArgs(")) read_server_arguments(line, state);
  read_sglang_figures(line, state);
  if (const auto rest = behind(line, "Found local HF snapshot for ");
      rest && state.log.start.model.empty())
    state.log.start.model = std::string(rest->substr(0, rest->find(' ')));
  if (const auto rest = behind(line, "sglang version: "))
    state.log.start.engine_version = std::string(rest->substr(0, rest->find_first_of(" ,\t")));
  for (const Failure& failure : kFailures) {
    if (line.contains(failure.words)) state.log.failure = std::string(failure.reason);
  }
}

}  // namespace

bool is_sglang(std::string_view line) {
  return line.contains("server_args=ServerArgs(") ||
         line.contains("Load weight begin. avail mem=") ||
         (line.contains("KV Cache is allocated.") && line.contains("#tokens: ")) ||
         line.contains("Memory pool end. avail mem=");
}

Result<EngineLog> read_sglang(std::string_view text, const std::string& file) {
  SglangState state;
  std::optional<SglangState> before;  // stands where the last start printed nothing
  for (std::string line; next_line(text, line);) {
    // A further start in one file: what went before was of another.
    if (line.contains("ServerArgs(") && !state.ranks.empty())
      before = std::exchange(state, SglangState{});
    read_sglang_line(line, state);
  }
  if (state.ranks.empty() && before) state = *std::move(before);
  const bool has_dp_attention = state.has_dp_attention;
  EngineLog log = finished(std::move(state), file);
  log.start.engine = "sglang";
  if (!has_figures(log.start)) return without_figures("SGLang", file);
  for (const RankReading& rank : log.ranks) take_smallest(log.start.free_gib, rank.free_gib);
  if (has_dp_attention) share_attention(log.start);
  return log;
}

}  // namespace gpushape::calibrate::logs
