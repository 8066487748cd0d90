// What SGLang runs with when nobody says: the prefill chunk and the largest graph by the GPU's
// memory, and from these the share of memory for weights and cache. Source: SGLang
// python/sglang/srt/server_args.py, __post_init__ and from 0.5.3 _handle_gpu_memory_settings.
//
//   reserved = base + perChunkToken x max(chunk, 2048) + perGraphSequence x graph + perRank x ranks
//              + perGraphRank x graph x dp + piecewise x sizes        (MiB; at least `least`)
//   memFractionStatic = round((memory - reserved) / memory, 3)
//
// Data parallelism beside expert parallelism is its DP attention: every rank has the whole
// attention and a cache of its own, and the ranks share the experts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/engines.hpp"
#include "estimate/engines/sglang_pool.hpp"
#include "estimate/plan_parts.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Quantization;

/// `--quantization fp8` and `w8a8_int8` on a 16-bit checkpoint.
constexpr std::array kSglangConverted = {Quantization::Fp8, Quantization::BnbNf4};
constexpr std::int64_t kLeastChunk = 2048;
constexpr double kMiB = 1024.0 * 1024;
constexpr double kDecimals = 1000;  // of the share
constexpr double kFine = 1e6;       // of a product, as far as it is shown; ours

/// Gemma's embedding is scaled, from the third on in a table that ranks do not share; the angles of
/// the third are not. Source: SGLang models/gemma3_causal.py, Gemma3TextScaledWordEmbedding (which
/// gemma3n_causal.py and gemma4_causal.py take over) and Gemma3Attention (rope_type "default").
void take_gemma(const domain::Model& model, WeightsLayout& layout) {
  const std::string_view family = model.family;
  layout.has_whole_table = family.starts_with("gemma3") || family.starts_with("gemma4");
  if (family.starts_with("gemma3")) layout.longest_rotary = model.max_context_tokens;
}

bool has_dp_attention(const Plan& plan) {
  return plan.parallelism.data > 1 && plan.parallelism.expert > 1;
}

/// Sizes of the graphs of whole prefill chunks, cut at attention. Source: SGLang server_args.py,
/// _generate_piecewise_cuda_graph_tokens.
std::int64_t piecewise_sizes(std::int64_t most) {
  struct Run {
    std::int64_t first, last, step;
  };
  constexpr std::array<Run, 6> kRuns{{{4, 32, 4},
                                      {48, 256, 16},
                                      {288, 512, 32},
                                      {576, 1024, 64},
                                      {1280, 4096, 256},
                                      {4608, 1LL << 40U, 512}}};
  std::int64_t count = 0;
  for (const Run& run : kRuns) {
    const std::int64_t last = std::min(run.last, most);
    if (last >= run.first) count += (last - run.first) / run.step + 1;
  }
  return count;
}

// Whose config calls the encoder's layers `depth`: SGLang looks for num_hidden_layers.
constexpr auto kFamiliesWithDepth =
    std::to_array<std::string_view>({"qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe",
                                     "qwen3_5", "qwen3_5_moe", "glm4v", "glm4v_moe", "glm_ocr"});
/// Whose vision_config has the decoder's width for hidden_size, its own under another name.
constexpr std::string_view kFamilyWithOuterWidth = "qwen2_vl";

/// Encoders of images need room of their own. Source: SGLang server_args.py,
/// adjust_mem_fraction_for_vlm: against a tower of 24 layers, 1,024 wide, which it takes the config
/// for where it does not find layers and width. Qwen3-VL-8B on an H200 of April 2026 prints
/// mem_fraction_static=0.8387624218749999: 0.907 x 0.95 x 0.9734375, as 24 layers of 1,152 make it.
double share_beside_towers(const Plan& plan) {
  const double base = plan.facts.expected("multimodalFraction");
  const auto tower =
      std::ranges::find(plan.model->towers, domain::TowerKind::Vision, &domain::Tower::kind);
  if (tower == plan.model->towers.end() || base <= 0) return 1;
  if (plan.facts.expected("multimodalByComplexity") == 0) return base;
  constexpr double kUsual = 24.0 * 1024 * 1024;
  constexpr double kPerUsual = 0.1;
  constexpr double kLeast = 0.8;
  constexpr double kMost = 1.05;
  constexpr double kUsualLayers = 24;
  const std::string_view family = plan.model->family;
  const auto hidden = static_cast<double>(family == kFamilyWithOuterWidth ? plan.model->hidden_size
                                                                          : tower->hidden_size);
  const bool has_depth = std::ranges::find(kFamiliesWithDepth, family) != kFamiliesWithDepth.end();
  const double layers = has_depth ? kUsualLayers : static_cast<double>(tower->layers);
  const double ratio = layers * hidden * hidden / kUsual;
  return base * std::clamp(1 - kPerUsual * (ratio - 1), kLeast, kMost);
}

double reserved_mib(const Request& request, const Plan& plan) {
  const Facts& facts = plan.facts;
  const auto mib = [&](NameKey name) { return facts.expected(name) / kMiB; };
  const auto chunk = static_cast<double>(std::max(kLeastChunk, plan.max_num_batched_tokens));
  const auto graph = static_cast<double>(plan.largest_graph);
  const auto ranks = static_cast<double>(plan.parallelism.tensor * plan.parallelism.pipeline *
                                         (has_dp_attention(plan) ? plan.parallelism.data : 1));
  double reserved = mib("reserveBase") + mib("reservePerChunkToken") * chunk +
                    mib("reservePerGraphSequence") * graph + mib("reservePerRank") * ranks;
  if (has_dp_attention(plan)) {
    constexpr double kManySequences = 300;
    const auto data = static_cast<double>(plan.parallelism.data);
    reserved += mib("reserveDpAttention");
    const double many = graph > kManySequences ? facts.expected("reserveManySequences") : 1;
    reserved += mib("reservePerGraphRank") * graph * data * std::max(1.0, many);
  }
  if (facts.expected("piecewiseGraphs") != 0 && !plan.enforce_eager) {
    constexpr std::int64_t kMostOfLatents = 2048;
    const bool has_latents = facts.conditions().has_latents != 0;
    const std::int64_t most = has_latents ? kMostOfLatents : plan.max_num_batched_tokens;
    reserved += mib("reservePerPiecewiseGraph") * static_cast<double>(piecewise_sizes(most));
  }
  reserved = std::max(reserved, mib("reserveAtLeast"));
  const auto& draft = request.workload->engine.draft_model;
  const bool stands_alone = draft && draft->model && !is_draft_head(*draft->model);
  if (stands_alone) {
    reserved += mib("reserveDraftModel");
  } else if (draft || request.workload->engine.draft_tokens) {
    reserved += mib("reserveDrafts");
  }
  return reserved;
}

double default_share(const Request& request, const Plan& plan) {
  const double fixed = plan.facts.expected("memFraction");
  double share = fixed;
  if (request.gpu != nullptr && plan.facts.expected("reserveBase") > 0) {
    const double memory = plan.facts.conditions().device_gib * 1024;
    share = (memory - reserved_mib(request, plan)) / memory;
    if (plan.facts.expected("shareIsRounded") != 0)
      share = std::round(share * kDecimals) / kDecimals;
  }
  const double beside_towers = share_beside_towers(plan);
  if (beside_towers != 1) share = std::round(share * beside_towers * kFine) / kFine;
  return std::clamp(share, 1 / kDecimals, 1.0);
}

/// Free before loading, bytes.
double available_before_loading(const Situation& situation, const domain::VisibleMemory& gpu) {
  if (gpu.free_bytes) return static_cast<double>(gpu.free_bytes->expected.count());
  double available = static_cast<double>(takeable_of(gpu).expected.count()) -
                     terms::cuda_context_bytes(situation).expected;
  if (terms::several_ranks_work_together(situation))
    available -= terms::communicators_bytes(situation).expected;
  return available;
}

/// A share of what is free before loading, less the weights: as far as a plan knows it.
PoolTokens count_pool_tokens(const Request& request, const Plan& plan) {
  PoolTokens counted{.utilization = plan.utilization,
                     .given_pool = plan.given_pool,
                     .longest_request = plan.longest_request};
  std::int64_t least = -1;
  for (const Stage& stage : plan.stages) {
    const Situation situation = shared_situation(request, plan, stage);
    const double pool =
        available_before_loading(situation, *request.gpu) * plan.utilization -
        terms::loaded_bytes(situation).expected -
        (terms::has_adapters(situation) ? terms::adapters_bytes(situation).expected : 0);
    const Bytes bytes =
        plan.given_pool.value_or(Bytes(static_cast<std::int64_t>(std::max(0.0, pool))));
    const std::int64_t tokens = sglang_pool(situation, domain::exactly(bytes)).held.tokens;
    least = least < 0 ? tokens : std::min(least, tokens);
    counted.follows_request |= situation.cache.least_block_tokens() == 0;
  }
  counted.tokens = std::max<std::int64_t>(0, least);
  return counted;
}

std::int64_t expected_tokens(const Request& request, Plan& plan) {
  const std::optional<PoolTokens>& known = plan.pool_tokens;
  const bool is_counted =
      known && known->utilization == plan.utilization && known->given_pool == plan.given_pool &&
      (!known->follows_request || known->longest_request == plan.longest_request);
  if (!is_counted) plan.pool_tokens = count_pool_tokens(request, plan);
  return plan.pool_tokens->tokens;
}

/// Latents that an indexer picks from are kept in 8 bits on Blackwell. Source: SGLang
/// server_args.py, _set_default_nsa_kv_cache_dtype.
Fact<domain::KvCacheType> cache_type_of(const Request& request, const Plan& plan) {
  const bool is_auto = request.workload->kv_cache_type.value == domain::KvCacheType::Auto;
  if (is_auto && plan.facts.expected("indexedLatentsIn8Bits") != 0)
    return {domain::KvCacheType::Fp8Latent, Origin::Computed, "what SGLang takes on this GPU"};
  return choose_kv_cache_type(request, dtype_of(request));
}

/// The settings as they came out, each with where it is from.
domain::ResolvedSettings sglang_settings_of(const Request& request, const VersionChoice& version,
                                            const Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  const std::string by =
      fmt::format("what {} {} takes", request.engine->name, to_text(version.facts_of));
  const bool has_gpu = request.gpu != nullptr;
  const std::string where = fmt::format("{} {}", by, has_gpu ? "on this GPU" : "without a GPU");
  const std::string of_pool = has_gpu ? fmt::format("{} for this pool", by) : where;
  return {.version = version.version,
          .max_num_seqs = taken_setting(asked.max_num_seqs, plan.max_num_seqs, of_pool),
          .max_num_batched_tokens =
              taken_setting(asked.max_num_batched_tokens, plan.max_num_batched_tokens, where),
          .gpu_memory_utilization =
              taken_setting(asked.gpu_memory_utilization, plan.utilization, where)};
}

}  // namespace

void settle_sglang(const Request& request, Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  const auto count_of = [&](const std::optional<Fact<std::int64_t>>& fact, NameKey name) {
    return fact ? fact->value : std::int64_t{std::llround(plan.facts.expected(name))};
  };
  take_load(request, plan);
  plan.max_num_batched_tokens = count_of(asked.max_num_batched_tokens, "maxNumBatchedTokens");
  plan.cache.batched_tokens = plan.max_num_batched_tokens;
  plan.largest_graph = plan.enforce_eager ? 0 : count_of(std::nullopt, "graphSequences");
  if (!plan.default_share) plan.default_share = default_share(request, plan);
  plan.utilization =
      asked.gpu_memory_utilization ? asked.gpu_memory_utilization->value : *plan.default_share;
  plan.max_num_seqs = count_of(asked.max_num_seqs, "maxNumSeqs");
  plan.are_sequences_asked = asked.max_num_seqs.has_value();
  if (!asked.max_num_seqs && request.gpu != nullptr)
    plan.max_num_seqs = sglang_running_requests(plan, expected_tokens(request, plan));
  // Memory was set aside for all sizes, and those that may run are captured (SGLang
  // model_executor/cuda_graph_runner.py, get_batch_sizes_to_capture).
  plan.largest_graph = std::min(plan.largest_graph, plan.max_num_seqs);
  // One step samples for those in flight; nothing is set aside for more than are captured.
  const std::int64_t in_flight =
      plan.concurrency.value_or(std::max<std::int64_t>(1, plan.largest_graph));
  plan.sampled_sequences = std::min(plan.max_num_seqs, in_flight);
  plan.facts.set_sequences(static_cast<double>(plan.sampled_sequences));
}

Result<ResolvedPlan> plan_sglang(const Request& request) {
  const VersionChoice version = choose_version(request);
  WeightsChoice weights = choose_weights(request, kSglangConverted);
  Conditions conditions = conditions_of(request);
  take_weights(weights, conditions);
  // It counts the ranks of DP attention as those of tensor parallelism.
  if (value_or_one(request.workload->engine.expert) > 1)
    conditions.tensor_parallel *= static_cast<double>(value_or_one(request.workload->engine.data));
  ResolvedPlan resolved = begin_plan(request, version, std::move(weights), conditions);
  Plan& plan = resolved.plan;
  constexpr std::array<NameKey, 4> kNeeded = {"maxNumSeqs", "maxNumBatchedTokens", "graphSequences",
                                              "blockTokens"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  if (has_dp_attention(plan)) plan.weights.dense_parallel = plan.parallelism.data;
  plan.weights.has_whole_shared_experts = plan.facts.expected("sharedExpertsWhole") != 0;
  take_gemma(*request.model, plan.weights);
  resolved.kv_cache_type = cache_type_of(request, plan);
  plan.cache = choose_cache_geometry(request, plan, resolved.kv_cache_type.value);
  plan.cache.lies_apart = true;
  // It makes pools for every model: https://github.com/sgl-project/sglang/issues/7590 has 23.48 GB
  // of them for bge-m3.
  plan.cache.encoders_keep_tokens = true;
  // Its pools count the layers of the network (model_runner_kv_cache_mixin.py): gemma-4-E4B has
  // 997,846 tokens and 798,276 for windows in 79.94 GiB, all 42 layers', on GB10.
  plan.cache.shared_layers_keep_tokens = true;
  // Before it had pools for windows, their layers held every token.
  plan.cache.is_one_table =
      plan.facts.expected("windowShare") == 0 && conditions.has_recurrent == 0;
  plan.cache.keeps_states_of_prefixes =
      !request.workload->engine.prefix_caching || request.workload->engine.prefix_caching->value;
  plan.stages = cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline,
                                Remainder::NextToLast);
  // Slots of exactly the highest rank, beside the modules that the adapters name. Source: SGLang
  // python/sglang/srt/lora/mem_pool.py (LoRAMemoryPool, init_buffers).
  plan.adapters = asked_slots(request);
  plan.draft = planned_draft(request, plan);
  share_rotary_tables(plan);
  settle_sglang(request, plan);
  resolved.settings = sglang_settings_of(request, version, plan);
  return resolved;
}

}  // namespace gpushape::estimate::engines
