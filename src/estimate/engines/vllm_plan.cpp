// What vLLM runs with when nobody says: version, batch sizes by GPU, utilization, stages. Source:
// vLLM engine/arg_utils.py (get_batch_defaults, _set_default_max_num_seqs_and_batched_tokens_args:
// the server's values), distributed/utils.py (get_pp_indices).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/engines.hpp"
#include "estimate/plan_parts.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Quantization;

/// `--quantization fp8` and `bitsandbytes` on a 16-bit checkpoint.
constexpr std::array kConvertedWhileLoading = {Quantization::Fp8, Quantization::BnbNf4};

Fact<std::int64_t> default_count(const Facts& facts, std::string_view name,
                                 const std::string& where) {
  return {std::llround(facts.expected(name)), Origin::Default, where};
}

/// What one step may hold when nobody says.
Fact<std::int64_t> default_batched_tokens(const Plan& plan, std::int64_t sequences,
                                          const std::string& where) {
  Fact<std::int64_t> tokens = default_count(plan.facts, "maxNumBatchedTokens", where);
  const double whole_prompts = plan.facts.expected("wholePromptsUpTo");
  if (whole_prompts > 0) {
    // Without chunked prefill a step must hold the longest prompt.
    if (static_cast<double>(plan.longest_request) <= whole_prompts) {
      tokens.value = std::max(tokens.value, plan.longest_request);
      if (!plan.model->towers.empty()) {
        tokens.value =
            std::max(tokens.value,
                     static_cast<std::int64_t>(plan.facts.expected("multimodalBatchedTokens")));
      }
    } else {
      tokens.value = std::llround(plan.facts.expected("chunkedBatchedTokens"));
    }
  } else {
    tokens.value = std::min(tokens.value, sequences * plan.longest_request);
  }
  return tokens;
}

void resolve_settings(const Request& request, const VersionChoice& version,
                      ResolvedPlan& resolved) {
  const domain::EngineSettings& asked = request.workload->engine;
  Plan& plan = resolved.plan;
  const std::string where =
      fmt::format("what {} {} takes {}", request.engine->name, to_text(version.facts_of),
                  request.gpu == nullptr ? "without a GPU" : "on this GPU");
  Fact<std::int64_t> sequences =
      asked.max_num_seqs ? *asked.max_num_seqs : default_count(plan.facts, "maxNumSeqs", where);
  const Fact<std::int64_t> tokens = asked.max_num_batched_tokens
                                        ? *asked.max_num_batched_tokens
                                        : default_batched_tokens(plan, sequences.value, where);
  if (!asked.max_num_seqs) sequences.value = std::min(sequences.value, tokens.value);
  plan.max_num_seqs = sequences.value;
  plan.max_num_batched_tokens = tokens.value;
  plan.cache.batched_tokens = tokens.value;
  plan.facts.set_sequences(static_cast<double>(sequences.value));
  const Fact<double> utilization =
      asked.gpu_memory_utilization
          ? *asked.gpu_memory_utilization
          : Fact<double>{
                plan.facts.expected("gpuMemoryUtilization"), Origin::Default,
                fmt::format("what {} {} takes", request.engine->name, to_text(version.facts_of))};
  plan.utilization = utilization.value;
  resolved.settings = {.version = version.version,
                       .max_num_seqs = sequences,
                       .max_num_batched_tokens = tokens,
                       .gpu_memory_utilization = utilization};
}

void note_mig(const Request& request, ResolvedPlan& resolved) {
  const domain::EngineSettings& asked = request.workload->engine;
  if (request.gpu == nullptr || !request.gpu->is_mig) return;
  if (asked.max_num_seqs && asked.max_num_batched_tokens) return;
  resolved.notes.push_back(
      fmt::format("inside MIG the engine takes its batch defaults from the whole GPU ({} "
                  "sequences, {} tokens): "
                  "set max_num_seqs and max_num_batched_tokens",
                  resolved.plan.max_num_seqs, resolved.plan.max_num_batched_tokens));
}

}  // namespace

Result<ResolvedPlan> plan_vllm(const Request& request) {
  const domain::Workload& workload = *request.workload;
  const VersionChoice version = choose_version(request);
  WeightsChoice weights = choose_weights(request, kConvertedWhileLoading);
  Conditions conditions = conditions_of(request);
  take_weights(weights, conditions);

  ResolvedPlan resolved;
  resolved.quantization = weights.quantization;
  resolved.kv_cache_type = choose_kv_cache_type(request, dtype_of(request));
  resolved.notes = std::move(weights.notes);
  if (!version.note.empty()) resolved.notes.push_back(version.note);
  Plan& plan = resolved.plan;
  plan.model = request.model;
  plan.facts = Facts(*request.engine, version.facts_of, conditions);
  plan.parallelism = {.tensor = value_or_one(workload.engine.tensor),
                      .pipeline = value_or_one(workload.engine.pipeline),
                      .data = value_or_one(workload.engine.data),
                      .expert = value_or_one(workload.engine.expert),
                      .context = value_or_one(workload.engine.context_parallel)};
  constexpr std::array<std::string_view, 3> kNeeded = {"gpuMemoryUtilization", "maxNumSeqs",
                                                       "blockTokens"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  if (workload.context_tokens) plan.context_tokens = workload.context_tokens->value;
  if (workload.concurrency) plan.concurrency = workload.concurrency->value;
  plan.longest_request =
      plan.context_tokens.value_or(std::max<std::int64_t>(1, request.model->max_context_tokens));
  if (workload.engine.kv_cache_memory_bytes)
    plan.given_pool = workload.engine.kv_cache_memory_bytes->value;
  plan.enforce_eager = workload.engine.enforce_eager.value;
  plan.multiprocessors = multiprocessors_of(request, plan.facts);
  plan.weights = weights.layout;
  plan.weights.tensor_parallel = plan.parallelism.tensor;
  plan.weights.data_parallel = plan.parallelism.data;
  plan.weights.expert_parallel = plan.parallelism.expert;
  plan.weights.expert_padding = expert_padding(plan.facts);
  plan.weights.unsplit_share = plan.facts.expected("allocatorUnsplitShare");
  plan.weights.loads_drafts = workload.engine.draft_tokens.has_value();
  plan.weights.sectioned_rope_rows =
      std::max<std::int64_t>(1, std::llround(plan.facts.expected("sectionedRopeRows")));
  plan.weights.attention_scalars = std::llround(plan.facts.expected("attentionScalars"));
  plan.cache = choose_cache_geometry(request, plan, resolved.kv_cache_type.value);
  resolve_settings(request, version, resolved);
  const bool is_next_to_last = plan.facts.expected("remainderNextToLast") != 0;
  plan.stages = cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline,
                                is_next_to_last ? Remainder::NextToLast : Remainder::Last);
  note_mig(request, resolved);
  return resolved;
}

}  // namespace gpushape::estimate::engines
