// What llama.cpp's programs print of their buffers (llama-server, llama-cli, llama-bench -v), from
// the builds of 2023 to the newest; of several starts in one file the last stands. Source:
// llama.cpp src/llama-model.cpp (load_tensors), src/llama-kv-cache.cpp,
// src/llama-memory-recurrent.cpp, src/llama-context.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/llama_breakdown.hpp"
#include "calibrate/logs/llama_state.hpp"
#include "calibrate/planned_start.hpp"
#include "catalog/quantization_names.hpp"

namespace gpushape::calibrate::logs {
namespace {

void add_to(std::optional<double>& sum, std::optional<double> gib) {
  if (gib) sum = sum.value_or(0) + *gib;
}

// ---- "load_tensors:        CUDA0 model buffer size =  8148.38 MiB"

struct BufferPhrase {
  std::string_view words;
  std::optional<double> RankReading::*figure;
};
// The longer ones first: an old build's "buffer size" is that of the model.
constexpr auto kBuffers = std::to_array<BufferPhrase>({
    {" model buffer size", &RankReading::weights_gib},
    {" KV buffer size", &RankReading::cache_gib},
    {" RS buffer size", &RankReading::state_gib},
    {" compute buffer size", &RankReading::compute_gib},
    {" buffer size", &RankReading::weights_gib},
});

std::string_view last_word(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t");
  if (end == std::string_view::npos) return {};
  const std::size_t start = text.find_last_of(" \t", end);
  return text.substr(start + 1, end - start);
}

/// Lines of buffers that are no device's or not the model's: those of a projector of images are its
/// own ("clip_init: params backend buffer size", "alloc_compute_meta:").
constexpr auto kOtherBuffers =
    std::to_array<std::string_view>({"output buffer size", "input buffer size",
                                     "matches expectation", "alloc_compute_meta", "clip_"});

void read_buffers(std::string_view line, LlamaState& state) {
  const bool is_other = std::ranges::any_of(
      kOtherBuffers, [&](std::string_view words) { return line.contains(words); });
  if (is_other || state.is_in_draft) return;
  for (const BufferPhrase& row : kBuffers) {
    const std::size_t place = line.find(row.words);
    if (place == std::string_view::npos) continue;
    const std::optional<double> gib = leading_gib(line.substr(place + row.words.size()));
    std::string_view device = last_word(line.substr(0, place));
    // Row split: "CUDA0_Split model buffer size"; "MTL0_Mapped" is the file's own pages.
    for (const std::string_view ending : {"_Split", "_Mapped"}) {
      if (device.ends_with(ending)) device.remove_suffix(ending.size());
    }
    if (!gib || device.empty()) return;
    if (is_host_device(device)) {
      state.has_host_cache |= row.figure == &RankReading::cache_gib;
      return;
    }
    RankReading* rank = reading_of(device, state.devices);
    if (rank == nullptr) return;
    if (row.figure == &RankReading::compute_gib) {
      rank->compute_gib = gib;  // a second context prints its own; the last one stands
    } else {
      add_to(rank->*(row.figure), gib);
    }
    return;
  }
}

/// What stands behind the last '=' or ':' of "print_info: file type   = Q4_K - Medium".
std::string value_of(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::size_t start = line.find_first_not_of(" \t", equals + 1);
  if (start == std::string_view::npos) return {};
  const std::size_t end = line.find_last_not_of(" \t");
  return std::string(line.substr(start, end - start + 1));
}

// ---- drafts: "creating MTP draft context against the target model", "1 seqs  3 rs_seq"

void read_drafts(std::string_view line, LlamaState& state) {
  if (line.contains("draft context against") || line.contains("loading draft model"))
    state.is_in_draft = state.log.has_drafts = true;
  if (const auto copies = behind(line, "n_rs_seq"))
    state.keeps_past_states |= leading_count(value_of(*copies)).value_or(0) > 0;
}

// ---- what was asked for

/// Whether the line says `name = …` behind its function's name.
bool says(std::string_view line, std::string_view name) {
  const std::size_t place = line.find(name);
  if (place == std::string_view::npos) return false;
  if (place > 0 && line[place - 1] != ' ' && line[place - 1] != ':') return false;
  const std::size_t next = line.find_first_not_of(' ', place + name.size());
  return next != std::string_view::npos && line[next] == '=';
}

void read_model(std::string_view line, LlamaState& state) {
  EngineStart& start = state.log.start;
  if (line.contains("general.name")) {
    const auto name = behind(line, "str              = ");
    std::string words = name ? std::string(*name) : value_of(line);
    std::ranges::replace(words, ' ', '-');  // as repositories spell it
    // The loader cuts long names; what is printed of the model afterwards has them whole.
    const bool is_cut = start.model.ends_with("...");
    if (!words.empty() && (start.model.empty() || is_cut)) start.model = std::move(words);
  }
  // "…/Qwen3.5-27B-UD-IQ3_XXS.gguf (version GGUF V3 (latest))": the file's type does not tell the
  // recipe of its publisher.
  if (const auto path = behind(line, "loaded meta data with ")) {
    // Names inside files are at times none ("LLaMA v2", "models").
    if (const auto file = behind(*path, " from "); file && start.served_name.empty())
      start.served_name = std::string(file->substr(0, file->find(" (version ")));
    const std::size_t recipe = path->rfind("-UD-");
    const std::size_t end = path->find(".gguf", recipe);
    if (recipe != std::string_view::npos && end != std::string_view::npos)
      state.recipe = std::string(path->substr(recipe + 1, end - recipe - 1));
  }
  const bool is_info = line.contains("print_info:") || line.contains("llm_load_print_meta:");
  if (!is_info) return;
  if (says(line, "file type") || says(line, "model ftype")) {
    start.quantization = file_type_words(value_of(line));
    if (catalog::parse_quantization(state.recipe)) start.quantization = state.recipe;
  }
  if (says(line, "file size") || says(line, "model size")) {
    if (line.contains("GiB") || line.contains("MiB")) start.file_gib = leading_gib(value_of(line));
  }
}

void read_context(std::string_view line, LlamaState& state) {
  EngineStart& start = state.log.start;
  const bool is_context = line.contains("llama_context:") ||
                          line.contains("llama_new_context_with_model:") ||
                          line.contains("llama_init_from_model:");
  if (is_context) {
    const auto count = [&](std::string_view name) -> std::optional<std::int64_t> {
      // Programs of several threads write two lines as one at times.
      return says(line, name) ? leading_count(value_of(line.substr(line.find(name))))
                              : std::nullopt;
    };
    if (const auto found = count("n_ctx")) state.context = found;
    for (const std::string_view name : {"n_ctx_seq", "n_ctx_per_seq"}) {
      if (const auto found = count(name)) state.slot_context = found;
    }
    if (const auto found = count("n_seq_max")) state.slots = found;
    if (const auto found = count("n_ubatch")) start.max_num_batched_tokens = found;
    if (says(line, "kv_unified")) state.is_shared = value_of(line) == "true";
    if (says(line, "flash_attn")) start.flash_attention = flash_attention_of(value_of(line));
  }
  if (line.contains("using full-size SWA cache")) start.has_whole_windows = true;
  // "creating non-SWA KV cache, size = 8192 cells", then "creating     SWA KV cache, size = …"
  if (const auto cells = behind(line, " KV cache, size = "); cells && line.contains("creating ")) {
    if (line.contains("non-SWA"))
      state.cells = leading_count(*cells);
    else
      start.has_whole_windows |= state.cells && state.cells == leading_count(*cells);
  }
  if (const auto rest = behind(line, ", K (")) {
    // "K (q8_0):  136.00 MiB, V (q8_0):  136.00 MiB"
    start.kv_cache_type = std::string(rest->substr(0, rest->find(')')));
    if (const auto values = behind(*rest, ", V (")) {
      const std::string_view type = values->substr(0, values->find(')'));
      start.value_cache_type = type == start.kv_cache_type ? std::string_view() : type;
    }
  }
  if (const auto rest = behind(line, "offloaded ")) {
    if (line.contains("layers to GPU")) start.gpu_layers = leading_count(*rest);
  }
}

struct VersionWords {
  std::string_view words;
  std::string_view version;
};
/// Names of functions that came and went; the last one that is found counts.
constexpr auto kVersionWords = std::to_array<VersionWords>({
    {"llm_load_tensors:", "b4000"},
    {"load_tensors:", "b5000"},
    {"llama_kv_cache_unified:", "b5900"},
    {"llama_kv_cache:", "b8000"},
    {"attn_rot_k", "b9010"},
    {"n_outputs_max", "0.1"},
});

void read_version(std::string_view line, LlamaState& state) {
  std::string& version = state.log.start.engine_version;
  for (const std::string_view words : {"build_info: ", "main: build = ", "build: ", "version: "}) {
    const auto rest = behind(line, words);
    if (!rest || !version.empty() || state.log.start.engine == "ollama") continue;
    if (rest->starts_with('b')) {
      version = std::string(rest->substr(0, rest->find_first_of(" -,(")));
    } else if (const auto build = leading_count(*rest);
               build && *build > 0 && rest->contains('(')) {
      version = fmt::format("b{}", *build);
    }
  }
  if (const auto rest = behind(line, "(version ")) {
    if (line.contains("Listening on"))
      version = std::string(rest->substr(0, rest->find_first_of(")\"")));
  }
  for (const VersionWords& row : kVersionWords) {
    if (line.contains(row.words)) state.version_told = row.version;
  }
}

void read_device(std::string_view line, EngineLog& log) {
  // "Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes"
  if (const auto rest = behind(line, "Device 0: "); rest && log.device_name.empty()) {
    if (line.contains("compute capability"))
      log.device_name = std::string(rest->substr(0, rest->find(',')));
  }
  // "using device CUDA0 (NVIDIA GeForce RTX 3090) - 23862 MiB free"
  if (const auto rest = behind(line, "using device "); rest && log.device_name.empty()) {
    const auto name = behind(*rest, "(");
    if (name) log.device_name = std::string(name->substr(0, name->find(')')));
  }
  // "ggml_metal_init: found device: Apple M2 Max"
  if (const auto rest = behind(line, "found device: "); rest && log.device_name.empty())
    log.device_name = std::string(*rest);
  if (line.contains("cudaMalloc failed: out of memory") ||
      line.contains("failed to allocate compute buffers") ||
      line.contains("unable to allocate CUDA"))
    log.failure = "the GPU ran out of memory";
}

// ---- the whole

std::int64_t whole(std::optional<std::int64_t> count) {
  return std::max<std::int64_t>(1, count.value_or(1));
}

void settle(LlamaState& state) {
  EngineLog& log = state.log;
  EngineStart& start = log.start;
  fill_from_breakdown(state);
  // Ollama's own figures are rounded: they stand only where the runner printed none.
  const bool has_others = state.devices.size() > 1;
  for (auto& [name, rank] : state.devices) {
    if (name == "GPU" && has_others) continue;
    if (rank == RankReading{}) continue;
    add_to(start.weights_gib, rank.weights_gib);
    add_to(start.cache_gib, rank.cache_gib);
    add_to(start.state_gib, rank.state_gib);
    start.compute_gib = rank.compute_gib;
    if (!start.gpu_total_gib) start.gpu_total_gib = rank.total_gib;
    log.ranks.push_back(rank);
  }
  if (log.ranks.size() > 1) start.compute_gib.reset();
  // Attention runs where its cache lies, so that the buffer is another's (--no-kv-offload).
  log.has_cache_with_host = state.has_host_cache && !start.cache_gib && start.gpu_layers != 0;
  if (log.has_cache_with_host) start.compute_gib.reset();
  if (state.keeps_past_states) start.state_gib.reset();
  if (state.is_shared && whole(state.slots) > 1) {
    start.context_tokens = state.context;
  } else if (state.context) {
    start.max_num_seqs = whole(state.slots);
    start.context_tokens =
        state.slot_context ? state.slot_context : *state.context / *start.max_num_seqs;
  }
  if (log.device_name.starts_with("Apple")) start.gpu = log.device_name;
  if (start.engine_version.empty() && !state.version_told.empty()) {
    start.engine_version = state.version_told;
    log.version_from = "the words of the log";
  }
}

/// Lines that llama-server alone writes.
bool is_of_server(std::string_view line) {
  return line.starts_with("srv ") || line.contains(" srv ") ||
         line.contains("main: server is listening") || line.contains("llama-server");
}

bool has_figures(const LlamaState& state) { return state.context || !state.devices.empty(); }

/// A server that was started again writes on in the same file, and a thread quotes several starts:
/// each names its build first.
bool begins_another_start(std::string_view line, const LlamaState& state) {
  if (!has_figures(state)) return false;
  if (line.contains("main: loading model")) return state.context.has_value();
  if (line.contains(" build info") && line.contains(" build=")) return true;
  constexpr auto kOfBuild = std::to_array<std::string_view>({"main: build = ", "build: "});
  return std::ranges::any_of(kOfBuild, [&](std::string_view words) {
    const auto rest = behind(line, words);
    return rest && leading_count(*rest);
  });
}

void start_again(LlamaState& state) {
  const EngineLog last = std::exchange(state, LlamaState{}).log;
  state.log.start.engine = last.start.engine;
  state.log.start.id = last.start.id;
  state.log.start.engine_version = last.start.engine_version;
  state.log.device_name = last.device_name;
}

}  // namespace

RankReading* reading_of(std::string_view device, LlamaState::Devices& devices) {
  constexpr std::size_t kMostDevices = 64;
  const auto known =
      std::ranges::find(devices, device, &std::pair<std::string, RankReading>::first);
  if (known != devices.end()) return &known->second;
  if (devices.size() >= kMostDevices) return nullptr;
  return &devices.emplace_back(device, RankReading{}).second;
}

Result<EngineLog> read_runner(std::string_view text, const std::string& file,
                              const RunnerLog& runner) {
  LlamaState state;
  state.log.start.engine = runner.engine;
  state.log.start.id = file;
  std::optional<LlamaState> before;  // stands where the last start has nothing on a GPU
  for (std::string line; next_line(text, line);) {
    if (begins_another_start(line, state)) {
      if (!state.devices.empty()) before = state;
      start_again(state);
    }
    if (is_of_server(line)) state.log.start.is_server = true;
    read_version(line, state);
    read_model(line, state);
    if (!state.is_in_draft) read_sizes(line, state.log.model_sizes);
    read_drafts(line, state);
    if (!state.is_in_draft) read_context(line, state);
    read_device(line, state.log);
    if (runner.read_own != nullptr) runner.read_own(line, state);
    read_buffers(line, state);
    read_breakdown(line, state);
  }
  if (before && state.devices.empty()) state = *std::move(before);
  settle(state);
  const bool is_told = state.log.start.weights_gib || state.log.start.cache_gib;
  if (!is_told && state.log.failure.empty()) {
    Diagnostic diagnostic =
        complaint(fmt::format("{} names no buffer of a GPU", file),
                  "give the log of a start with layers on a GPU, with all of its lines (-v)");
    diagnostic.span.file = file;
    return failure(std::move(diagnostic));
  }
  return std::move(state.log);
}

bool is_llama_cpp(std::string_view line) {
  return line.contains("llama_model_loader:") || line.contains("llm_load_tensors:") ||
         line.contains("load_tensors:") || line.contains("llama_context:") ||
         line.contains("llama_new_context_with_model:") || line.contains("llama_kv_cache") ||
         line.contains("memory_breakdown_print:");
}

Result<EngineLog> read_llama_cpp(std::string_view text, const std::string& file) {
  return read_runner(text, file, {.engine = "llama.cpp"});
}

}  // namespace gpushape::calibrate::logs
