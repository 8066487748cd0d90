// vLLM's start-up log, from the first generation of its engine (0.4) to the newest. Each row of the
// tables is a phrase that some versions print and what is read behind it. Of several starts in one
// file the last one with figures stands. Source: vLLM
// v1/worker/gpu_worker.py, v1/worker/gpu_model_runner.py, v1/core/kv_cache_utils.py,
// worker/worker.py and published logs of 0.4 to 0.31.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/program.hpp"
#include "calibrate/logs/start_parts.hpp"
#include "calibrate/logs/unsloth.hpp"
#include "calibrate/logs/vllm_figures.hpp"
#include "calibrate/logs/vllm_settings.hpp"
#include "calibrate/logs/vllm_step.hpp"

namespace gpushape::calibrate::logs {
namespace {

struct State : Start {
  std::string args_model;
  std::string loaded_model;  ///< as the lines of the loader name it
  std::string other_model;   ///< of another engine's settings among this one's lines
  Ranks said;
  StepWords step;
  bool has_settings = false;  ///< the engine's list of them was read
  bool is_up = false;         ///< the engine has started: what begins after that is another
  bool is_serving = false;    ///< what fails from then on is a request
};

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

// ---- how the engine got there

struct Remark {
  std::string_view words;
  void (*apply)(EngineLog&, std::string_view rest);
};
constexpr auto kRemarks = std::to_array<Remark>({
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
       log.has_compiled = true;
       if (!log.has_warm_cache) log.has_warm_cache = false;
     }},
    {"Estimated CUDA graph memory: ",
     [](EngineLog& log, std::string_view rest) { log.graph_estimate_gib = leading_gib(rest); }},
    {"CUDA graph memory profiling is enabled",
     [](EngineLog& log, std::string_view) { log.is_graph_estimate_subtracted = true; }},
    {"Hybrid KV cache manager is disabled for this hybrid model",
     [](EngineLog& log, std::string_view) { log.start.keeps_one_table = true; }},
    // Its kernels are Hopper's alone: https://github.com/Dao-AILab/flash-attention, hopper/.
    {"Using FlashAttention version 3",
     [](EngineLog& log, std::string_view) { log.start.compute_capability = "9.0"; }},
    {"Using V2 Model Runner",
     [](EngineLog& log, std::string_view) { log.start.has_second_runner = true; }},
    {"gpu_model_runner.py:",
     [](EngineLog& log, std::string_view) {
       if (!log.start.has_second_runner) log.start.has_second_runner = false;
     }},
    {"Encoder cache will be initialized with a budget of ",
     [](EngineLog& log, std::string_view rest) { log.encoder_tokens = leading_count(rest); }},
    {"Resolved architecture: ",
     [](EngineLog& log, std::string_view rest) {
       // A draft's stands behind that of the model.
       if (log.start.architecture.empty())
         log.start.architecture = std::string(rest.substr(0, rest.find_first_of(" \t\r")));
     }},
    {"[rocm.py:", [](EngineLog& log, std::string_view) { log.start.vendor = kAmd; }},
    {" rocm.py:", [](EngineLog& log, std::string_view) { log.start.vendor = kAmd; }},
    {"Using ROCmFlashAttention",
     [](EngineLog& log, std::string_view) { log.start.vendor = kAmd; }},
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
    {"Engine core initialization failed",
     [](EngineLog& log, std::string_view) {
       if (log.failure.empty())
         log.failure = "one of its processes failed: see the first error in the log";
     }},
});

/// From 0.15 on a server draws its name in blocks first, with the version behind it.
bool is_banner(std::string_view line) { return line.contains("█") && line.contains("  version "); }

bool lists_settings(std::string_view line) {
  return line.contains("LLM engine (v") || line.contains("LLM engine with config: ");
}

/// A server starts again in the same file, or a program makes its next engine.
bool begins_another(std::string_view line, const State& state) {
  if (state.log.start.data_parallel > 1) return false;
  // Before it was up only a server that has loaded weights can have failed: several of its
  // processes print the version when they begin.
  const bool has_loaded = std::ranges::any_of(
      state.ranks, [](const auto& rank) { return rank.second.weights_gib.has_value(); });
  if (line.contains("vLLM API server version ") || is_banner(line) ||
      line.contains("non-default args: {"))
    return state.is_up || has_loaded;
  // Unsloth's notebooks print cells of earlier runs below.
  if (line.contains("Unsloth: vLLM loading ")) return state.is_up || has_loaded;
  if (line.contains(kUnslothRetry)) return state.has_settings;
  // An engine that fails dumps its configuration in the same words. The first generation's engine
  // is as good as up when it has counted its blocks, a failed one, too; lines of two services that
  // start side by side are told from it by that count.
  const bool has_counted = state.is_up || (has_loaded && state.log.start.pool_blocks);
  return has_counted && line.contains("Initializing a") && lists_settings(line);
}

/// The model where no list of settings names it: the loader does.
void read_loader(std::string_view line, std::string& model) {
  if (const auto rest = behind(line, "Starting to load model ")) {
    const std::size_t end = std::min(rest->find("..."), rest->find(' '));
    model = std::string(rest->substr(0, end));
  }
  if (const auto rest = behind(line, "Time spent downloading weights for "); rest && model.empty())
    model = std::string(rest->substr(0, rest->find_first_of(": ")));
}

void read_settings_list(std::string_view line, State& state) {
  const std::string before = state.log.start.model;
  read_vllm_config(line, state.log);
  const std::string& model = state.log.start.model;
  if (state.has_settings && !state.is_up && model != before) state.other_model = before;
  state.has_settings = !model.empty();  // an excerpt shortens the list at times
}

/// Sizes of a step that stand here were asked for.
void read_arguments(std::string_view line, State& state) {
  read_vllm_arguments(line, state.log.start, state.args_model);
  state.step.is_asked |= state.log.start.max_num_batched_tokens.has_value();
}

/// What the program told the engine, and the engine does not print.
void take_program(const ProgramArguments& told, State& state) {
  EngineStart& start = state.log.start;
  if (!start.max_num_seqs) start.max_num_seqs = told.max_num_seqs;
  if (!start.utilization) start.utilization = told.utilization;
  if (!start.adapter_rank) start.adapter_rank = told.adapter_rank;
  if (start.max_num_batched_tokens || !told.max_num_batched_tokens) return;
  start.max_num_batched_tokens = told.max_num_batched_tokens;
  state.step.is_asked = true;
}

void read_line(std::string_view line, State& state) {
  if (line.contains("init engine (profile, create kv cache")) state.is_up = true;
  if (lists_settings(line)) read_settings_list(line, state);
  read_vllm_rank(line, state.said);
  read_step(line, state.step);
  read_loader(line, state.loaded_model);
  if (line.contains("non-default args: {") || line.contains("args: Namespace("))
    read_arguments(line, state);
  if (state.log.start.engine_version.empty()) {
    if (const auto rest = behind(line, "vLLM API server version "))
      state.log.start.engine_version = std::string(rest->substr(0, rest->find_first_of(" \t")));
  }
  read_vllm_settings(line, state.log.start);
  read_counts(line, state.log.start);
  read_vllm_figures(line, state);
  for (const Remark& remark : kRemarks) {
    if (const auto rest = behind(line, remark.words)) remark.apply(state.log, *rest);
  }
  if (line.contains("Application startup complete")) state.is_serving = true;
  if (state.is_serving) state.log.failure.clear();
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
         line.contains("[kv_cache_utils.py") || line.contains("v1/core/kv_cache_utils.py") ||
         line.contains(" model_runner.py:") || line.contains("the current vLLM instance can use") ||
         line.contains("plugins for group vllm.");
}

namespace {

std::string model_of(const State& state) {
  if (!state.log.start.model.empty()) return state.log.start.model;
  return state.args_model.empty() ? state.loaded_model : state.args_model;
}

EngineLog finished_start(const State& state, const std::string& file) {
  EngineLog log = finished(State(state), file);
  EngineStart& start = log.start;
  start.engine = "vllm";
  start.model = model_of(state);
  log.is_excerpt = !state.has_settings;
  if (log.is_excerpt) take_ranks(state.said, start);
  take_step(state.step, log);
  // Where some graphs came from a cache and others did not, the largest may be of either.
  const bool is_mixed = log.has_warm_cache == true && log.has_compiled;
  if (log.has_warm_cache && !is_mixed) start.compiles = !*log.has_warm_cache;
  return log;
}

Result<EngineLog> mixed_engines(const std::string& one, const std::string& other,
                                const std::string& file) {
  Diagnostic diagnostic = complaint(
      fmt::format("{} mixes the lines of two engines, of '{}' and '{}'", file, one, other),
      "give the log of one of them: docker compose logs SERVICE, kubectl logs POD");
  diagnostic.span.file = file;
  return failure(std::move(diagnostic));
}

}  // namespace

Result<EngineLog> read_vllm(std::string_view text, const std::string& file) {
  State state;
  std::optional<State> before;  // stands where the last start printed nothing
  std::vector<std::string> earlier;
  ProgramReader program;
  for (std::string line; next_line(text, line);) {
    if (is_cut(line)) join_rest(text, line);
    program.read(line);
    if (begins_another(line, state)) {
      earlier.push_back(model_of(state));
      before = std::move(state);
      state = State{};
    }
    read_line(line, state);
    if (lists_settings(line)) take_program(program.take(), state);
  }
  EngineLog log = finished_start(state, file);
  const bool was_refused = !log.failure.empty() && !log.ranks.empty();
  if (!has_figures(log.start) && !was_refused && before) {
    earlier.pop_back();
    log = finished_start(*before, file);
    state = *std::move(before);
  }
  log.earlier_models = std::move(earlier);
  if (!state.other_model.empty()) return mixed_engines(state.other_model, log.start.model, file);
  if (!has_figures(log.start) && (log.failure.empty() || log.ranks.empty()))
    return without_figures("vLLM", file);
  return log;
}

}  // namespace gpushape::calibrate::logs
