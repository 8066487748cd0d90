#include "calibrate/engine_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "calibrate/planned_start.hpp"
#include "calibrate/record_settings.hpp"
#include "calibrate/record_text.hpp"
#include "document/node.hpp"
#include "document/scalar.hpp"
#include "document/text_format.hpp"

namespace gpushape::calibrate {
namespace {

using document::Node;

std::string text_in(const Node& record, std::string_view name) {
  const Node* node = record.find(name);
  return node != nullptr && node->is(Node::Kind::String) ? node->text() : std::string();
}

/// Records of settings read off command lines and Namespaces keep them as words: "64", "True".
std::optional<Node> setting_in(const Node& record, std::string_view name) {
  const Node* node = record.find(name);
  if (node == nullptr) return std::nullopt;
  return node->is(Node::Kind::String) ? document::resolve_plain(node->text()) : *node;
}

std::optional<double> number_in(const Node& record, std::string_view name) {
  const std::optional<Node> node = setting_in(record, name);
  if (!node || !node->is_number() || !std::isfinite(node->number())) return std::nullopt;
  return node->number();
}

std::optional<std::int64_t> count_in(const Node& record, std::string_view name) {
  const std::optional<Node> node = setting_in(record, name);
  return node && node->is(Node::Kind::Integer) ? std::optional(node->integer()) : std::nullopt;
}

std::optional<bool> settled_in(const Node& record, std::string_view name) {
  const std::optional<Node> node = setting_in(record, name);
  return node && node->is(Node::Kind::Boolean) ? std::optional(node->boolean()) : std::nullopt;
}

bool truth_in(const Node& record, std::string_view name) {
  return settled_in(record, name).value_or(false);
}

/// {"image": 0, "video": 0} lets in text alone.
void read_limits(const Node& extra, EngineStart& start) {
  const Node* limits = extra.find("limit_mm_per_prompt");
  if (limits == nullptr || !limits->is(Node::Kind::Mapping)) return;
  const auto is_none = [&](std::string_view kind) {
    const std::optional<std::int64_t> limit = count_in(*limits, kind);
    return limit == 0;
  };
  start.takes_no_images = is_none("image");
  start.takes_no_videos = is_none("video");
}

/// Under the engine's names, or "lora", "lora_slots" and "lora_rank" for short.
void read_adapters(const Node& extra, EngineStart& start) {
  if (settled_in(extra, "enable_lora") == false) start.has_adapters = false;
  const std::optional<std::int64_t> slots = count_in(extra, "lora_slots");
  if (truth_in(extra, "enable_lora") || truth_in(extra, "lora") || slots.value_or(0) > 0)
    start.has_adapters = true;
  // A rank is also stated where no adapter is served.
  if (!start.has_adapters) return;
  start.adapter_rank = count_in(extra, "max_lora_rank");
  if (!start.adapter_rank) start.adapter_rank = count_in(extra, "lora_rank");
  start.adapters = count_in(extra, "max_loras");
  if (!start.adapters) start.adapters = slots;
}

/// What only some engines print or are told: under names of their own.
void read_extra(const Node& record, EngineStart& start) {
  const Node* extra = record.find("engine_extra");
  if (extra == nullptr || !extra->is(Node::Kind::Mapping)) return;
  if (!start.utilization) start.utilization = number_in(*extra, "mem_fraction_static");
  if (!start.utilization) start.utilization = number_in(*extra, "free_gpu_memory_fraction");
  const auto chunk = count_in(*extra, "chunked_prefill_size");
  if (!start.max_num_batched_tokens && chunk.value_or(0) > 0) start.max_num_batched_tokens = chunk;
  if (!start.max_num_seqs) start.max_num_seqs = count_in(*extra, "max_running_requests");
  start.most_tokens = count_in(*extra, "max_total_tokens");
  start.window_share = number_in(*extra, "swa_full_tokens_ratio");
  start.state_gib = number_in(*extra, "state_gib");
  if (const Node* states = extra->find("mamba_cache");
      !start.state_gib && states != nullptr && states->is(Node::Kind::Mapping)) {
    const auto inputs = number_in(*states, "conv_state_gb");
    const auto matrices = number_in(*states, "ssm_state_gb");
    if (inputs && matrices) start.state_gib = *inputs + *matrices;
  }
  start.prefix_caching = settled_in(*extra, "enable_prefix_caching");
  start.chunks_prompts = settled_in(*extra, "enable_chunked_prefill");
  if (!start.chunks_prompts) start.chunks_prompts = settled_in(*extra, "chunked_prefill");
  start.has_second_runner = settled_in(*extra, "v2_model_runner");
  read_limits(*extra, start);
  if (truth_in(*extra, "language_model_only")) {
    start.takes_no_images = true;
    start.takes_no_videos = true;
  }
  if (const auto offload = number_in(*extra, "cpu_offload_gb"); offload.value_or(0) > 0)
    start.offload_gib = offload;
  if (std::string draft = text_in(*extra, "speculative_draft_model_path"); !draft.empty())
    name_draft(start, std::move(draft));
  read_adapters(*extra, start);
  if (const auto pool = number_in(*extra, "kv_cache_memory_gib"); pool.value_or(0) > 0)
    start.told_pool_bytes = gib_of(*pool).count();
}

/// "0.26.1rc1.dev229+g124154a88.rocm723" is a build for AMD's GPUs.
bool names_amd(const EngineStart& start) {
  constexpr auto kOfCards =
      std::to_array<std::string_view>({"Instinct", "MI2", "MI3", "gfx9", "gfx1", "ROCm"});
  if (std::ranges::any_of(kOfCards,
                          [&](std::string_view words) { return start.gpu.contains(words); }))
    return true;
  return start.notes.contains("AMD") || start.notes.contains("ROCm") || start.gpu.contains("AMD") ||
         start.gpu.contains("Radeon") || start.engine_version.contains("rocm");
}

/// From the accounting of 0.27 on the printed peak holds the estimate of the graphs.
void take_graphs_off_peak(const Node& record, EngineStart& start) {
  constexpr domain::EngineVersion kPeakWithGraphs{0, 27, 0};
  const auto version = release_of(start.engine_version);
  if (start.engine != "vllm" || !start.activation_gib) return;
  if (!version || *version < kPeakWithGraphs) return;
  const Node* extra = record.find("engine_extra");
  std::optional<double> estimate;
  if (extra != nullptr && extra->is(Node::Kind::Mapping)) {
    estimate = number_in(*extra, "cuda_graph_estimate_gib");
    if (!estimate) estimate = number_in(*extra, "estimated_cuda_graph_gib");
  }
  if (estimate) *start.activation_gib = std::max(0.0, *start.activation_gib - *estimate);
  start.peak_holds_graphs = !estimate;
}

/// The second generation of vLLM says nothing of memory beside PyTorch's before 0.9.2, the first
/// does (worker/worker.py, v1/worker/gpu_worker.py).
bool prints_as_first_generation(const EngineStart& start) {
  constexpr domain::EngineVersion kSecond{0, 8, 0};
  constexpr domain::EngineVersion kSecondPrints{0, 9, 2};
  if (start.engine != "vllm" || !start.non_torch_gib) return false;
  const std::optional<domain::EngineVersion> version = release_of(start.engine_version);
  return version && *version >= kSecond && *version < kSecondPrints;
}

/// "fp8 (float8_e4m3fn)": what was asked for, and what the engine made of it.
std::string before_bracket(std::string text) {
  if (const std::size_t open = text.find(" ("); open != std::string::npos) text.resize(open);
  return text;
}

EngineStart read_start(const Node& record) {
  EngineStart start;
  start.id = text_in(record, "id");
  start.source = text_in(record, "source_url");
  start.engine = text_in(record, "engine");
  start.engine_version = text_in(record, "engine_version");
  start.date = text_in(record, "date");
  start.model = text_in(record, "model");
  if (start.model.empty()) start.model = text_in(record, "model_family");
  start.gpu = text_in(record, "gpu_class");
  if (start.gpu.empty()) start.gpu = text_in(record, "gpu_family");
  if (start.gpu.empty()) start.gpu = text_in(record, "gpu");
  start.gpu_total_gib = number_in(record, "gpu_mem_total_gib");
  start.tensor_parallel = count_in(record, "tp").value_or(1);
  start.gpus = count_in(record, "num_gpus");
  start.is_parallelism_stated = count_in(record, "tp").has_value() || start.gpus == 1;
  start.pipeline_parallel = count_in(record, "pp").value_or(1);
  start.data_parallel = count_in(record, "dp").value_or(1);
  start.expert_parallel = count_in(record, "ep").value_or(1);
  if (truth_in(record, "ep")) start.expert_parallel = start.tensor_parallel * start.data_parallel;
  start.block_tokens = count_in(record, "block_size");
  start.context_tokens = count_in(record, "max_model_len");
  start.max_num_seqs = count_in(record, "max_num_seqs");
  start.has_default_sequences = !text_in(record, "max_num_seqs_note").empty();
  start.max_num_batched_tokens = count_in(record, "max_num_batched_tokens");
  start.utilization = number_in(record, "gpu_memory_utilization");
  start.enforce_eager = truth_in(record, "enforce_eager");
  start.dtype = text_in(record, "dtype");
  start.quantization = text_in(record, "quantization");
  start.kv_cache_type = before_bracket(text_in(record, "kv_cache_dtype"));
  start.notes = text_in(record, "notes");
  if (names_amd(start)) start.vendor = kAmd;
  read_remarks(record, start);
  if (std::string draft = text_in(record, "draft_model"); !draft.empty())
    name_draft(start, std::move(draft));
  const std::string status = text_in(record, "status");
  // Engines that failed later had sized their pool before.
  const std::string result = text_in(record, "start_result");
  start.is_complete = (status.empty() || status == "ok") && result != "refused";
  // Who loads by means of another program sees no weights come: 0.0000 GB is none of their sizes.
  start.weights_gib = number_in(record, "weights_gib");
  if (start.weights_gib == 0) start.weights_gib.reset();
  start.pool_gib = number_in(record, "kv_cache_gib");
  start.activation_gib = number_in(record, "activation_peak_gib");
  start.non_torch_gib = number_in(record, "non_torch_gib");
  start.graphs_gib = number_in(record, "cuda_graph_gib");
  start.pool_tokens = count_in(record, "kv_cache_tokens");
  start.pool_blocks = count_in(record, "num_gpu_blocks");
  read_extra(record, start);
  if (start.engine == "sglang") read_sglang_record(record, start);
  if (start.engine == "vllm") read_quoted_lines(record, start);
  if (start.engine == "vllm") take_graphs_off_peak(record, start);
  if (prints_as_first_generation(start)) start.is_first_generation = true;
  share_attention(start);
  if (plans_buffers(start.engine)) read_planned(record, start);
  return start;
}

void shift_to_line(Diagnostics& diagnostics, int line) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic.span.line = line;
}

}  // namespace

void name_draft(EngineStart& start, std::string name) {
  constexpr auto kNoModel = std::to_array<std::string_view>({"", "None", "ngram", "[ngram]"});
  if (name == start.model || std::ranges::find(kNoModel, name) != kNoModel.end()) return;
  start.draft_model = domain::DraftModel{
      .name = {std::move(name), domain::Origin::Flag, "the start's settings"}, .model = nullptr};
}

Result<std::vector<EngineStart>> read_engine_starts(std::string_view text,
                                                    const std::string& file) {
  std::vector<EngineStart> starts;
  Diagnostics diagnostics;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<document::Document> document = document::read_json(row, file);
    if (!document) {
      shift_to_line(document.error(), line);
      diagnostics.insert(diagnostics.end(), document.error().begin(), document.error().end());
      continue;
    }
    const bool is_record = !text_in(document->root, "model").empty() ||
                           !text_in(document->root, "model_family").empty();
    if (!is_record) {
      diagnostics.push_back({.message = "this line is no record of an engine start",
                             .span = {.file = file, .line = line, .column = 1},
                             .excerpt = {},
                             .label = {},
                             .help = "a record is a JSON object with a `model`"});
      continue;
    }
    starts.push_back(read_start(document->root));
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  if (starts.empty())
    return failure(fmt::format("{} holds no engine start", file), "give a file of JSON lines");
  return starts;
}

void share_attention(EngineStart& start) {
  const bool counts_twice = start.engine == "sglang" || start.engine == "tensorrt-llm";
  if (!counts_twice || start.data_parallel < 2 || start.tensor_parallel < start.data_parallel)
    return;
  start.expert_parallel = start.tensor_parallel;
  start.tensor_parallel /= start.data_parallel;
}

std::optional<std::int64_t> tokens_of_blocks(const EngineStart& start) {
  if (!start.pool_blocks) return std::nullopt;
  return *start.pool_blocks * start.block_tokens.value_or(kUsualBlock);
}

std::optional<domain::EngineVersion> release_of(std::string_view stated) {
  if (stated.starts_with('b')) return domain::engine_version(stated.substr(0, stated.find(' ')));
  if (stated.starts_with('v')) stated.remove_prefix(1);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const auto [rest, error] =
        std::from_chars(stated.data(), stated.data() + stated.size(), parts.at(count));
    if (error != std::errc{}) break;
    ++count;
    stated.remove_prefix(static_cast<std::size_t>(rest - stated.data()));
    if (!stated.starts_with('.')) break;
    stated.remove_prefix(1);
  }
  // A build between releases counts from the last tag that its checkout knew, which may be the
  // first of all, "0.1.dev18496", or none, "0.0.0.dev1".
  const bool is_untagged =
      (count < 3 && stated.starts_with("dev")) || (parts.at(0) == 0 && parts.at(1) == 0);
  if (count < 2 || is_untagged || parts.at(0) < 0 || parts.at(1) < 0 || parts.at(2) < 0)
    return std::nullopt;
  return domain::EngineVersion{parts.at(0), parts.at(1), parts.at(2)};
}

}  // namespace gpushape::calibrate
