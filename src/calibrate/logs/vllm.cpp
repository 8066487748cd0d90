// vLLM's start-up log, from the first generation of its engine (0.4) to the newest. Each row of the
// tables is a phrase that some versions print and what is read behind it. Of several starts in one
// file the last one with figures stands. Source: vLLM
// v1/worker/gpu_worker.py, v1/worker/gpu_model_runner.py, v1/core/kv_cache_utils.py,
// worker/worker.py, engine/llm_engine.py, engine/arg_utils.py and published logs of 0.4 to 0.22.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/start_parts.hpp"

namespace gpushape::calibrate::logs {
namespace {

struct State : Start {
  std::string args_model;
  bool is_up = false;  ///< the engine has started: what begins after that is another
};

// ---- figures of one rank

struct FigurePhrase {
  std::string_view phrase;
  std::optional<double> RankReading::* figure;
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
    {"CUDA graph pool memory: ", &RankReading::graphs_gib},
});

/// "0.25 GiB for non-torch memory": the figure stands before its words.
struct UsagePhrase {
  std::string_view words;
  std::optional<double> RankReading::* figure;
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

void read_usage(std::string_view usage, RankReading& rank) {
  for (const UsagePhrase& row : kUsage) {
    const std::optional<double> gib = gib_before(usage, row.words);
    if (gib && !(rank.*(row.figure))) rank.*(row.figure) = gib;
  }
  // Newer versions print weights and what is outside the framework as one.
  const auto consumed = gib_before(usage, " for consumed memory (weights + non-torch)");
  if (consumed && rank.weights_gib && !rank.non_torch_gib)
    rank.non_torch_gib = *consumed - *rank.weights_gib;
}

/// The snapshot before the engine's own context is of another kind: cuda_memory of the process.
bool is_other_figure(std::string_view line, const FigurePhrase& row) {
  return row.phrase == "non_torch_memory=" && !line.contains("kv_cache_size=");
}

void read_figures(std::string_view line, State& state) {
  const std::string process(process_of(line));
  for (const FigurePhrase& row : kFigures) {
    const auto rest = behind(line, row.phrase);
    if (!rest || is_other_figure(line, row)) continue;
    const std::optional<double> gib = leading_gib(*rest);
    if (!gib) continue;
    if (RankReading* rank = state.rank(process)) rank->*(row.figure) = gib;
  }
  if (const auto rest = behind(line, "Graph capturing finished in ")) {
    const auto took = behind(*rest, "took ");
    RankReading* rank = state.rank(process);
    if (took && rank != nullptr && !rank->graphs_gib) rank->graphs_gib = leading_gib(*took);
  }
  if (const auto rest = behind(line, "Free memory on device (")) {
    RankReading* rank = state.rank(process);
    const std::size_t slash = rest->find('/');
    if (rank != nullptr && slash != std::string_view::npos) {
      rank->free_gib = leading_gib(*rest);
      rank->total_gib = leading_gib(rest->substr(slash + 1));
    }
  }
  if (const auto usage = behind(line, "Actual usage is ")) {
    if (RankReading* rank = state.rank(process)) read_usage(*usage, *rank);
  }
}

// ---- figures of the start

void read_counts(std::string_view line, EngineStart& start) {
  if (const auto rest = behind(line, "GPU KV cache size: "))
    take_smallest(start.pool_tokens, leading_count(*rest));
  for (const std::string_view words : {"# GPU blocks: ", "# cuda blocks: ", "# CUDA blocks: "}) {
    if (const auto rest = behind(line, words))
      take_smallest(start.pool_blocks, leading_count(*rest));
  }
  if (const auto rest = behind(line, "Maximum concurrency for ")) {
    if (!start.context_tokens) start.context_tokens = leading_count(*rest);
  }
  if (const auto rest = behind(line, "Using max model len "))
    start.context_tokens = leading_count(*rest);
}

// ---- what was asked for

/// "speculative_config=SpeculativeConfig(method='mtp', model='…', num_spec_tokens=3), …".
void read_drafts(std::string_view line, EngineLog& log) {
  const auto value = value_of_key(line, "speculative_config");
  if (!value || value->empty() || *value == "None") return;
  log.has_drafts = true;
  const auto rest = behind(line, "SpeculativeConfig(");
  if (!rest) return;
  // The model's own prediction layers: "mtp", "deepseek_mtp", "qwen3_next_mtp" …
  if (value_of_key(*rest, "method").value_or("").ends_with("mtp")) {
    take_count(log.start.draft_tokens, *rest, "num_spec_tokens");
  } else {
    name_draft(log.start, std::string(value_of_key(*rest, "model").value_or("")));
  }
}

/// What is not let in: "language_model_only=True", or limits of none.
void read_limits(std::string_view line, EngineStart& start) {
  const bool is_text_alone =
      is_true(line, "language_model_only") || line.contains("set to 0, running in text-only mode");
  const auto limits = behind(line, "limit_mm_per_prompt");
  const std::string_view listed =
      limits ? limits->substr(0, limits->find('}')) : std::string_view();
  if (is_text_alone || value_of_key(listed, "image") == "0") start.takes_no_images = true;
  if (is_text_alone || value_of_key(listed, "video") == "0") start.takes_no_videos = true;
}

/// "Initializing a V1 LLM engine (v0.19.0) with config: model='…', …".
void read_config(std::string_view line, State& state) {
  EngineStart& start = state.log.start;
  if (const auto rest = behind(line, "LLM engine (v"))
    start.engine_version = std::string(rest->substr(0, rest->find(')')));
  if (line.contains("Initializing a V0 LLM engine")) start.is_first_generation = true;
  take_text(start.model, line, "model");
  take_text(start.dtype, line, "dtype");
  take_text(start.quantization, line, "quantization");
  take_text(start.kv_cache_type, line, "kv_cache_dtype");
  take_count(start.context_tokens, line, "max_seq_len");
  take_count(start.tensor_parallel, line, "tensor_parallel_size");
  take_count(start.pipeline_parallel, line, "pipeline_parallel_size");
  take_count(start.data_parallel, line, "data_parallel_size");
  if (const auto eager = value_of_key(line, "enforce_eager")) start.enforce_eager = eager == "True";
  const auto chunked = value_of_key(line, "chunked_prefill_enabled");
  if (chunked == "True" || chunked == "False") start.chunks_prompts = chunked == "True";
  const auto prefixes = value_of_key(line, "enable_prefix_caching");
  if (prefixes == "True" || prefixes == "False") start.prefix_caching = prefixes == "True";
  read_drafts(line, state.log);
}

/// "non-default args: {'max_num_seqs': 256, …}", or "args: Namespace(max_num_seqs=256, …)".
void read_arguments(std::string_view line, State& state) {
  EngineStart& start = state.log.start;
  take_text(state.args_model, line, "model");
  take_text(start.quantization, line, "quantization");
  take_text(start.dtype, line, "dtype");
  take_text(start.kv_cache_type, line, "kv_cache_dtype");
  take_count(start.context_tokens, line, "max_model_len");
  take_count(start.max_num_seqs, line, "max_num_seqs");
  take_count(start.max_num_batched_tokens, line, "max_num_batched_tokens");
  take_count(start.tensor_parallel, line, "tensor_parallel_size");
  take_count(start.pipeline_parallel, line, "pipeline_parallel_size");
  take_count(start.data_parallel, line, "data_parallel_size");
  take_count(start.block_tokens, line, "block_size");
  if (const auto value = value_of_key(line, "gpu_memory_utilization")) {
    if (const auto number = leading_number(*value)) start.utilization = number;
  }
  if (const auto value = value_of_key(line, "cpu_offload_gb")) {
    if (const auto number = leading_number(*value); number.value_or(0) > 0)
      start.offload_gib = number;
  }
  if (is_true(line, "enforce_eager")) start.enforce_eager = true;
  if (is_true(line, "enable_expert_parallel"))
    start.expert_parallel = start.tensor_parallel * start.data_parallel;
  if (is_true(line, "enable_lora")) start.has_adapters = true;
  read_limits(line, start);
  if (start.has_adapters) {
    take_count(start.adapter_rank, line, "max_lora_rank");
    take_count(start.adapters, line, "max_loras");
  }
  if (value_of_key(line, "mm_encoder_tp_mode") == "data") start.keeps_towers_whole = true;
}

void read_settings(std::string_view line, State& state) {
  EngineStart& start = state.log.start;
  for (const std::string_view words :
       {"Defaulting max_num_batched_tokens to ", "Setting max_num_batched_tokens to ",
        "Chunked prefill is enabled with max_num_batched_tokens="}) {
    if (const auto rest = behind(line, words)) start.max_num_batched_tokens = leading_count(*rest);
  }
  for (const std::string_view words : {"Defaulting max_num_seqs to ", "Setting max_num_seqs to "}) {
    if (const auto rest = behind(line, words)) start.max_num_seqs = leading_count(*rest);
  }
  if (line.contains("for LLM_CLASS usage context")) start.is_library = true;
  read_limits(line, start);
  // The share that the engine says it used; one that it recommends stands elsewhere.
  if (const auto rest = behind(line, "gpu_memory_utilization (")) {
    if (const auto number = leading_number(*rest)) start.utilization = number;
  }
  if (const auto rest = behind(line, "Requested memory: ")) {
    if (const auto number = leading_number(*rest); number && line.contains("(util)"))
      start.utilization = number;
  }
  if (const auto rest = behind(line, "Desired GPU memory utilization is (")) {
    if (const auto number = leading_number(*rest)) start.utilization = number;
  }
}

// ---- how the engine got there

struct Remark {
  std::string_view words;
  void (*apply)(EngineLog&, std::string_view rest);
};
constexpr auto kRemarks = std::to_array<Remark>({
    {"Using FlashInfer for top-p",
     [](EngineLog& log, std::string_view) { log.sampler = SamplerPath::FlashInfer; }},
    {"FlashInfer top-p/top-k sampling is available but disabled",
     [](EngineLog& log, std::string_view) { log.sampler = SamplerPath::Native; }},
    {"PyTorch-native implementation of top-p",
     [](EngineLog& log, std::string_view) { log.sampler = SamplerPath::Native; }},
    {"torch.compile took ",
     [](EngineLog& log, std::string_view rest) { log.compile_seconds = leading_number(rest); }},
    {"torch.compile takes ",
     [](EngineLog& log, std::string_view rest) { log.compile_seconds = leading_number(rest); }},
    {"Directly load the compiled graph",
     [](EngineLog& log, std::string_view) { log.has_warm_cache = true; }},
    {"Directly load AOT compilation",
     [](EngineLog& log, std::string_view) { log.has_warm_cache = true; }},
    {"Compiling a graph for ",
     [](EngineLog& log, std::string_view) {
       if (!log.has_warm_cache) log.has_warm_cache = false;
     }},
    {"Estimated CUDA graph memory: ",
     [](EngineLog& log, std::string_view rest) { log.graph_estimate_gib = leading_gib(rest); }},
    {"CUDA graph memory profiling is enabled",
     [](EngineLog& log, std::string_view) { log.is_graph_estimate_subtracted = true; }},
    {"Encoder cache will be initialized with a budget of ",
     [](EngineLog& log, std::string_view rest) { log.encoder_tokens = leading_count(rest); }},
    {"[rocm.py:", [](EngineLog& log, std::string_view) { log.start.vendor = kAmd; }},
    {"[aiter]", [](EngineLog& log, std::string_view) { log.start.vendor = kAmd; }},
    {"device_name=",
     [](EngineLog& log, std::string_view rest) {
       log.device_name = std::string(rest.substr(0, rest.find_first_of(".,] ")));
     }},
    {"No available memory for the cache blocks",
     [](EngineLog& log, std::string_view) { log.failure = "no memory was left for the KV cache"; }},
    {"is larger than the available KV cache memory",
     [](EngineLog& log, std::string_view) {
       log.failure = "the pool does not hold one request of the longest context";
     }},
    {"is larger than the maximum number of tokens that can be stored in KV cache",
     [](EngineLog& log, std::string_view) {
       log.failure = "the pool does not hold one request of the longest context";
     }},
    {"OutOfMemoryError",
     [](EngineLog& log, std::string_view) { log.failure = "the GPU ran out of memory"; }},
    {"CUDA out of memory",
     [](EngineLog& log, std::string_view) { log.failure = "the GPU ran out of memory"; }},
});

/// A server starts again in the same file, or a program makes its next engine.
bool begins_another(std::string_view line, const State& state) {
  if (!state.is_up || state.log.start.data_parallel > 1) return false;
  // An engine that fails dumps its configuration in the same words.
  const bool is_engine = line.contains("Initializing a") && line.contains("LLM engine (v");
  return is_engine || line.contains("vLLM API server version ");
}

void read_line(std::string_view line, State& state) {
  if (line.contains("init engine (profile, create kv cache")) state.is_up = true;
  if (line.contains("LLM engine (v") || line.contains("LLM engine with config: "))
    read_config(line, state);
  if (line.contains("non-default args: {") || line.contains("args: Namespace("))
    read_arguments(line, state);
  if (state.log.start.engine_version.empty()) {
    if (const auto rest = behind(line, "vLLM API server version "))
      state.log.start.engine_version = std::string(rest->substr(0, rest->find_first_of(" \t")));
  }
  read_settings(line, state);
  read_counts(line, state.log.start);
  read_figures(line, state);
  for (const Remark& remark : kRemarks) {
    if (const auto rest = behind(line, remark.words)) remark.apply(state.log, *rest);
  }
}

// ---- lines that a terminal wrapped

/// A record begins with its level, which a process, a time or a container's name may stand before.
bool begins_record(std::string_view line) {
  constexpr std::size_t kMostBefore = 120;
  const std::string_view head = line.substr(0, kMostBefore);
  return std::ranges::any_of(
      std::to_array<std::string_view>({"INFO ", "WARNING ", "ERROR ", "DEBUG ", "pid="}),
      [&](std::string_view level) { return head.contains(level); });
}

/// Whether a list of settings goes on behind the end of its line: in a copy from a terminal.
bool is_cut(std::string_view line) {
  // The configuration states the cache's type behind all else that is read here, since 0.3.
  if (line.contains("LLM engine (v") && line.contains("with config: "))
    return !line.contains("kv_cache_dtype=");
  const auto arguments = behind(line, "non-default args: ");
  if (!arguments) return false;
  return std::ranges::count(*arguments, '{') > std::ranges::count(*arguments, '}');
}

/// Adds the lines before the next record, while the list is cut.
void join_rest(std::string_view& text, std::string& line) {
  constexpr int kMostLines = 64;
  for (int i = 0; i < kMostLines && line.size() < kMostOfLine; ++i) {
    std::string_view rest = text;
    std::string next;
    if (!next_line(rest, next) || begins_record(next)) return;
    line += next;
    text = rest;
  }
}

}  // namespace

bool is_vllm(std::string_view line) {
  return line.contains("vLLM API server version") || line.contains("LLM engine (v") ||
         line.contains("LLM engine with config: ") || line.contains("[gpu_model_runner.py") ||
         line.contains("v1/worker/gpu_model_runner.py") || line.contains("[model_runner.py") ||
         line.contains("[kv_cache_utils.py") || line.contains("v1/core/kv_cache_utils.py");
}

Result<EngineLog> read_vllm(std::string_view text, const std::string& file) {
  State state;
  std::optional<State> before;  // stands where the last start printed nothing
  for (std::string line; next_line(text, line);) {
    if (is_cut(line)) join_rest(text, line);
    if (begins_another(line, state)) {
      before = std::move(state);
      state = State{};
    }
    read_line(line, state);
  }
  std::string named = state.args_model;
  EngineLog log = finished(std::move(state), file);
  if (!has_figures(log.start) && before) {
    named = before->args_model;
    log = finished(*std::move(before), file);
  }
  EngineStart& start = log.start;
  start.engine = "vllm";
  if (start.model.empty()) start.model = std::move(named);
  if (!has_figures(start)) return without_figures("vLLM", file);
  return log;
}

}  // namespace gpushape::calibrate::logs
