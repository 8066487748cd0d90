#include "calibrate/logs/vllm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/log_text.hpp"
#include "calibrate/logs/start_parts.hpp"
#include "calibrate/logs/unsloth.hpp"
#include "calibrate/logs/vllm_kernels.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// "speculative_config=SpeculativeConfig(method='mtp', model='…', num_spec_tokens=3), …".
void read_drafts(std::string_view line, EngineLog& log) {
  const auto value = value_of_key(line, "speculative_config");
  if (!value || value->empty() || *value == "None") return;
  log.has_drafts = true;
  const auto rest = behind(line, "SpeculativeConfig(");
  if (!rest) return;
  take_count(log.start.draft_tokens, *rest, "num_spec_tokens");
  constexpr std::string_view kStates = "extract_hidden_states";
  const std::string method(value_of_key(*rest, "method").value_or(""));
  // Nothing is proposed: hidden states of some layers stand in the cache, to be written out.
  if (method == kStates) return name_draft(log.start, method);
  // The model's own prediction layers: "mtp", "deepseek_mtp", "qwen3_next_mtp" …
  if (method.ends_with("mtp")) return;
  name_draft(log.start, std::string(value_of_key(*rest, "model").value_or("")));
  log.start.draft_method = method;
}

/// Of the model that is served, then of what drafts; every rank may print both.
void read_checkpoint_size(std::string_view line, EngineStart& start) {
  if (line.contains("Keeping separate lm_head weights")) start.draft_has_own_head = true;
  const auto rest = behind(line, "Checkpoint size: ");
  if (!rest) return;
  const std::optional<double> gib = leading_gib(*rest);
  if (!start.checkpoint_gib) {
    start.checkpoint_gib = gib;
  } else if (start.draft_model && gib != start.checkpoint_gib) {
    start.draft_checkpoint_gib = gib;
  }
}

/// What is not let in: "language_model_only=True", limits of none, "running in text-only mode". A
/// server that says so because it "has no registered multimodal processor" takes images all the
/// same.
void read_limits(std::string_view line, EngineStart& start) {
  const bool is_text_alone =
      is_true(line, "language_model_only") ||
      (line.contains("text-only mode") && !line.contains("no registered multimodal processor"));
  auto limits = behind(line, "limit_mm_per_prompt");
  if (!limits) limits = behind(line, "limit-mm-per-prompt");  // as it was asked for
  const std::string_view listed =
      limits ? limits->substr(0, limits->find('}')) : std::string_view();
  const auto is_none = [&](std::string_view kind) {  // people write "image 0 video 0", too
    return value_of_key(listed, kind) == "0" || listed.contains(fmt::format(" {} 0", kind));
  };
  if (is_text_alone || is_none("image")) start.takes_no_images = true;
  if (is_text_alone || is_none("video")) start.takes_no_videos = true;
}

/// A share printed with two digits does not replace one that is known better.
void take_share(EngineStart& start, std::optional<double> printed) {
  constexpr double kHalfOfLastDigit = 0.005;
  const bool is_known_better =
      printed && start.utilization && std::abs(*start.utilization - *printed) <= kHalfOfLastDigit;
  if (printed && !is_known_better) start.utilization = printed;
}

/// "The current --gpu-memory-utilization=0.5000 is equivalent to …", "increase
/// --gpu-memory-utilization from 0.9000 to 0.9136". Source: vLLM v1/worker/gpu_worker.py, since
/// 0.18.
void read_share_of_graphs(std::string_view line, EngineStart& start) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"The current --gpu-memory-utilization=", "increase --gpu-memory-utilization from "});
  for (const std::string_view words : kWords) {
    if (const auto rest = behind(line, words); rest && !start.utilization)
      start.utilization = leading_number(*rest);
  }
}

/// "Initialized PLE embedding …: …, weight_device=cpu, pinned=True", "Engram table offloaded to
/// pinned host memory: …", or the variable that asks for it. Source: vLLM vllm/models/qwen4_exp
/// (nvidia/ngram_embedding.py), deepseek_v4_1/nvidia/engram.py.
void read_tables(std::string_view line, EngineStart& start) {
  if (const auto rest = behind(line, "Initialized PLE embedding"))
    start.has_tables_elsewhere = rest->contains("weight_device=cpu");
  if (line.contains("Engram table offloaded to ")) start.has_tables_elsewhere = true;
  if (const auto value = behind(line, "VLLM_PLE_CPU_OFFLOAD="))
    start.has_tables_elsewhere = !value->starts_with('0');
}

/// vLLM config/lora.py: default of max_lora_rank.
constexpr std::int64_t kDefaultRank = 16;

void read_adapters(std::string_view line, EngineStart& start) {
  take_count(start.adapter_rank, line, "max_lora_rank");
  take_count(start.adapters, line, "max_loras");
  const auto list = whole_list(line);
  const bool is_default = list && !list->contains("max_lora_rank");
  if (!start.adapter_rank && is_default) start.adapter_rank = kDefaultRank;
}

/// What stands behind `words` in the list behind "is assigned as".
std::int64_t rank_behind(std::string_view line, std::string_view words) {
  const auto rest = behind(line, words);
  constexpr std::int64_t kMostRank = 65536;
  return rest ? std::min(leading_count(*rest).value_or(0), kMostRank) : 0;
}

/// Where the quoted text that begins at `at` ends; the end of the list where it is cut.
std::size_t end_of_quoted(std::string_view list, std::size_t at) {
  const char quote = list[at];
  for (std::size_t i = at + 1; i < list.size(); ++i) {
    if (list[i] == '\\')
      ++i;
    else if (list[i] == quote)
      return i;
  }
  return list.size();
}

/// What stands to the brace that closes the list, or to the end where none does.
std::string_view list_in_braces(std::string_view list) {
  int depth = 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '{') ++depth;
    if (list[i] == '}' && --depth == 0) return list.substr(0, i);
  }
  return list;
}

/// "INFO 03-15 20:36:48 worker.py:267] …" of releases to 0.7.3; later ones write "[worker.py:267]".
bool names_file_barely(std::string_view line) {
  constexpr std::string_view kTime = "00:00:00";
  const std::size_t name_end = line.find(".py:");
  if (name_end == std::string_view::npos) return false;
  const std::size_t file = line.rfind(' ', name_end);
  if (file == std::string_view::npos || file < kTime.size()) return false;
  const std::string_view time = line.substr(file - kTime.size(), kTime.size());
  const auto is_alike = [](char letter, char model) {
    return model == ':' ? letter == ':' : letter >= '0' && letter <= '9';
  };
  return line[file + 1] != '[' && std::ranges::equal(time, kTime, is_alike);
}

/// Of --mamba-ssm-cache-dtype; nothing for "auto".
std::optional<int> state_bits_of(std::string_view type) {
  if (type == "float32") return 32;
  if (type == "float16" || type == "bfloat16") return 16;
  return std::nullopt;
}

/// Whether --hf-overrides give layers or widths, and not scalings of the rope or classes alone.
bool overrides_sizes(std::string_view line) {
  constexpr auto kSizesOfModels = std::to_array<std::string_view>(
      {"'num_hidden_layers'", "'hidden_size'", "'num_experts'", "'n_routed_experts'"});
  const auto behind_name = behind(line, "hf_overrides");
  const std::size_t open = behind_name ? behind_name->find('{') : std::string_view::npos;
  constexpr std::size_t kNear = 4;  // "': {" or "={"
  if (open >= kNear) return false;
  const std::string_view list = list_in_braces(behind_name->substr(open + 1));
  return std::ranges::any_of(kSizesOfModels,
                             [&](std::string_view size) { return list.contains(size); });
}

/// The profile of graphs has a cache of its own and prints that, too, where nothing fits yet:
/// "Overriding num_gpu_blocks=0 with num_gpu_blocks_override=512" (vLLM v1/core/kv_cache_utils.py,
/// may_override_num_blocks).
void take_told_blocks(std::string_view line, EngineStart& start) {
  const auto fitting = behind(line, "Overriding num_gpu_blocks=");
  if (!fitting || leading_count(*fitting).value_or(0) > 0)
    take_count(start.told_blocks, line, "num_gpu_blocks_override");
}

/// None where the line leaves it to the engine.
std::optional<bool> settled_key(std::string_view line, std::string_view key) {
  const auto value = value_of_key(line, key);
  if (value != "True" && value != "False") return std::nullopt;
  return value == "True";
}

}  // namespace

std::optional<std::string_view> whole_list(std::string_view line) {
  const auto list = behind(line, "non-default args: {");
  if (!list || list->contains("...") || list->contains("\u2026")) return std::nullopt;
  const std::string_view whole = list_in_braces(*list);
  return whole.size() < list->size() ? std::optional(whole) : std::nullopt;
}

std::vector<std::string> names_of_list(std::string_view list) {
  std::vector<std::string> names;
  int depth = 1;
  for (std::size_t i = 0; i < list.size() && depth > 0; ++i) {
    const char letter = list[i];
    if (letter == '{' || letter == '[' || letter == '(') ++depth;
    if (letter == '}' || letter == ']' || letter == ')') --depth;
    if (letter != '\'' && letter != '"') continue;
    const std::size_t end = end_of_quoted(list, i);
    const bool is_name = depth == 1 && list.substr(std::min(end, list.size())).starts_with("': ");
    if (is_name) names.emplace_back(list.substr(i + 1, end - i - 1));
    i = end;
  }
  return names;
}

/// `cudagraph_capture_sizes":[256,248,240` or `'cudagraph_capture_sizes': [1, 2, 4]`, of the whole
/// list. The first generation captures of it what its sequences want.
void read_graph_batches(std::string_view line, EngineStart& start) {
  constexpr std::size_t kMost = 4'096;
  constexpr std::int64_t kLargest = 1 << 20;
  const auto rest = behind(line, "cudagraph_capture_sizes");
  if (!rest || start.is_first_generation || !start.is_second_generation) return;
  const std::size_t open = rest->find('[');
  const std::size_t close = rest->find(']');
  constexpr std::size_t kBetween = 4;  // `": ` and the like
  if (open > kBetween || close == std::string_view::npos || close < open) return;
  std::vector<std::int64_t> batches;
  for (std::string_view list = rest->substr(open + 1, close - open - 1); !list.empty();) {
    const std::string_view word = list.substr(0, list.find(','));
    const std::size_t first = word.find_first_not_of(' ');
    const auto batch = leading_count(word.substr(std::min(first, word.size())));
    if (!batch || *batch < 1 || *batch > kLargest || batches.size() == kMost) return;
    batches.push_back(*batch);
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
  std::ranges::sort(batches);
  const auto repeated = std::ranges::unique(batches);
  batches.erase(repeated.begin(), repeated.end());
  start.graph_batches = std::move(batches);
}

void read_vllm_config(std::string_view line, EngineLog& log) {
  EngineStart& start = log.start;
  if (const auto rest = behind(line, "LLM engine (v"))
    start.engine_version = std::string(rest->substr(0, rest->find(')')));
  if (line.contains("Initializing a V0 LLM engine")) start.is_first_generation = true;
  if (line.contains("Initializing a V1 LLM engine")) start.is_second_generation = true;
  take_text(start.model, line, "model");
  take_text(start.dtype, line, "dtype");
  take_text(start.quantization, line, "quantization");
  take_text(start.kv_cache_type, line, "kv_cache_dtype");
  take_text(start.served_name, line, "served_model_name");
  take_count(start.context_tokens, line, "max_seq_len");
  take_count(start.tensor_parallel, line, "tensor_parallel_size");
  take_count(start.pipeline_parallel, line, "pipeline_parallel_size");
  take_count(start.data_parallel, line, "data_parallel_size");
  if (const auto eager = value_of_key(line, "enforce_eager")) start.enforce_eager = eager == "True";
  read_graph_batches(line, start);
  if (const auto chunked = settled_key(line, "chunked_prefill_enabled"))
    start.chunks_prompts = chunked;
  if (const auto prefixes = settled_key(line, "enable_prefix_caching"))
    start.prefix_caching = prefixes;
  read_drafts(line, log);
}

void read_vllm_arguments(std::string_view line, EngineStart& start, std::string& model) {
  if (const auto list = behind(line, "non-default args: {")) start.arguments = names_of_list(*list);
  take_text(model, line, "model");
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
  take_count(start.context_parallel, line, "decode_context_parallel_size");
  take_count(start.told_pool_bytes, line, "kv_cache_memory_bytes");
  take_told_blocks(line, start);
  if (const auto value = value_of_key(line, "gpu_memory_utilization")) {
    if (const auto number = leading_number(*value)) start.utilization = number;
  }
  if (const auto value = value_of_key(line, "cpu_offload_gb")) {
    if (const auto number = leading_number(*value); number.value_or(0) > 0)
      start.offload_gib = number;
  }
  if (is_true(line, "enforce_eager")) start.enforce_eager = true;
  if (!start.prefix_caching) start.prefix_caching = settled_key(line, "enable_prefix_caching");
  if (!start.chunks_prompts) start.chunks_prompts = settled_key(line, "enable_chunked_prefill");
  if (value_of_key(line, "performance_mode") == "throughput") start.has_throughput_mode = true;
  if (value_of_key(line, "async_scheduling") == "False") start.is_synchronous = true;
  if (is_true(line, "enable_expert_parallel"))
    start.expert_parallel = start.tensor_parallel * start.data_parallel;
  if (is_true(line, "enable_lora")) start.has_adapters = true;
  read_limits(line, start);
  if (const auto type = value_of_key(line, "mamba_ssm_cache_dtype"))
    start.state_bits = state_bits_of(*type);
  start.has_other_sizes |= overrides_sizes(line);
  if (start.has_adapters) read_adapters(line, start);
  take_text(start.expert_backend, line, "moe_backend");
  if (value_of_key(line, "mm_encoder_tp_mode") == "data") start.keeps_towers_whole = true;
  if (const auto value = value_of_key(line, "attention_backend");
      value && !value->empty() && *value != "None" && start.attention_backend.empty())
    start.attention_backend = backend_name(*value);
}

void read_vllm_settings(std::string_view line, EngineStart& start) {
  for (const std::string_view words :
       {"Defaulting max_num_batched_tokens to ", "Setting max_num_batched_tokens to ",
        "Chunked prefill is enabled with max_num_batched_tokens="}) {
    if (const auto rest = behind(line, words)) start.max_num_batched_tokens = leading_count(*rest);
  }
  for (const std::string_view words : {"Defaulting max_num_seqs to ", "Setting max_num_seqs to "}) {
    if (const auto rest = behind(line, words)) start.max_num_seqs = leading_count(*rest);
  }
  take_told_blocks(line, start);
  if (line.contains("for LLM_CLASS usage context")) start.is_library = true;
  // "Model loading took" since https://github.com/vllm-project/vllm/pull/14063, in 0.7.4 builds and
  // 0.8.
  if (line.contains("Loading model weights took ") || names_file_barely(line))
    start.prints_early_lines = true;
  if (line.contains("Using PunicaWrapper")) start.has_adapters = true;  // the kernels of LoRA
  if (line.contains("WSL is detected")) start.is_under_wsl = true;
  read_checkpoint_size(line, start);
  if (line.contains("on V1 engine")) start.is_second_generation = true;
  // worker/worker.py is of the first generation; the second has gpu_worker.py.
  if ((line.contains("[worker.py:") && line.contains("Memory profiling takes ")) ||
      line.contains("non_torch_memory takes "))
    start.is_first_generation = true;
  read_limits(line, start);
  if (line.contains("Memory profiling results: ")) {
    if (const auto value = value_of_key(line, "gpu_memory_utilization"))
      take_share(start, leading_number(*value));
  }
  // The share that the engine says it used; one that it recommends stands elsewhere.
  if (const auto rest = behind(line, "gpu_memory_utilization ("))
    take_share(start, leading_number(*rest));
  read_share_of_graphs(line, start);
  read_unsloth(line, start);
  read_tables(line, start);
  read_kernels(line, start);
  if (const auto rest = behind(line, "Requested memory: ")) {
    if (const auto number = leading_number(*rest); number && line.contains("(util)"))
      start.utilization = number;
  }
  if (const auto rest = behind(line, "Desired GPU memory utilization is (")) {
    if (const auto number = leading_number(*rest)) start.utilization = number;
  }
}

void read_vllm_rank(std::string_view line, Ranks& said) {
  const auto rest = behind(line, " in world size ");
  if (!rest || !line.contains(" is assigned as ")) return;
  said.world = std::max(said.world, leading_count(*rest).value_or(1));
  said.data = std::max(said.data, rank_behind(line, "DP rank ") + 1);
  said.pipeline = std::max(said.pipeline, rank_behind(line, "PP rank ") + 1);
  said.tensor = std::max(said.tensor, rank_behind(line, "TP rank ") + 1);
}

void take_ranks(const Ranks& said, EngineStart& start) {
  start.pipeline_parallel = std::max(start.pipeline_parallel, said.pipeline);
  start.data_parallel = std::max(start.data_parallel, said.data);
  start.tensor_parallel =
      std::max({start.tensor_parallel, said.tensor, said.world / (said.pipeline * said.data)});
}

}  // namespace gpushape::calibrate::logs
