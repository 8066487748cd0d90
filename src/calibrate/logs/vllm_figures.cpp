// Each row of the tables is a phrase that some versions print and what is read behind it. Source:
// vLLM v1/worker/gpu_worker.py, v1/worker/gpu_model_runner.py, worker/worker.py and published logs
// of 0.4 to 0.31.
#include "calibrate/logs/vllm_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

struct FigurePhrase {
  std::string_view phrase;
  std::optional<double> RankReading::*figure;
};

constexpr auto kFigures = std::to_array<FigurePhrase>({
    {"Loading model weights took ", &RankReading::weights_gib},
    {"Model loading took ", &RankReading::weights_gib},
    {"Model loading took: ", &RankReading::weights_gib},
    {"non_torch_memory takes ", &RankReading::non_torch_gib},
    {"non_torch_memory=", &RankReading::non_torch_gib},
    {"non-torch forward increase memory: ", &RankReading::non_torch_gib},
    {"PyTorch activation peak memory takes ", &RankReading::activation_gib},
    {"torch peak memory increase: ", &RankReading::activation_gib},
    {"the rest of the memory reserved for KV Cache is ", &RankReading::pool_gib},
    {"Available KV cache memory: ", &RankReading::pool_gib},
    {"kv_cache_size=", &RankReading::pool_gib},
    {"total_gpu_memory (", &RankReading::total_gib},
    {"total_gpu_memory=", &RankReading::total_gib},
    {"total_memory=", &RankReading::total_gib},
    {"free_memory=", &RankReading::free_gib},
    {"Initial free memory: ", &RankReading::free_gib},
    {"initial_memory_usage=", &RankReading::used_gib},
    {"CUDA graph pool memory: ", &RankReading::graphs_gib},
});

/// "0.25 GiB for non-torch memory": the figure stands before its words.
struct UsagePhrase {
  std::string_view words;
  std::optional<double> RankReading::*figure;
};
constexpr auto kUsage = std::to_array<UsagePhrase>({
    {" for weight", &RankReading::weights_gib},
    {" for peak activation", &RankReading::activation_gib},
    {" for non-torch memory", &RankReading::non_torch_gib},
    {" for CUDAGraph memory", &RankReading::graphs_gib},
});

std::optional<double> gib_before(std::string_view usage, std::string_view phrase) {
  const std::size_t words = usage.find(phrase);
  if (words == std::string_view::npos) return std::nullopt;
  const std::size_t start = usage.find_last_of(" ,", usage.find_last_of("0123456789", words));
  return leading_gib(usage.substr(start == std::string_view::npos ? 0 : start + 1));
}

/// `graph_estimate`: what the engine reckoned its graphs with before it sized the pool, in GiB.
void read_usage(std::string_view usage, double graph_estimate, RankReading& rank) {
  const bool has_peak = rank.activation_gib.has_value();
  for (const UsagePhrase& row : kUsage) {
    const std::optional<double> gib = gib_before(usage, row.words);
    if (gib && !(rank.*(row.figure))) rank.*(row.figure) = gib;
  }
  // Newer versions print weights and what is outside the framework as one.
  const auto consumed = gib_before(usage, " for consumed memory (weights + non-torch)");
  if (consumed && rank.weights_gib && !rank.non_torch_gib)
    rank.non_torch_gib = *consumed - *rank.weights_gib;
  // And the estimate as a part of the peak: 40.84 GiB of a budget, less 25.64 consumed and 1.76 of
  // peak, are the 13.44 of the pool, where graphs of 0.47 were taken off.
  if (consumed && rank.activation_gib && !has_peak)
    *rank.activation_gib = std::max(0.0, *rank.activation_gib - graph_estimate);
}

/// The snapshot before the engine's own context is of another kind: cuda_memory of the process.
bool is_other_figure(std::string_view line, const FigurePhrase& row) {
  return row.phrase == "non_torch_memory=" && !line.contains("kv_cache_size=");
}

/// "Free memory on device cuda:0 (60.12/79.19 GiB) on startup is less than desired GPU memory
/// utilization (0.95, 75.23 GiB)": the engine ends there.
void read_refusal(std::string_view rest, const RankReading& rank, EngineLog& log) {
  const auto desired = behind(rest, "is less than desired GPU memory utilization (");
  if (!desired || !rank.free_gib || !rank.total_gib) return;
  log.start.utilization = leading_number(*desired);
  const std::size_t comma = desired->find(", ");
  const auto asked =
      comma == std::string_view::npos ? std::nullopt : leading_gib(desired->substr(comma + 2));
  log.failure = fmt::format(
      "{:.2f} of {:.2f} GiB were free when it began{}: what else runs on the GPU holds up to "
      "{:.1f} "
      "GiB",
      *rank.free_gib, *rank.total_gib,
      asked ? fmt::format(", and {:.2f} were asked for", *asked) : std::string(),
      *rank.total_gib - *rank.free_gib);
}

/// The second runner captures before it sizes the pool, too, to see what graphs take.
void read_capture(double gib, RankReading& rank, EngineLog& log) {
  const bool was_profile = rank.graphs_gib && rank.captured_before_pool;
  if (was_profile && !log.graph_estimate_gib) log.graph_estimate_gib = rank.graphs_gib;
  if (!rank.graphs_gib || was_profile) rank.graphs_gib = gib;
  rank.captured_before_pool = !rank.pool_gib && !rank.captured_before_pool;
}

}  // namespace

void read_vllm_figures(std::string_view line, Start& start) {
  const std::string process(process_of(line));
  for (const FigurePhrase& row : kFigures) {
    const auto rest = behind(line, row.phrase);
    if (!rest || is_other_figure(line, row)) continue;
    const std::optional<double> gib = leading_gib(*rest);
    if (!gib) continue;
    if (RankReading* rank = start.rank(process)) rank->*(row.figure) = gib;
  }
  if (const auto rest = behind(line, "Graph capturing finished in ")) {
    const auto took = behind(*rest, "took ");
    RankReading* rank = start.rank(process);
    const std::optional<double> gib = took ? leading_gib(*took) : std::nullopt;
    if (gib && rank != nullptr) read_capture(*gib, *rank, start.log);
  }
  if (const auto rest = behind(line, "Free memory on device ")) {
    RankReading* rank = start.rank(process);
    const std::size_t open = rest->find('(');
    const std::size_t slash = rest->find('/');
    if (rank != nullptr && open < slash && slash != std::string_view::npos) {
      rank->free_gib = leading_gib(rest->substr(open));
      rank->total_gib = leading_gib(rest->substr(slash + 1));
      read_refusal(*rest, *rank, start.log);
    }
  }
  if (const auto usage = behind(line, "Actual usage is ")) {
    if (usage->contains("for consumed memory")) start.log.counts_consumed = true;
    if (RankReading* rank = start.rank(process))
      read_usage(*usage, start.log.graph_estimate_gib.value_or(0), *rank);
  }
  if (const auto rest = behind(line, "Current kv cache memory in use is ")) {
    RankReading* rank = start.rank(process);
    constexpr std::size_t kMostOfFigure = sizeof("1024.00 GiB");  // some releases print bytes
    if (rank != nullptr && !rank->pool_gib && rest->substr(0, kMostOfFigure).contains("GiB"))
      rank->pool_gib = leading_gib(*rest);
  }
  if (const auto rest = behind(line, "peak_torch_memory=")) {
    RankReading* rank = start.rank(process);
    const std::optional<double> peak = leading_gib(*rest);
    if (rank != nullptr && peak && rank->weights_gib && *peak >= *rank->weights_gib)
      rank->activation_gib = *peak - *rank->weights_gib;
  }
}

}  // namespace gpushape::calibrate::logs
