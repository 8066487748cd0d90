// What TensorRT-LLM runs with when nobody says. Source: TensorRT-LLM
// tensorrt_llm/llmapi/llm_args.py (KvCacheConfig, CudaGraphConfig, BaseLlmArgs: max_batch_size,
// max_num_tokens), commands/serve.py.
//
// Data parallelism beside expert parallelism is its attention DP: every rank has the whole
// attention and a cache of its own, and the ranks share the experts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/division.hpp"
#include "estimate/engines.hpp"
#include "estimate/plan_parts.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;

/// The settings as they came out, each with where it is from.
domain::ResolvedSettings tensorrt_llm_settings_of(const Request& request,
                                                  const VersionChoice& version, const Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  const std::string where =
      fmt::format("what {} {} takes", request.engine->name, to_text(version.facts_of));
  return {.version = version.version,
          .max_num_seqs = taken_setting(asked.max_num_seqs, plan.max_num_seqs, where),
          .max_num_batched_tokens =
              taken_setting(asked.max_num_batched_tokens, plan.max_num_batched_tokens, where),
          .gpu_memory_utilization =
              taken_setting(asked.gpu_memory_utilization, plan.utilization, where)};
}

}  // namespace

void settle_tensorrt_llm(const Request& request, Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  const auto count_of = [&](const std::optional<Fact<std::int64_t>>& fact, NameKey name) {
    return fact ? fact->value : std::int64_t{std::llround(plan.facts.expected(name))};
  };
  take_load(request, plan);
  plan.max_num_seqs = count_of(asked.max_num_seqs, "maxNumSeqs");
  plan.max_num_batched_tokens = count_of(asked.max_num_batched_tokens, "maxNumBatchedTokens");
  plan.cache.batched_tokens = plan.max_num_batched_tokens;
  plan.utilization = asked.gpu_memory_utilization ? asked.gpu_memory_utilization->value
                                                  : plan.facts.expected("gpuMemoryUtilization");
  // The dummy step is made of requests as long as they may be.
  plan.sampled_sequences =
      divide_up(plan.max_num_batched_tokens, std::max<std::int64_t>(1, plan.longest_request));
  plan.facts.set_sequences(static_cast<double>(plan.sampled_sequences));
  plan.largest_graph = std::min<std::int64_t>(plan.max_num_seqs,
                                              std::llround(plan.facts.expected("graphSequences")));
}

Result<ResolvedPlan> plan_tensorrt_llm(const Request& request) {
  const VersionChoice version = choose_version(request);
  WeightsChoice weights = choose_weights(request, {});
  if (weights.layout.scheme.is_interleaved) {
    return failure(fmt::format("tensorrt-llm does not read {}, which GGUF files hold",
                               name_of(weights.quantization.value)),
                   "give a format of safetensors (bf16, fp8, awq, nvfp4 …), or --engine llama.cpp");
  }
  Conditions conditions = conditions_of(request);
  take_weights(weights, conditions);
  ResolvedPlan resolved = begin_plan(request, version, std::move(weights), conditions);
  Plan& plan = resolved.plan;
  constexpr std::array<NameKey, 4> kNeeded = {"gpuMemoryUtilization", "maxNumSeqs",
                                              "maxNumBatchedTokens", "blockTokens"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  resolved.kv_cache_type = choose_kv_cache_type(request, dtype_of(request));
  plan.cache = choose_cache_geometry(request, plan, resolved.kv_cache_type.value);
  plan.cache.lies_apart = true;
  // Source: TensorRT-LLM tensorrt_llm/quantization/quantize.py, kv_cache_quantize: a
  // kv_cache_scaling_factor of shape (1, ) beside every attention layer.
  plan.cache.has_tensor_scales = true;
  plan.stages = cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline,
                                Remainder::NextToLast);
  // The cache on the GPU holds max_loras adapters of the highest rank beside every module that they
  // name. Source: TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py (num_device_module_layer =
  // max_lora_rank x modules x max_loras), llmapi/llm_args.py (PeftCacheConfig).
  plan.adapters = asked_slots(request);
  plan.draft = planned_draft(request, plan);
  settle_tensorrt_llm(request, plan);
  resolved.settings = tensorrt_llm_settings_of(request, version, plan);
  return resolved;
}

}  // namespace gpushape::estimate::engines
