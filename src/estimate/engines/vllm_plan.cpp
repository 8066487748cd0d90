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
#include "estimate/engines/vllm_attention.hpp"
#include "estimate/engines/vllm_classes.hpp"
#include "estimate/engines/vllm_runner.hpp"
#include "estimate/plan_parts.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Quantization;

/// `--quantization fp8` and `bitsandbytes` on a 16-bit checkpoint.
constexpr std::array kVllmConverted = {Quantization::Fp8, Quantization::BnbNf4};

std::int64_t default_count(const Facts& facts, NameKey name) {
  return std::llround(facts.expected(name));
}

/// What one step may hold when nobody says.
std::int64_t default_batched_tokens(const Plan& plan, std::int64_t sequences, std::int64_t times) {
  // A step holds the longest item of a model whose items are not cut.
  const std::int64_t of_item =
      plan.weights.loads_towers ? default_count(plan.facts, "itemBatchedTokens") : 0;
  const std::int64_t tokens =
      std::max(times * default_count(plan.facts, "maxNumBatchedTokens"), of_item);
  const double whole_prompts = plan.facts.expected("wholePromptsUpTo");
  if (whole_prompts <= 0) return std::min(tokens, sequences * plan.longest_request);
  // Without chunked prefill a step must hold the longest prompt.
  if (static_cast<double>(plan.longest_request) > whole_prompts)
    return default_count(plan.facts, "chunkedBatchedTokens");
  const std::int64_t of_images =
      plan.model->towers.empty() || !plan.weights.loads_towers
          ? 0
          : static_cast<std::int64_t>(plan.facts.expected("multimodalBatchedTokens"));
  return std::max({tokens, plan.longest_request, of_images});
}

/// Tokens of all steps that are under way at once: pipeline stages have one each. Source: vLLM
/// config/vllm.py, max_concurrent_batches.
std::int64_t tokens_in_flight(const Plan& plan) {
  const std::int64_t steps = default_count(plan.facts, "stepsInFlight");
  return steps > 1 ? plan.max_num_batched_tokens * (steps + plan.parallelism.pipeline - 1)
                   : plan.max_num_batched_tokens;
}

/// The settings as they came out, each with where it is from.
domain::ResolvedSettings vllm_settings_of(const Request& request, const VersionChoice& version,
                                          const Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  const std::string by =
      fmt::format("what {} {} takes", request.engine->name, to_text(version.facts_of));
  const std::string where =
      fmt::format("{} {}", by, request.gpu == nullptr ? "without a GPU" : "on this GPU");
  return {
      .version = version.version,
      .max_num_seqs = taken_setting(asked.max_num_seqs, plan.max_num_seqs, where),
      .max_num_batched_tokens =
          taken_setting(asked.max_num_batched_tokens, plan.max_num_batched_tokens, where),
      .gpu_memory_utilization = taken_setting(asked.gpu_memory_utilization, plan.utilization, by)};
}

// Classes whose embedding and head take adapters, and from which version on. Of those that share
// their embedding with the head, some name one module twice: it is wrapped twice, with a table of
// all tokens each time. Source: vLLM model_executor/models, the classes with `embedding_modules`
// (pull requests 29816 and 48850); lora/model_manager.py, _create_lora_modules.
struct VocabularyFamily {
  std::string_view family;
  domain::EngineVersion since;
  bool names_module_twice = false;
};
constexpr auto kVocabularyFamilies = std::to_array<VocabularyFamily>({
    {"llama", {}},
    {"mistral", {}},
    {"mixtral", {}},
    {"phi3", {}},
    {"granite", {}},
    {"granitemoe", {}},
    {"exaone", {}},
    {"minicpm", {}},
    {"nemotron", {}},
    {"solar", {}},
    {"jamba", {}},
    {"bamba", {}},
    {"phimoe", {}},
    {"qwen3", {0, 13, 0}, true},
    {"qwen3_moe", {0, 13, 0}, true},
    {"qwen3_vl", {0, 13, 0}, true},
    {"qwen3_vl_moe", {0, 13, 0}, true},
    {"qwen3_5", {0, 28, 0}, true},
    {"qwen3_5_moe", {0, 28, 0}, true},
    {"qwen3_5_moe_text", {0, 28, 0}, true},
});
// Widths of a slot. Source: vLLM config (LoRAConfig, possible_max_ranks).
constexpr auto kSlotRanks = std::to_array<std::int64_t>({8, 16, 32, 64, 128, 256, 320, 512});

AdapterSlots slots_of(const Request& request, const Facts& facts,
                      const domain::EngineVersion& version) {
  AdapterSlots slots = asked_slots(request);
  if (!request.workload->adapters) return slots;
  slots.modules = domain::AdapterModules::All;
  const auto width = std::ranges::lower_bound(kSlotRanks, slots.rank);
  if (width != kSlotRanks.end()) slots.rank = *width;
  slots.has_experts = facts.expected("adaptersOfExperts") != 0;
  const auto* const vocabulary =
      std::ranges::find(kVocabularyFamilies, request.model->family, &VocabularyFamily::family);
  slots.has_vocabulary = vocabulary != kVocabularyFamilies.end() && vocabulary->since <= version;
  slots.has_head_table =
      slots.has_vocabulary && vocabulary->names_module_twice && request.model->tied_embeddings;
  slots.extra_tokens = std::llround(facts.expected("adapterExtraTokens"));
  slots.vocabulary_unit =
      std::max<std::int64_t>(1, std::llround(facts.expected("adapterVocabularyUnit")));
  return slots;
}

void note_adapters(const Request& request, ResolvedPlan& resolved) {
  if (!request.workload->adapters) return;
  const domain::Adapters& adapters = *request.workload->adapters;
  const AdapterSlots& slots = resolved.plan.adapters;
  if (slots.rank != adapters.rank.value) {
    resolved.notes.push_back(fmt::format("slots are {} wide, the next width above rank {}",
                                         slots.rank, adapters.rank.value));
  }
  if (adapters.modules.value != domain::AdapterModules::All) {
    resolved.notes.push_back(fmt::format(
        "{} makes room beside every linear layer, whichever modules the adapters change",
        request.engine->name));
  }
  if (domain::has_experts(*request.model) && !slots.has_experts)
    resolved.notes.emplace_back("this version has no adapters on routed experts");
}

/// bitsandbytes quantizes the scales, too: of what the engine quantizes itself as of checkpoints.
void settle_scales(const Facts& facts, WeightsLayout& weights) {
  weights.unfolds_scales = facts.expected("nestedScalesKept") == 0;
  weights.may_keep_scales = weights.unfolds_scales && weights.scheme.nested_group > 0 &&
                            facts.value("nestedScalesKept").high > 0;
  const bool is_made_here =
      !weights.is_as_stored && weights.scheme.quantization == Quantization::BnbNf4;
  if (is_made_here && !weights.unfolds_scales)
    weights.scheme = domain::scheme(Quantization::BnbNf4Double);
}

void note_bitsandbytes(ResolvedPlan& resolved) {
  const Plan& plan = resolved.plan;
  if (plan.facts.expected("bitsandbytesApart") == 0) return;
  constexpr std::array kOfThePlugin = {Quantization::BnbInt8, Quantization::BnbNf4,
                                       Quantization::BnbNf4Double};
  if (std::ranges::find(kOfThePlugin, plan.weights.scheme.quantization) == kOfThePlugin.end())
    return;
  resolved.notes.emplace_back(
      "this version reads bitsandbytes with the package vllm-bnb-plugin, which is installed apart");
}

void note_attention(const Request& request, ResolvedPlan& resolved) {
  const Plan& plan = resolved.plan;
  if (plan.enforce_eager || plan.facts.expected("attentionWorkspace") == 0) return;
  const bool is_asked = request.workload->engine.attention_backend.has_value();
  resolved.notes.push_back(fmt::format(
      "attention runs on FlashInfer's kernels, {}: their buffers count among the graphs",
      is_asked ? "as asked for" : "which this version takes for this cache on this GPU"));
}

/// Only where the model has latents, and they are not what is kept.
void note_latents(const Request& request, domain::EngineVersion version, ResolvedPlan& resolved) {
  if (!resolved.plan.cache.unfolds_latents) return;
  const bool is_told = request.workload->engine.unfolds_latents.value;
  resolved.notes.push_back(fmt::format(
      "the cache keeps keys and values of every head in place of latents, {}",
      is_told ? "as told with VLLM_MLA_DISABLE"
              : fmt::format("as vLLM {} runs this model with these settings", to_text(version))));
}

/// What the sampler is taken for, where that is told or there are two to choose from.
void note_sampler(const Request& request, ResolvedPlan& resolved) {
  if (!request.model->has_head) return;
  const auto& told = request.workload->engine.flashinfer_sampler;
  if (told) {
    resolved.notes.push_back(
        fmt::format("top-k and top-p are sampled {} FlashInfer, as told: the "
                    "activation peak is that of this sampler",
                    told->value ? "with" : "without"));
  } else if (terms::may_sample_in_two_ways(resolved.plan)) {
    resolved.notes.emplace_back(
        "this release samples with FlashInfer where it is installed, as in the images, and with "
        "torch where it is not: the range of the activation peak holds both");
  }
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

/// Of Conditions: as it is told, and never in the first generation, whose sampler is torch's.
/// Turing and Volta run that one to 0.9.2. Source: vLLM engine/arg_utils.py,
/// _is_v1_supported_oracle; four starts of 0.8.2 and 0.8.5 on T4 peak at 36 bytes a logit
/// (https://github.com/unslothai/notebooks).
double flashinfer_sampler(const Request& request, domain::EngineVersion version,
                          const domain::Conditions& conditions) {
  constexpr domain::EngineVersion kSecondOnTuring{0, 10, 0};
  constexpr double kAmpere = 8;
  const domain::EngineSettings& asked = request.workload->engine;
  const bool is_old = conditions.compute_capability > 0 && conditions.compute_capability < kAmpere;
  if (asked.first_generation.value || (is_old && version < kSecondOnTuring)) return 0;
  if (!asked.flashinfer_sampler) return domain::Conditions::kNotTold;
  return asked.flashinfer_sampler->value ? 1 : 0;
}

/// Before some releases the checkpoint's own type has to be asked for.
domain::Fact<domain::KvCacheType> cache_type_of_release(const Request& request,
                                                        const Facts& facts) {
  const domain::Quantization dtype = dtype_of(request);
  auto type = choose_kv_cache_type(request, dtype);
  const bool is_of_checkpoint = type.origin == domain::Origin::Catalog;
  if (!is_of_checkpoint || facts.expected("checkpointCacheType") != 0) return type;
  return {cache_type_of(dtype), domain::Origin::Computed,
          "the model's dtype: this release passes over the checkpoint's type"};
}

/// The checkpoint holds its experts in MXFP4 beside linear layers of another type (DeepSeek-V4).
bool has_mxfp4_experts(const domain::Model& model, const WeightsLayout& layout) {
  const bool is_mixed =
      std::ranges::any_of(model.weights.modules, [](const domain::ModuleFormat& module) {
        return module.quantization == domain::Quantization::Mxfp4;
      });
  return layout.is_as_stored && is_mixed && domain::has_experts(model);
}

}  // namespace

void settle_vllm(const Request& request, Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  take_load(request, plan);
  plan.utilization = asked.gpu_memory_utilization ? asked.gpu_memory_utilization->value
                                                  : plan.facts.expected("gpuMemoryUtilization");
  // Source: vLLM engine/arg_utils.py, _set_default_max_num_seqs_and_batched_tokens_args.
  const std::int64_t times = asked.throughput_mode.value ? 2 : 1;
  std::int64_t sequences = asked.max_num_seqs ? asked.max_num_seqs->value
                                              : times * default_count(plan.facts, "maxNumSeqs");
  const std::int64_t tokens = asked.max_num_batched_tokens
                                  ? asked.max_num_batched_tokens->value
                                  : default_batched_tokens(plan, sequences, times);
  if (!asked.max_num_seqs) sequences = std::min(sequences, tokens);
  plan.max_num_seqs = sequences;
  plan.max_num_batched_tokens = tokens;
  plan.cache.batched_tokens = tokens_in_flight(plan);
  plan.facts.set_sequences(static_cast<double>(sequences));
  if (asked.graph_batches) plan.graph_batches = asked.graph_batches->value;
}

Result<ResolvedPlan> plan_vllm(const Request& request) {
  const VersionChoice version = choose_version(request);
  WeightsChoice weights = choose_weights(request, kVllmConverted);
  Conditions conditions = conditions_of(request);
  take_weights(weights, conditions);
  conditions.has_mxfp4_experts = has_mxfp4_experts(*request.model, weights.layout) ? 1 : 0;
  const auto unfolded = unfolded_unit(request, version.facts_of, conditions);
  if (unfolded) conditions.has_latents = 0;
  const auto cache_type = choose_kv_cache_type(request, dtype_of(request)).value;
  conditions.has_flashinfer = attends_with_flashinfer(request, conditions, cache_type) ? 1 : 0;
  conditions.has_second_runner = takes_second_runner(request, version.facts_of, conditions) ? 1 : 0;
  conditions.samples_with_flashinfer = flashinfer_sampler(request, version.facts_of, conditions);
  ResolvedPlan resolved = begin_plan(request, version, std::move(weights), conditions);
  Plan& plan = resolved.plan;
  resolved.kv_cache_type = cache_type_of_release(request, plan.facts);
  settle_scales(plan.facts, plan.weights);
  take_class(*request.model, plan.facts, plan.weights);
  plan.weights.towers_whole = plan.facts.expected("towersWhole") != 0;
  plan.weights.repeats_block_scales = plan.facts.expected("blockScalesRepeated") != 0;
  plan.weights.splits_latents = !unfolded;
  plan.weights.absorbs_latents = plan.facts.expected("absorbedLatents") != 0;
  constexpr std::array<NameKey, 3> kNeeded = {"gpuMemoryUtilization", "maxNumSeqs", "blockTokens"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  plan.cache = choose_cache_geometry(request, plan, resolved.kv_cache_type.value);
  plan.cache.unfolds_latents = unfolded.has_value();
  plan.cache.unfolded_unit = unfolded.value_or(0);
  plan.cache.has_drafts_apart =
      plan.facts.expected("draftsApart") != 0 && takes_blocks_first(request);
  settle_vllm(request, plan);
  resolved.settings = vllm_settings_of(request, version, plan);
  const bool is_next_to_last = plan.facts.expected("remainderNextToLast") != 0;
  plan.stages = cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline,
                                is_next_to_last ? Remainder::NextToLast : Remainder::Last);
  plan.adapters = slots_of(request, plan.facts, version.facts_of);
  plan.draft = planned_draft(request, plan);
  share_rotary_tables(plan);
  plan.offloaded = request.workload->contract.cpu_offload_bytes.value /
                   std::max<std::int64_t>(1, plan.parallelism.tensor * plan.parallelism.pipeline *
                                                 plan.parallelism.data);
  note_adapters(request, resolved);
  note_bitsandbytes(resolved);
  note_attention(request, resolved);
  note_latents(request, version.facts_of, resolved);
  note_sampler(request, resolved);
  note_mig(request, resolved);
  return resolved;
}

}  // namespace gpushape::estimate::engines
