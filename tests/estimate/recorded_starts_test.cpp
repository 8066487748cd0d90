// Printed pools, token counts and weights of published starts of vLLM, record by record: for the
// printed pool less and plus 0.005 GiB our counts must enclose the printed one, and weights must be
// near. The records are not part of the project: GPUSHAPE_SHARED names their folder.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/quantization_names.hpp"
#include "document/text_format.hpp"
#include "estimate/engines.hpp"
#include "estimate/plan.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using document::Node;

namespace {

/// What a record does not say in its fields and its source does.
struct Known {
  std::string_view id;  ///< a part of the record's
  std::int64_t draft_tokens = 0;
  bool shares_prefixes = false;  ///< a flag that hybrids need
  std::string_view model = {};   ///< where the record names it in words
  std::string_view version = {};
};
constexpr auto kKnown = std::to_array<Known>({
    {"nemotron3-super-120b-nvfp4-gb10", 3, false},
    {"qwen3.6-27b-int4-2x3090-tp2-int8kv", 4, true, "Qwen/Qwen3.6-27B", "0.22"},
    {"qwen3.6-27b-int4-2x3090-tp2-262k-u088", 0, true, "Qwen/Qwen3.6-27B", "0.21"},
    {"qwen3.6-35b-a3b-nvfp4-1x5090", 0, true, "Qwen/Qwen3.6-35B-A3B", "0.24"},
    {"main202606-gemma4-12b", 0, false, {}, "0.22"},
    {"gemma4-26b-a4b-nvfp4-gb10-131k", 0, false, "google/gemma-4-26B-A4B-it", "0.19"},
});

/// Records that cannot be held against, and why.
struct Excluded {
  std::string_view id;
  std::string_view why;
};
constexpr auto kExcluded = std::to_array<Excluded>({
    {"nemotron3-nano-30b-nvfp4-rtx5080", "the smaller of two pools is not printed"},
    {"0.9-qwen3-235b-fp8-4xh100", "the smaller of four pools is not printed"},
    {"gemma4-31b-int4-2x3090", "the tokens of a step are not stated"},
    {"deepseek-v4-flash", "the tokens of a step are not stated"},
    {"dflash", "a draft model of its own has layers in the cache"},
    {"glm5.3-flash", "the shape of the model is not public"},
    {"qwen3.8-flash-next", "the shape of the model is not public"},
    {"granite-switch", "a model of the reporter's own"},
    {"lvllm", "the record does not name the model"},
    {"1cat-vllm", "a fork with rules of its own"},
    {"typhoon", "a model of the reporter's own"},
    {"unslothai-notebooks", "loads adapters beside the weights"},
    {"vllm-issue-16668", "loads adapters beside the weights"},
    {"bamba-9b", "the reporter's own checkpoint"},
    {"qwen3.6-27b-int4-2x3090-tp2-262k-mtp", "the type of the cache is not stated"},
    {"minimax-m2.5-fp8-ray", "the number of GPUs is not stated"},
    {"deepseek-r1-gguf", "the number of GPUs is not stated"},
    {"zjpzhao", "a fork for an older CUDA"},
});

/// Of these only the cache is held against.
constexpr auto kWithoutWeights = std::to_array<Excluded>({
    {"nemotron3-super-120b-nvfp4", "a mixed checkpoint whose list of modules is not public"},
    {"gemma4-26b-a4b-nvfp4", "a quantized checkpoint of a name in words"},
    {"qwen3.6", "a quantized checkpoint of a name in words"},
    {"vllm-issue-12991", "a dynamic quantization whose list of modules is not public"},
    {"vllm-issue-20069", "the weights of this start on AMD hold more than the checkpoint"},
    {"vllm-issue-5827", "the release kept the head of an embedding model"},
});

bool is_in(std::span<const Excluded> table, std::string_view id) {
  return std::ranges::any_of(table,
                             [&](const Excluded& excluded) { return id.contains(excluded.id); });
}

const Known* known_of(std::string_view id) {
  const auto found =
      std::ranges::find_if(kKnown, [&](const Known& known) { return id.contains(known.id); });
  return found == kKnown.end() ? nullptr : found;
}

std::string text_in(const Node& record, std::string_view field) {
  const Node* node = record.find(field);
  return node != nullptr ? node->text() : std::string();
}
std::optional<double> number_in(const Node& record, std::string_view field) {
  const Node* node = record.find(field);
  if (node == nullptr || !node->is_number()) return std::nullopt;
  return node->number();
}
std::optional<domain::Fact<std::int64_t>> count_in(const Node& record, std::string_view field) {
  const auto number = number_in(record, field);
  if (!number || *number < 1) return std::nullopt;
  return example::flag(static_cast<std::int64_t>(*number));
}

/// "v0.10.1.1", "0.19.2rc1.dev134", "0.8.5.post1" begin with their release.
std::optional<domain::EngineVersion> release_in(std::string text) {
  if (text.starts_with('v')) text.erase(0, 1);
  std::size_t dots = 0;
  std::size_t end = 0;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) {
    if (text[end] == '.' && ++dots == 3) break;
    ++end;
  }
  text.resize(end);
  while (text.ends_with('.')) text.pop_back();
  const auto version = domain::engine_version(text);
  return version && (version->major > 0 || version->minor > 2) && version->major < 10
             ? version
             : std::nullopt;
}

domain::Workload workload_of(const Node& record, const Known* known, const domain::Model& model) {
  domain::Workload workload;
  domain::EngineSettings& engine = workload.engine;
  engine.tensor = count_in(record, "tp");
  engine.pipeline = count_in(record, "pp");
  engine.data = count_in(record, "dp");
  engine.max_num_seqs = count_in(record, "max_num_seqs");
  engine.max_num_batched_tokens = count_in(record, "max_num_batched_tokens");
  workload.context_tokens = count_in(record, "max_model_len");
  const std::string stated = known != nullptr && !known->version.empty()
                                 ? std::string(known->version)
                                 : text_in(record, "engine_version");
  if (const auto version = release_in(stated)) engine.version = example::flag(*version);
  const std::string type = text_in(record, "kv_cache_dtype");
  if (const auto parsed = catalog::parse_kv_cache_type(type))
    workload.kv_cache_type = example::flag(*parsed);
  const std::string dtype = text_in(record, "dtype");
  const std::string quantization = text_in(record, "quantization");
  const bool is_plain =
      domain::scheme(model.weights.linear).granularity == domain::ScaleGranularity::None;
  if (quantization.empty() && is_plain && (dtype == "float16" || dtype == "float32")) {
    if (const auto parsed = catalog::parse_quantization(dtype))
      workload.quantization = example::flag(*parsed);
  } else if (quantization == "fp8") {
    workload.quantization = example::flag(domain::Quantization::Fp8);
  }
  if (known != nullptr && known->draft_tokens > 0)
    engine.draft_tokens = example::flag(known->draft_tokens);
  if (known != nullptr && known->shares_prefixes) engine.prefix_caching = example::flag(true);
  return workload;
}

/// As far as batch defaults and kernels ask.
domain::VisibleMemory gpu_of(const Node& record) {
  domain::VisibleMemory gpu = example::h100();
  const std::string name = text_in(record, "gpu") + text_in(record, "gpu_class");
  const auto holds = [&](std::string_view word) { return name.contains(word); };
  if (!holds("H100") && !holds("H200") && !holds("H20")) {
    gpu.parent_bytes = gib(40);
    gpu.bytes = domain::exactly(gib(40));
    gpu.compute_capability = holds("GB10") ? "12.1" : "8.0";
  }
  return gpu;
}

struct Outcome {
  std::string id;
  bool has_count = false;
  bool count_is_right = true;
  std::optional<double> weights_error = std::nullopt;
  bool is_sixteen_bit = false;
};

std::optional<Outcome> outcome_of(const Node& record) {
  Outcome outcome{.id = text_in(record, "id")};
  const std::string engine_name = text_in(record, "engine");
  if (!engine_name.empty() && engine_name != "vllm") return std::nullopt;
  if (is_in(kExcluded, outcome.id)) return std::nullopt;
  const Known* known = known_of(outcome.id);
  const std::string name = known != nullptr && !known->model.empty() ? std::string(known->model)
                                                                     : text_in(record, "model");
  const auto model = example::built_in_catalog().find(name);
  if (!model) return std::nullopt;
  const auto engine = example::built_in_catalog().engine("vllm");
  const domain::Workload workload = workload_of(record, known, *model);
  domain::Workload shortened = workload;  // a start may allow more than the model takes
  if (shortened.context_tokens && model->max_context_tokens > 0) {
    shortened.context_tokens->value =
        std::min(shortened.context_tokens->value, model->max_context_tokens);
  }
  const domain::VisibleMemory gpu = gpu_of(record);
  const estimate::Request request{
      .model = &*model, .workload = &shortened, .engine = &*engine, .gpu = &gpu};
  if (!estimate::complaints_about(request).empty()) {
    outcome.count_is_right = false;
    return outcome;
  }
  const auto resolved = estimate::engines::plan_vllm(request);
  REQUIRE(resolved.has_value());
  const estimate::Plan& plan = resolved->plan;
  std::int64_t least = -1;
  std::int64_t most = -1;
  double largest = 0;
  const estimate::CacheLayout* layout = nullptr;
  std::vector<estimate::Situation> stages;
  for (const estimate::Stage& stage : plan.stages) stages.push_back(situation_of(plan, stage));
  const auto pool = number_in(record, "kv_cache_gib");
  for (const estimate::Situation& stage : stages) {
    largest = std::max(largest, stage.weights.allocated.gib());
    if (!pool || *pool <= 0 || stage.cache.block_bytes == Bytes(0)) continue;
    layout = &stage.cache;
    const std::int64_t low = gib_of(*pool - 0.005) / stage.cache.block_bytes;
    const std::int64_t high = gib_of(*pool + 0.005) / stage.cache.block_bytes;
    least = least < 0 ? low : std::min(least, low);
    most = most < 0 ? high : std::min(most, high);
  }
  const auto printed = number_in(record, "weights_gib");
  if (printed && !is_in(kWithoutWeights, outcome.id)) {
    outcome.weights_error = largest / *printed - 1;
    outcome.is_sixteen_bit = plan.weights.scheme.granularity == domain::ScaleGranularity::None;
  }
  if (layout == nullptr) return outcome;
  const bool counts_requests = plan.facts.expected("poolTokensFromRequests") != 0;
  const auto tokens = number_in(record, "kv_cache_tokens");
  const auto blocks = number_in(record, "num_gpu_blocks");
  const auto count = [&](std::int64_t of) {
    return count_pool(*layout, of, plan.longest_request, counts_requests);
  };
  if (tokens && *tokens > 0) {
    outcome.has_count = true;
    outcome.count_is_right = static_cast<double>(count(least).tokens) <= *tokens &&
                             *tokens <= static_cast<double>(count(most).tokens);
  } else if (blocks && *blocks > 0) {
    outcome.has_count = true;
    outcome.count_is_right =
        static_cast<double>(least) <= *blocks && *blocks <= static_cast<double>(most);
  }
  return outcome;
}

std::vector<Outcome> outcomes_of(const std::string& path) {
  const auto text = document::read_file(path);
  REQUIRE_MESSAGE(text.has_value(), path);
  std::vector<Outcome> outcomes;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const auto document = document::read_json(rest.substr(0, end), path);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!document) continue;
    if (const auto outcome = outcome_of(document->root)) outcomes.push_back(*outcome);
  }
  return outcomes;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("printed counts and weights of published starts are met") {
    const char* folder = std::getenv("GPUSHAPE_SHARED");  // NOLINT(concurrency-mt-unsafe)
    if (folder == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED names no folder with the records of engine starts");
      return;
    }
    const std::string records = std::string(folder) + "/data/ground-truth/";
    std::size_t counts = 0;
    std::vector<double> sixteen_bit;
    std::vector<double> all;
    for (const char* name : {"engine-starts-vllm-0.19.jsonl", "engine-logs-dense.jsonl",
                             "engine-logs-moe-hybrid.jsonl"}) {
      for (const Outcome& outcome : outcomes_of(records + name)) {
        CAPTURE(outcome.id);
        CHECK(outcome.count_is_right);
        if (outcome.has_count) ++counts;
        if (!outcome.weights_error) continue;
        const double error = std::abs(*outcome.weights_error);
        if (error > 0.01)
          MESSAGE(fmt::format("{}: {:+.2f} %", outcome.id, *outcome.weights_error * 100));
        all.push_back(error);
        if (outcome.is_sixteen_bit) sixteen_bit.push_back(error);
      }
    }
    CHECK(counts >= 60);
    CHECK(median_of(sixteen_bit) <= 0.0005);
    CHECK(median_of(all) <= 0.003);
    std::ranges::sort(all);
    CHECK(all[all.size() * 95 / 100] <= 0.02);
    MESSAGE(fmt::format(
        "{} counts; weights of {} starts, {} of them in 16 bits: median {:.3f} %, {:.3f} %", counts,
        all.size(), sixteen_bit.size(), median_of(all) * 100, median_of(sixteen_bit) * 100));
  }
}
