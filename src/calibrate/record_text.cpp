#include "calibrate/record_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "calibrate/log_text.hpp"
#include "calibrate/logs/llama_state.hpp"
#include "calibrate/logs/sglang_settings.hpp"
#include "calibrate/logs/start_parts.hpp"
#include "calibrate/logs/vllm_settings.hpp"
#include "catalog/quantization_methods.hpp"
#include "document/text_format.hpp"

namespace gpushape::calibrate {
namespace {

using document::Node;

/// The digits behind a word.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest == text.data()) return std::nullopt;
  return value;
}

/// Settings that ask for drafts; from 0.29 on vLLM has flags of their own for each.
constexpr auto kDraftSettings = std::to_array<std::string_view>(
    {"speculative-config", "speculative_config", "--spec-model", "--spec-method"});

/// What follows the first setting that asks for drafts of a model, with the setting itself; empty
/// where none does: tokens may also be looked up in the prompt (ngram).
std::string_view asked_drafts(std::string_view notes) {
  for (const std::string_view setting : kDraftSettings) {
    const std::size_t at = notes.find(setting);
    if (at == std::string_view::npos) continue;
    constexpr std::size_t kShort = 120;
    const std::string_view value = notes.substr(at + setting.size(), kShort);
    const bool is_denied = value.starts_with("=None") || value.starts_with(": None") ||
                           notes.substr(0, at).ends_with("no ");
    if (!is_denied && !value.contains("ngram")) return notes.substr(at);
  }
  return {};
}

/// The model that such a setting names: "model": "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B" of its JSON,
/// or --spec-model google/gemma-4-E4B-it-assistant.
std::string named_draft(std::string_view asked) {
  constexpr auto kBefore = std::to_array<std::string_view>(
      {R"("model": ")", R"("model":")", "'model': '", "model='", "--spec-model ", "--spec-model="});
  asked = asked.substr(0, asked.find('}'));
  for (const std::string_view before : kBefore) {
    const auto name = behind(asked, before);
    if (name) return std::string(name->substr(0, name->find_first_of(R"("' ,;))")));
  }
  return {};
}

constexpr auto kDenials = std::to_array<std::string_view>({"no ", "No ", "non-", "without "});

bool ends_with_denial(std::string_view text) {
  return std::ranges::any_of(kDenials,
                             [&](std::string_view denial) { return text.ends_with(denial); });
}

/// Whether a remark speaks of LoRA adapters that are there: neither "no LoRA" nor "LoRA not in
/// args", and no checkpoint that was tuned with them (QLoRA).
bool speaks_of_adapters(std::string_view notes) {
  constexpr std::string_view kWord = "LoRA";
  constexpr auto kDenied = std::to_array<std::string_view>(
      {" not ", " off", " disabled", ": none", ": no", "=False", ": False"});
  for (std::size_t at = notes.find(kWord); at != std::string_view::npos;
       at = notes.find(kWord, at + kWord.size())) {
    const std::string_view before = notes.substr(0, at);
    const std::string_view behind = notes.substr(at + kWord.size());
    const bool is_denied = ends_with_denial(before) || before.ends_with('Q') ||
                           std::ranges::any_of(kDenied, [&](std::string_view word) {
                             return behind.starts_with(word);
                           });
    if (!is_denied) return true;
  }
  return false;
}

/// Where a remark speaks of the model's own layers for further tokens; npos where it says that none
/// are asked.
std::size_t mention_of_drafts(std::string_view notes) {
  constexpr std::string_view kWord = "MTP";
  std::size_t at = notes.find(kWord);
  while (at != std::string_view::npos) {
    const std::string_view before = notes.substr(0, at);
    if (ends_with_denial(before)) return std::string_view::npos;
    // Part of a checkpoint's name.
    if (!before.ends_with('-')) return at;
    at = notes.find(kWord, at + kWord.size());
  }
  return at;
}

/// Tokens that those layers propose in one step: "MTP n=4", "MTP, 3 speculative tokens".
std::optional<std::int64_t> drafted_tokens(std::string_view notes) {
  // As a setting, or in JSON: "num_speculative_tokens": 3.
  for (const std::string_view pair : {"=", "\": ", "\":", "': ", " ", ": "}) {
    const std::string word = "num_speculative_tokens" + std::string(pair);
    if (const auto count = number_behind(notes, word)) return count;
  }
  for (const std::string_view word : {"--spec-tokens ", "--spec-tokens=", "num_spec_tokens="}) {
    if (const auto count = number_behind(notes, word)) return count;
  }
  const std::size_t at = mention_of_drafts(notes);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view clause = notes.substr(at);
  clause = clause.substr(0, clause.find_first_of(";.()"));
  constexpr std::size_t kShort = 40;
  constexpr std::int64_t kFew = 16;
  clause = clause.substr(0, kShort);
  const std::size_t digit = clause.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  const auto count = number_behind(clause, clause.substr(0, digit));
  return count && *count <= kFew ? count : std::nullopt;
}

/// Whether a remark on a table of n-grams says that it is not on the GPU.
bool puts_tables_elsewhere(std::string_view notes) {
  constexpr auto kTables = std::to_array<std::string_view>({"n-gram", "PLE", "table offloaded"});
  constexpr auto kPlaces =
      std::to_array<std::string_view>({"offload", "OFFLOAD", "disk", "SSD", "host memory"});
  const auto says = [&](std::string_view word) { return notes.contains(word); };
  return std::ranges::any_of(kTables, says) && std::ranges::any_of(kPlaces, says);
}

std::string text_of(const Node* node) {
  return node != nullptr && node->is(Node::Kind::String) ? node->text() : std::string();
}

bool is_of_flag(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
}

/// "--max-loras 4 --enable-lora" as logs list settings: "max_loras=4, enable_lora=True, ".
std::string flags_as_settings(std::string_view text) {
  std::string settings;
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--")) {
    text.remove_prefix(at + 2);
    const auto end = std::ranges::find_if_not(text, is_of_flag);
    std::string name(text.begin(), end);
    text.remove_prefix(name.size());
    std::ranges::replace(name, '-', '_');
    std::string_view value;
    if (text.starts_with(' ') || text.starts_with('=')) {
      value = text.substr(1);
      value = value.substr(0, value.find_first_of(" ,;)\n"));
    }
    // What stands in brackets, or on the next line, is another flag.
    constexpr std::string_view kOfOthers = "[(\\";
    const bool has_value = !value.empty() && !value.starts_with("--") &&
                           kOfOthers.find(value.front()) == std::string_view::npos;
    if (!name.empty()) settings += name + "=" + std::string(has_value ? value : "True") + ", ";
  }
  return settings;
}

/// What a record lists of settings, each under its own name, as logs list them: "page_size=1,
/// speculative_config={"method": "mtp"}, ".
std::string listed_settings(const Node& record) {
  const Node* extra = record.find("engine_extra");
  if (extra == nullptr || !extra->is(Node::Kind::Mapping)) return {};
  std::string settings;
  for (const Node::Entry& entry : extra->entries()) {
    std::string value;
    if (entry.value.is(Node::Kind::String)) {
      value = entry.value.text();
    } else if (entry.value.is(Node::Kind::Boolean)) {
      value = entry.value.boolean() ? "True" : "False";
    } else {
      value = document::write_json(entry.value);
      std::erase(value, '\n');
    }
    settings += entry.name + "=" + value + ", ";
  }
  return settings;
}

/// What records call an engine's arguments.
constexpr auto kArgumentNames = std::to_array<std::string_view>(
    {"args", "arguments", "command", "server_args", "engine_config"});

/// Settings as flags, or as what vLLM prints of those that are not its defaults, braces alone.
void add_settings(std::vector<std::string>& lines, const std::string& text) {
  if (text.empty()) return;
  lines.push_back(text.starts_with('{') ? "non-default args: " + text : text);
  lines.push_back(flags_as_settings(text));
}

/// The lines that a record quotes, and what it lists of settings.
std::vector<std::string> lines_of(const Node& record) {
  std::vector<std::string> lines;
  if (const Node* quotes = record.find("quotes");
      quotes != nullptr && quotes->is(Node::Kind::Sequence)) {
    for (const Node& quote : quotes->items()) lines.push_back(text_of(&quote));
  }
  add_settings(lines, text_of(record.find("notes")));
  const Node* extra = record.find("engine_extra");
  add_settings(lines, text_of(extra));
  if (extra == nullptr || !extra->is(Node::Kind::Mapping)) return lines;
  lines.push_back(listed_settings(record));
  for (const std::string_view name : kArgumentNames)
    add_settings(lines, text_of(extra->find(name)));
  return lines;
}

/// All that vLLM was told, without the most sequences.
bool leaves_default_sequences(std::string_view line) {
  const auto told = logs::whole_list(line);
  return told && !told->contains("max_num_seqs");
}

/// "attention backend FLASHINFER", "TRITON_ATTN attention; no LoRA": the kernels by the engine's
/// own name. Empty where a remark has none.
std::string backend_in(std::string_view notes) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"FLASHINFER", "FLASH_ATTN", "TRITON_ATTN"});
  constexpr auto kBehind = std::to_array<std::string_view>({" attention;", " attention,"});
  for (const std::string_view name : kNames) {
    const std::string backend(name);
    const bool is_named_first = notes.contains("attention backend " + backend + ";");
    const bool is_named_last = std::ranges::any_of(kBehind, [&](std::string_view words) {
      return notes.contains(" " + backend + std::string(words));
    });
    if (is_named_first || is_named_last) return backend;
  }
  return {};
}

/// vLLM's second runner is v1/worker/gpu/model_runner.py, the first gpu_model_runner.py; so was the
/// first generation's before there was a second runner.
std::optional<bool> runner_in(const Node& record, const EngineStart& start) {
  const std::optional<domain::EngineVersion> version = release_of(start.engine_version);
  const bool has_two = !version || *version >= kSecondRunner;
  const auto says = [&](std::string_view words) { return start.notes.contains(words); };
  if (says("VLLM_USE_V2_MODEL_RUNNER=0")) return false;
  for (const std::string_view words : {"VLLM_USE_V2_MODEL_RUNNER=1", "V2 Model Runner",
                                       "V2 model runner", "Model Runner V2", "model runner V2"}) {
    if (has_two && says(words)) return true;
  }
  const Node* quotes = record.find("quotes");
  if (!version || !has_two || quotes == nullptr || !quotes->is(Node::Kind::Sequence))
    return std::nullopt;
  for (const Node& quote : quotes->items()) {
    const std::string line = text_of(&quote);
    if (line.contains("gpu_model_runner.py:")) return false;
    if (line.contains("[model_runner.py:")) return true;
  }
  return std::nullopt;
}

template <typename Value>
void fill(std::optional<Value>& target, const std::optional<Value>& found) {
  if (!target) target = found;
}

/// Remarks on the cache of compiled graphs, in lower case.
constexpr auto kOfColdCache = std::to_array<std::string_view>(
    {"cold compil", "cold torch.compile", "compile cache: cold", "compile cache cold",
     "compile cache is cold", "compiling a graph for"});
constexpr auto kOfWarmCache = std::to_array<std::string_view>(
    {"warm compil", "warm torch.compile", "compile cache: warm", "compile cache warm",
     "compile cache is warm", "directly load the compiled graph", "directly load aot compilation"});

/// Whether graphs were compiled in the start; empty where its remarks speak of neither, or of both.
std::optional<bool> compiles_in(const std::string& notes) {
  const std::string text = catalog::lower_case(notes);
  const auto says = [&](std::string_view words) { return text.contains(words); };
  const bool is_cold = std::ranges::any_of(kOfColdCache, says);
  const bool is_warm = std::ranges::any_of(kOfWarmCache, says);
  return is_cold == is_warm ? std::nullopt : std::optional(is_cold);
}

/// Unsloth's copies in four bits, and bitsandbytes with a cache of prefixes, which the first
/// generation of vLLM had to be asked for: unsloth_zoo/vllm_utils.py, load_vllm.
bool is_like_unsloth(const EngineStart& start, const std::string& listed) {
  if (start.engine != "vllm" || start.is_by_unsloth || start.is_second_generation) return false;
  if (start.model.starts_with("unsloth/") && start.model.contains("bnb-4bit")) return true;
  return start.quantization == "bitsandbytes" && listed.contains("enable_prefix_caching=True");
}

}  // namespace

void read_remarks(const Node& record, EngineStart& start) {
  if (const std::string listed = text_of(record.find("engine_extra")); !listed.empty())
    start.notes += (start.notes.empty() ? "" : "; ") + listed;
  const std::string text = start.notes + "; " + listed_settings(record);
  start.is_first_generation = text.contains("V0 engine") || text.contains("VLLM_USE_V1=0");
  start.is_second_generation = text.contains("V1 engine");
  start.is_under_wsl = text.contains("WSL");
  start.compiles = compiles_in(text);
  // Unsloth starts the engine for training, with adapters on: unsloth_zoo/vllm_utils.py, load_vllm.
  const bool is_notebook = start.source.contains("github.com/unslothai/");
  start.is_by_unsloth = is_notebook || text.contains("Unsloth");
  const bool is_training =
      is_notebook || text.contains("patched") || text.contains("fast_inference");
  start.has_adapters = speaks_of_adapters(text) || (start.is_by_unsloth && is_training);
  start.may_be_by_unsloth = is_like_unsloth(start, listed_settings(record));
  if (!start.has_tables_elsewhere && puts_tables_elsewhere(text)) start.has_tables_elsewhere = true;
  if (const auto gib = number_behind(text, "cpu_offload_gb="); gib.value_or(0) > 0)
    start.offload_gib = static_cast<double>(*gib);
  start.draft_tokens = drafted_tokens(text);
  const std::string_view asked = asked_drafts(text);
  start.speaks_of_drafts = mention_of_drafts(text) != std::string_view::npos || !asked.empty();
  if (std::string draft = named_draft(asked); !start.draft_model && !draft.empty())
    name_draft(start, std::move(draft));
}

/// "Free memory on device (92.48/93.09 GiB)", "total_gpu_memory (31.37GiB)".
std::optional<double> total_in(std::string_view line) {
  if (const auto rest = behind(line, "total_gpu_memory (")) return leading_gib(*rest);
  const auto rest = behind(line, "Free memory on device ");
  const std::size_t slash = rest ? rest->find('/') : std::string_view::npos;
  return slash == std::string_view::npos ? std::nullopt : leading_gib(rest->substr(slash + 1));
}

void read_sglang_record(const Node& record, EngineStart& start) {
  std::string settings = listed_settings(record);
  if (const Node* extra = record.find("engine_extra")) {
    settings += flags_as_settings(text_of(extra));
    for (const std::string_view name : kArgumentNames)
      settings += flags_as_settings(text_of(extra->find(name)));
  }
  EngineStart said;
  logs::read_sglang_arguments(settings, said);
  fill(start.max_num_seqs, said.max_num_seqs);
  fill(start.max_num_batched_tokens, said.max_num_batched_tokens);
  fill(start.block_tokens, said.block_tokens);
  fill(start.most_tokens, said.most_tokens);
  fill(start.utilization, said.utilization);
  fill(start.window_share, said.window_share);
  fill(start.state_share, said.state_share);
  fill(start.state_slots, said.state_slots);
  fill(start.prefix_caching, said.prefix_caching);
  fill(start.offload_gib, said.offload_gib);
  if (start.kv_cache_type.empty()) start.kv_cache_type = said.kv_cache_type;
  if (!start.draft_model) start.draft_model = said.draft_model;
  start.has_adapters |= said.has_adapters;
  // What was free before loading: as a setting of the record's own, or in a line that it quotes.
  logs::take_number(start.free_gib, settings, "avail_mem_before_load_gb");
  const Node* quotes = record.find("quotes");
  if (quotes == nullptr || !quotes->is(Node::Kind::Sequence)) return;
  bool has_plain_sizes = false;
  for (const Node& quote : quotes->items()) {
    const std::string line = text_of(&quote);
    logs::take_smallest(start.free_gib, logs::free_before_loading(line));
    has_plain_sizes |= logs::leaves_scales_out(start.kv_cache_type, line);
  }
  if (has_plain_sizes && start.pool_gib) *start.pool_gib *= logs::kWithScales;
}

bool read_quoted_llama(const Node& record, EngineStart& start) {
  const Node* quotes = record.find("quotes");
  if (quotes == nullptr || !quotes->is(Node::Kind::Sequence)) return false;
  std::string text;
  for (const Node& quote : quotes->items()) text += text_of(&quote) + "\n";
  const Result<EngineLog> log = logs::read_runner(text, start.id, {.engine = start.engine});
  if (!log) return false;
  const EngineStart& said = log->start;
  // A build that is told by the words of the log is no better than the day of the record.
  if (start.engine_version.empty() && log->version_from.empty())
    start.engine_version = said.engine_version;
  fill(start.max_num_batched_tokens, said.max_num_batched_tokens);
  fill(start.flash_attention, said.flash_attention);
  fill(start.gpu_layers, said.gpu_layers);
  start.has_whole_windows |= said.has_whole_windows;
  if (start.kv_cache_type.empty()) {
    start.kv_cache_type = said.kv_cache_type;
    start.value_cache_type = said.value_cache_type;
  }
  if (said.context_tokens && said.max_num_seqs) {
    const std::int64_t cells = *said.context_tokens * *said.max_num_seqs;
    fill(start.context_tokens, std::optional(cells));
    if (start.context_tokens == cells) fill(start.max_num_seqs, said.max_num_seqs);
  }
  return log->has_cache_with_host;
}

void read_quoted_lines(const Node& record, EngineStart& start) {
  EngineLog log;
  EngineStart& said = log.start;
  std::string model;
  for (const std::string& line : lines_of(record)) {
    logs::read_vllm_config(line, log);
    logs::read_vllm_arguments(line, said, model);
    logs::read_vllm_settings(line, said);
    said.has_default_sequences |= leaves_default_sequences(line);
    if (!start.gpu_total_gib) start.gpu_total_gib = total_in(line);
  }
  fill(start.has_second_runner, runner_in(record, start));
  fill(start.context_tokens, said.context_tokens);
  fill(start.max_num_seqs, said.max_num_seqs);
  fill(start.max_num_batched_tokens, said.max_num_batched_tokens);
  fill(start.block_tokens, said.block_tokens);
  fill(start.utilization, said.utilization);
  fill(start.chunks_prompts, said.chunks_prompts);
  fill(start.prefix_caching, said.prefix_caching);
  fill(start.adapter_rank, said.adapter_rank);
  fill(start.adapters, said.adapters);
  fill(start.offload_gib, said.offload_gib);
  fill(start.context_parallel, said.context_parallel);
  fill(start.kept_modules, said.kept_modules);
  fill(start.has_tables_elsewhere, said.has_tables_elsewhere);
  fill(start.samples_with_flashinfer, said.samples_with_flashinfer);
  fill(start.draft_tokens, said.draft_tokens);
  if (start.attention_backend.empty()) start.attention_backend = said.attention_backend;
  if (start.attention_backend.empty()) start.attention_backend = backend_in(start.notes);
  start.has_default_sequences |= said.has_default_sequences && !start.max_num_seqs;
  start.has_adapters |= said.has_adapters;
  start.is_library |= said.is_library;
  start.has_throughput_mode |= said.has_throughput_mode;
  start.is_synchronous |= said.is_synchronous;
  start.is_under_wsl |= said.is_under_wsl;
  start.takes_no_images |= said.takes_no_images;
  start.takes_no_videos |= said.takes_no_videos;
  start.keeps_towers_whole |= said.keeps_towers_whole;
  start.is_first_generation |= said.is_first_generation;
  start.is_second_generation |= said.is_second_generation;
}

}  // namespace gpushape::calibrate
