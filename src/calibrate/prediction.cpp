#include "calibrate/prediction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "catalog/quantization_methods.hpp"
#include "catalog/quantization_names.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/measured_starts.hpp"
#include "estimate/spread.hpp"

namespace gpushape::calibrate {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Quantization;

constexpr std::string_view kFrom = "engine start";

template <class T>
Fact<T> stated(T value) {
  return {std::move(value), Origin::Measured, std::string(kFrom)};
}

std::optional<Quantization> dtype_of(std::string_view dtype) {
  if (dtype == "bfloat16") return Quantization::Bf16;
  if (dtype == "float16" || dtype == "half") return Quantization::Fp16;
  if (dtype == "float32") return Quantization::Fp32;
  return std::nullopt;
}

bool is_plain(Quantization quantization) {
  return domain::scheme(quantization).granularity == domain::ScaleGranularity::None;
}

/// The format that a record names, among other words at times: "inc (W4A16, auto-round)", "fp8
/// (Marlin)". Nothing where none of its words is a format's name, or the first says none.
std::optional<Quantization> named_format(std::string_view words) {
  if (const Result<Quantization> whole = catalog::parse_quantization(words)) return *whole;
  constexpr std::string_view kBetween = " ,;()";
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find_first_of(kBetween));
    if (word == "None" || word == "none") return std::nullopt;
    if (const Result<Quantization> named = catalog::parse_quantization(word);
        !word.empty() && named)
      return *named;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return std::nullopt;
}

/// What the record asks for beyond the checkpoint; nothing where the checkpoint decides.
std::optional<Quantization> quantization_of(const EngineStart& start, const domain::Model& model) {
  const bool is_file = plans_buffers(start.engine);
  if (!is_plain(model.weights.linear) && !is_file) return std::nullopt;
  if (auto named = named_format(start.quantization)) return named;
  return dtype_of(start.dtype);
}

/// Families whose tower encodes videos, too. Source: vLLM docs/models/supported_models.md (inputs
/// T + I + V); gemma-4-31B-it by 0.26.0 is "profiled with 3 video items".
constexpr auto kVideoFamilies = std::to_array<std::string_view>(
    {"gemma4", "glm4v", "glm4v_moe", "glm_ocr", "internvl_chat", "kimi_k25", "llava_onevision",
     "minicpmv", "qwen2_5_omni", "qwen2_5_vl", "qwen2_vl", "qwen3_5", "qwen3_5_moe",
     "qwen3_omni_moe", "qwen3_vl", "qwen3_vl_moe"});

/// A step of vLLM's first generation holds the longest prompt where it is told not to cut prompts.
/// Source: vLLM 0.6 to 0.9 config.py, SchedulerConfig.
std::optional<std::int64_t> batched_tokens_of(const EngineStart& start,
                                              domain::EngineVersion version) {
  constexpr domain::EngineVersion kSecondGeneration{0, 8, 0};
  constexpr std::int64_t kLeast = 2048;
  const bool is_first = start.is_first_generation || version < kSecondGeneration;
  const bool holds_prompt =
      start.engine == "vllm" && is_first && start.context_tokens && start.chunks_prompts == false;
  if (start.max_num_batched_tokens || !holds_prompt) return start.max_num_batched_tokens;
  return std::max(*start.context_tokens, kLeast);
}

/// Before vLLM had names for them, a cache in the model's 16 bits was what `auto` made. Source:
/// vLLM config/cache.py, CacheDType: bfloat16 from 0.11 on, float16 from 0.22.1 on.
bool is_left_to_model(domain::KvCacheType type, const EngineStart& start,
                      domain::EngineVersion version) {
  constexpr domain::EngineVersion kNamesBf16{0, 11, 0};
  constexpr domain::EngineVersion kNamesFp16{0, 22, 1};
  if (start.engine != "vllm") return false;
  return (type == domain::KvCacheType::Bf16 && version < kNamesBf16) ||
         (type == domain::KvCacheType::Fp16 && version < kNamesFp16);
}

/// Blocks that users ask for are powers of two; engines print others where they grew for states.
/// Source: vLLM config/cache.py, BlockSize, 1 to 256.
bool is_block_size(std::int64_t tokens) {
  constexpr std::int64_t kMostAsked = 256;
  return tokens <= kMostAsked && std::has_single_bit(static_cast<std::uint64_t>(tokens));
}

}  // namespace

bool takes_videos(const domain::Model& model) {
  return std::ranges::find(kVideoFamilies, model.family) != kVideoFamilies.end();
}

bool is_format_unstated(const EngineStart& start, const domain::Model& model) {
  // A repository holds files of many types, of which "owner/name-GGUF:Q4_K_M" names one.
  if (start.engine == "vllm" && start.quantization == "gguf" &&
      catalog::lower_case(start.model).ends_with("-gguf"))
    return true;
  return is_plain(model.weights.linear) && !plans_buffers(start.engine) &&
         !start.quantization.empty() && start.quantization != "None" &&
         !named_format(start.quantization) && !dtype_of(start.quantization);
}

domain::Workload workload_of(const EngineStart& start, const domain::Model& model,
                             domain::EngineVersion version) {
  domain::Workload workload;
  if (const auto quantization = quantization_of(start, model))
    workload.quantization = stated(*quantization);
  if (!start.kv_cache_type.empty() && start.kv_cache_type != "auto") {
    const auto type = catalog::parse_kv_cache_type(start.kv_cache_type);
    if (type && !is_left_to_model(*type, start, version)) workload.kv_cache_type = stated(*type);
  }
  if (start.context_tokens) workload.context_tokens = stated(*start.context_tokens);
  domain::EngineSettings& engine = workload.engine;
  if (const auto type = catalog::parse_kv_cache_type(start.value_cache_type);
      type && !start.value_cache_type.empty())
    engine.value_cache_type = stated(*type);
  if (!start.engine.empty()) engine.engine = stated(start.engine);
  engine.version = stated(version);
  if (start.gpu_layers) engine.gpu_layers = stated(*start.gpu_layers);
  if (start.flash_attention) engine.flash_attention = stated(*start.flash_attention);
  engine.whole_windows = stated(start.has_whole_windows);
  if (start.takes_no_images && (start.takes_no_videos || !takes_videos(model)))
    workload.images = stated<std::int64_t>(0);
  if (start.offload_gib) {
    const std::int64_t ranks =
        start.tensor_parallel * start.pipeline_parallel * start.data_parallel;
    workload.contract.cpu_offload_bytes = stated(gib_of(*start.offload_gib) * ranks);
  }
  engine.tensor = stated(start.tensor_parallel);
  engine.pipeline = stated(start.pipeline_parallel);
  if (start.block_tokens && is_block_size(*start.block_tokens))
    engine.block_tokens = stated(*start.block_tokens);
  if (start.max_num_seqs) engine.max_num_seqs = stated(*start.max_num_seqs);
  if (const auto tokens = batched_tokens_of(start, version))
    engine.max_num_batched_tokens = stated(*tokens);
  if (start.utilization) engine.gpu_memory_utilization = stated(*start.utilization);
  if (start.told_pool_bytes)
    engine.kv_cache_memory_bytes = stated(Bytes(std::max<std::int64_t>(1, *start.told_pool_bytes)));
  if (start.has_adapters || start.adapter_rank) {
    workload.adapters.emplace();
    if (start.adapter_rank) workload.adapters->rank = stated(*start.adapter_rank);
    if (start.adapters) workload.adapters->count = stated(*start.adapters);
  }
  if (start.draft_model && start.draft_model->model) engine.draft_model = start.draft_model;
  if (start.draft_tokens && (model.multi_token_prediction || engine.draft_model))
    engine.draft_tokens = stated(*start.draft_tokens);
  if (start.prefix_caching) engine.prefix_caching = stated(*start.prefix_caching);
  engine.enforce_eager = stated(start.enforce_eager);
  if (!start.graph_batches.empty()) engine.graph_batches = stated(start.graph_batches);
  engine.library = stated(start.is_library);
  engine.throughput_mode = stated(start.has_throughput_mode);
  engine.server = stated(start.is_server);
  engine.first_generation = stated(start.is_first_generation);
  if (start.compiles) engine.compiles = stated(*start.compiles);
  if (!start.attention_backend.empty()) engine.attention_backend = stated(start.attention_backend);
  engine.unfolds_latents = stated(start.unfolds_latents);
  if (start.samples_with_flashinfer)
    engine.flashinfer_sampler = stated(*start.samples_with_flashinfer);
  if (start.has_second_runner) engine.second_runner = stated(*start.has_second_runner);
  if (start.data_parallel > 1) engine.data = stated(start.data_parallel);
  if (start.context_parallel) engine.context_parallel = stated(*start.context_parallel);
  if (start.expert_parallel > 1) engine.expert = stated(start.expert_parallel);
  return workload;
}

domain::Range term_bytes(const domain::Estimate& estimate, std::string_view name) {
  const auto term = std::ranges::find(estimate.terms, name, &domain::Term::name);
  return term == estimate.terms.end() ? domain::Range{} : term->bytes;
}

domain::Range weights_bytes(const domain::Estimate& estimate) {
  // The bounds of all stand with the layers'.
  const domain::Range layers = term_bytes(estimate, "weights");
  const domain::Range towers = term_bytes(estimate, "towers");
  const domain::Range buffers = term_bytes(estimate, "stepBuffers");
  return {.low = layers.low + towers.low + buffers.low,
          .expected = layers.expected + towers.expected + buffers.expected,
          .high = layers.high + towers.high + buffers.high};
}

domain::Range loaded_bytes(const domain::Estimate& estimate) {
  domain::Range loaded = weights_bytes(estimate);
  const auto add = [&](const domain::Range& term) {
    loaded = {.low = loaded.low + term.low,
              .expected = loaded.expected + term.expected,
              .high = loaded.high + term.high};
  };
  if (estimate::weights_hold_slots(estimate.settings.version.value)) {
    add(term_bytes(estimate, "adapters"));
    add(term_bytes(estimate, "draft"));
  }
  return loaded;
}

domain::Range non_torch_bytes(const domain::Estimate& estimate) {
  // It prints one figure for all that is outside the framework: "e.g., NCCL and CUDA graphs".
  if (estimate.engine.value == "tensorrt-llm") {
    return estimate::independent_sum(
        std::array{term_bytes(estimate, "nonTorch"), term_bytes(estimate, "cudaContext"),
                   term_bytes(estimate, "graphs"), term_bytes(estimate, "communicators")});
  }
  if (estimate.counts_context) {
    const Bytes kept = estimate.capacity ? estimate.capacity->kept_counted : Bytes(0);
    return estimate::independent_sum(
        std::array{term_bytes(estimate, "nonTorch"), term_bytes(estimate, "collectives"),
                   term_bytes(estimate, "cudaContext"), term_bytes(estimate, "communicators"),
                   domain::exactly(kept)});
  }
  const domain::Range own = term_bytes(estimate, "nonTorch");
  const domain::Range shared = term_bytes(estimate, "collectives");
  return {.low = own.low + shared.low,
          .expected = own.expected + shared.expected,
          .high = own.high + shared.high};
}

domain::Range printed(double gib) {
  const double least = gib < 0 ? gib : 0;  // a pool that was left is below zero at times
  return {.low = gib_of(std::max(least, gib - kHalfOfLastDecimal)),
          .expected = gib_of(gib),
          .high = gib_of(gib + kHalfOfLastDecimal)};
}

namespace {

/// No count depends on the GPU's total once the pool is given, but some on who made it.
domain::VisibleMemory any_gpu(const std::string& vendor) {
  domain::VisibleMemory any;
  any.bytes = domain::exactly(gib(1024));
  any.vendor = vendor;
  return any;
}

}  // namespace

std::optional<std::int64_t> tokens_of_pool(const domain::Model& model, domain::Workload workload,
                                           const domain::Engine& engine,
                                           const std::optional<domain::VisibleMemory>& gpu,
                                           double pool_gib) {
  workload.engine.kv_cache_memory_bytes = stated(gib_of(std::max(pool_gib, kHalfOfLastDecimal)));
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(model, workload, engine, gpu.value_or(any_gpu({})));
  if (!estimate || !estimate->capacity) return std::nullopt;
  return estimate->capacity->kv_pool_tokens;
}

std::optional<domain::Range> pool_of_tokens(const domain::Model& model,
                                            const domain::Workload& workload,
                                            const domain::Engine& engine,
                                            const std::optional<domain::VisibleMemory>& gpu,
                                            std::int64_t tokens) {
  constexpr double kMostGib = 1024;   // more than any GPU has
  constexpr double kLeastGib = 0.01;  // the last place that engines print
  // Counts grow with the pool: the least pool that holds more than `most`.
  const auto least_above = [&](std::int64_t most) -> std::optional<double> {
    double low = 0;
    double high = kMostGib;
    if (tokens_of_pool(model, workload, engine, gpu, high).value_or(0) <= most) return std::nullopt;
    while (high - low > kLeastGib / 4) {
      const double middle = (low + high) / 2;
      const auto held = tokens_of_pool(model, workload, engine, gpu, middle);
      (held && *held > most ? high : low) = middle;
    }
    return high;
  };
  const auto least = least_above(tokens - 1);
  const auto above = least_above(tokens);
  if (!least || !above) return std::nullopt;
  return domain::Range{
      .low = gib_of(*least), .expected = gib_of((*least + *above) / 2), .high = gib_of(*above)};
}

namespace {

/// Of a pool that holds keys and values alone.
std::optional<std::int64_t> tokens_of_keys(const domain::Model& model,
                                           const domain::Workload& workload,
                                           const domain::Engine& engine,
                                           const std::optional<domain::VisibleMemory>& gpu,
                                           double pool_gib) {
  const Result<domain::Estimate> estimate = estimate::estimate_memory(model, workload, engine, gpu);
  if (!estimate || estimate->kv_bytes_per_token <= Bytes(0)) return std::nullopt;
  return gib_of(std::max(0.0, pool_gib)).count() / estimate->kv_bytes_per_token.count();
}

}  // namespace

std::optional<TokenCheck> check_tokens(const EngineStart& start, const domain::Model& model,
                                       const domain::Workload& workload,
                                       const domain::Engine& engine,
                                       const std::optional<domain::VisibleMemory>& gpu) {
  if (!start.pool_gib || !start.pool_tokens || *start.pool_gib <= 0) return std::nullopt;
  if (start.most_tokens) return std::nullopt;
  // SGLang prints keys and values apart, each with two decimals, and states beside them.
  const double half = start.engine == "sglang" ? 2 * kHalfOfLastDecimal : kHalfOfLastDecimal;
  const double pool = *start.pool_gib + start.state_gib.value_or(0);
  const double open = start.state_gib ? 2 * half : half;
  // What SGLang prints as its pool are keys and values: states are not in it.
  const bool is_keys =
      start.engine == "sglang" && !start.state_gib && domain::has_recurrent_layers(model);
  const domain::VisibleMemory maker = gpu.value_or(any_gpu(start.vendor));
  const auto tokens = [&](double gib) {
    return is_keys ? tokens_of_keys(model, workload, engine, gpu, gib)
                   : tokens_of_pool(model, workload, engine, maker, gib);
  };
  const auto least = tokens(pool - open);
  const auto most = tokens(pool + open);
  if (!least || !most) return std::nullopt;
  // SGLang's buffers hold a page more than it hands out, of 1 to 64 tokens
  // (mem_cache/memory_pool.py, MHATokenToKVPool: size + page_size).
  const std::int64_t page = start.engine == "sglang" ? 64 : 0;
  return TokenCheck{.least = std::max<std::int64_t>(0, *least - page),
                    .most = *most,
                    .printed = *start.pool_tokens};
}

}  // namespace gpushape::calibrate
