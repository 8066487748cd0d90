#include "calibrate/record_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/log_text.hpp"
#include "calibrate/logs/llama_state.hpp"
#include "calibrate/logs/sglang_settings.hpp"
#include "calibrate/logs/start_parts.hpp"
#include "calibrate/logs/vllm_settings.hpp"
#include "document/text_format.hpp"

namespace gpushape::calibrate {

using document::Node;

std::string text_of(const Node* node) {
  return node != nullptr && node->is(Node::Kind::String) ? node->text() : std::string();
}

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

namespace {

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

/// "enable_lora True, cpu_offload_gb 40.0" as logs list settings: "enable_lora=True, ". A name of
/// one word alone is no setting: "tutorial page".
std::string pairs_as_settings(std::string_view text) {
  std::string settings;
  while (!text.empty()) {
    const std::size_t comma = text.find(", ");
    std::string_view pair = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
    if (const auto list = behind(pair, "args: ")) pair = *list;
    const std::string_view name = pair.substr(0, pair.find(' '));
    const bool is_name = name.contains('_') && std::ranges::all_of(name, [](char letter) {
                           return letter == '_' || std::islower(static_cast<unsigned char>(letter));
                         });
    if (is_name && name.size() < pair.size())
      settings += std::string(name) + "=" + std::string(pair.substr(name.size() + 1)) + ", ";
  }
  return settings;
}

/// What records call an engine's arguments.
constexpr auto kArgumentNames = std::to_array<std::string_view>(
    {"args", "arguments", "command", "flags", "server_args", "engine_config"});

/// Settings as flags, or as what vLLM prints of those that are not its defaults, braces alone.
void add_settings(std::vector<std::string>& lines, const std::string& text) {
  if (text.empty()) return;
  lines.push_back(text.starts_with('{') ? "non-default args: " + text : text);
  lines.push_back(flags_as_settings(text) + pairs_as_settings(text));
}

/// The lines of its log that a record quotes.
std::vector<std::string> quoted_lines(const Node& record) {
  std::vector<std::string> lines;
  const Node* quotes = record.find("quotes");
  if (quotes == nullptr || !quotes->is(Node::Kind::Sequence)) return lines;
  for (const Node& quote : quotes->items()) lines.push_back(text_of(&quote));
  return lines;
}

/// Those lines as a log.
std::string quoted_log(const Node& record) {
  std::string text;
  for (const std::string& line : quoted_lines(record)) text += line + "\n";
  return text;
}

/// The lines that a record quotes, and what it lists of settings.
std::vector<std::string> lines_of(const Node& record) {
  std::vector<std::string> lines = quoted_lines(record);
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

/// What a record lists under the names that switches of vLLM have.
void add_switches(const Node& record, std::vector<std::string>& arguments) {
  const Node* extra = record.find("engine_extra");
  if (extra == nullptr || !extra->is(Node::Kind::Mapping)) return;
  for (const Node::Entry& entry : extra->entries()) {
    const bool is_switch = entry.name.starts_with("enable_") || entry.name.starts_with("disable_");
    const bool is_off = entry.value.is(Node::Kind::Boolean) && !entry.value.boolean();
    if (is_switch && !is_off) arguments.push_back(entry.name);
  }
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
  const std::string text = start.notes + "; " + listed_settings(record);
  const auto says = [&](std::string_view words) { return text.contains(words); };
  if (says("VLLM_USE_V2_MODEL_RUNNER=0")) return false;
  for (const std::string_view words : {"VLLM_USE_V2_MODEL_RUNNER=1", "V2 Model Runner",
                                       "V2 model runner", "Model Runner V2", "model runner V2"}) {
    if (has_two && says(words)) return true;
  }
  if (!version || !has_two) return std::nullopt;
  for (const std::string& line : quoted_lines(record)) {
    if (line.contains("gpu_model_runner.py:")) return false;
    if (line.contains("[model_runner.py:")) return true;
  }
  return std::nullopt;
}

template <typename Value>
void fill(std::optional<Value>& target, const std::optional<Value>& found) {
  if (!target) target = found;
}

/// "Free memory on device (92.48/93.09 GiB)", "total_gpu_memory (31.37GiB)".
std::optional<double> total_in(std::string_view line) {
  if (const auto rest = behind(line, "total_gpu_memory (")) return leading_gib(*rest);
  const auto rest = behind(line, "Free memory on device ");
  const std::size_t slash = rest ? rest->find('/') : std::string_view::npos;
  return slash == std::string_view::npos ? std::nullopt : leading_gib(rest->substr(slash + 1));
}

}  // namespace

namespace {

/// Of a model with windows there are two pools, of as many tokens each as its layers hold: a record
/// of which the field holds one quotes the lines of both. A draft's pool has as many as the
/// model's.
void add_second_pool(const std::string& text, EngineStart& start) {
  std::optional<std::int64_t> first;
  bool has_two = false;
  std::string_view rest = text;
  for (std::string line; next_line(rest, line);) {
    const auto behind_words = behind(line, "KV Cache is allocated. #tokens: ");
    const auto tokens = behind_words ? leading_count(*behind_words) : std::nullopt;
    if (!tokens) continue;
    has_two |= first && *first != *tokens;
    first = tokens;
  }
  if (!has_two || !start.pool_gib) return;
  const Result<EngineLog> log = logs::read_sglang(text, start.id);
  if (!log || log->start.pool_gib.value_or(0) <= *start.pool_gib) return;
  start.pool_gib = log->start.pool_gib;
  start.pool_tokens = log->start.pool_tokens;
}

}  // namespace

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
  logs::take_number(start.free_behind_pool_gib, settings, "memory_pool_end_avail_mem_gb");
  bool has_plain_sizes = false;
  for (const std::string& line : quoted_lines(record)) {
    logs::take_smallest(start.free_gib, logs::free_before_loading(line));
    if (const auto rest = behind(line, "Memory pool end. avail mem="))
      logs::take_smallest(start.free_behind_pool_gib, leading_number(*rest));
    has_plain_sizes |= logs::leaves_scales_out(start.kv_cache_type, line);
  }
  if (has_plain_sizes && start.pool_gib) *start.pool_gib *= logs::kWithScales;
  add_second_pool(quoted_log(record), start);
}

QuotedBuffers read_quoted_llama(const Node& record, EngineStart& start) {
  const std::string text = quoted_log(record);
  const Result<EngineLog> log = logs::read_runner(text, start.id, {.engine = start.engine});
  if (!log) return {};
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
  const bool has_encoder = text.contains("alloc_compute_meta");
  return {.has_cache_with_host = log->has_cache_with_host,
          .compute_gib = has_encoder ? said.compute_gib : std::nullopt};
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
  start.arguments = said.arguments;
  add_switches(record, start.arguments);
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
  fill(start.state_bits, said.state_bits);
  fill(start.told_pool_bytes, said.told_pool_bytes);
  fill(start.told_blocks, said.told_blocks);
  if (start.graph_batches.empty()) start.graph_batches = said.graph_batches;
  if (start.expert_backend.empty()) start.expert_backend = said.expert_backend;
  if (start.attention_backend.empty()) start.attention_backend = said.attention_backend;
  start.unfolds_latents = start.unfolds_latents || said.unfolds_latents;
  if (start.attention_backend.empty()) start.attention_backend = backend_in(start.notes);
  start.has_default_sequences |= said.has_default_sequences && !start.max_num_seqs;
  start.has_adapters |= said.has_adapters;
  start.is_library |= said.is_library;
  start.has_throughput_mode |= said.has_throughput_mode;
  start.is_synchronous |= said.is_synchronous;
  start.has_other_sizes |= said.has_other_sizes;
  start.prints_early_lines |= said.prints_early_lines;
  start.is_under_wsl |= said.is_under_wsl;
  start.takes_no_images |= said.takes_no_images;
  start.takes_no_videos |= said.takes_no_videos;
  start.keeps_towers_whole |= said.keeps_towers_whole;
  start.is_first_generation |= said.is_first_generation;
  start.is_second_generation |= said.is_second_generation;
}

}  // namespace gpushape::calibrate
