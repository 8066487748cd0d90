// Hugging Face transformers, `generate` or a plain forward: no pool is set aside. The cache grows
// with what is generated, so that a batch fits when weights, the prefill's peak and the whole cache
// do, beside the CUDA context.
//
//   left = total x fraction - weights - activation - growth - context - kernels
//
// `fraction` is 1, or what torch.cuda.set_per_process_memory_fraction is given.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/plan_parts.hpp"
#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Part;
using domain::Quantization;
using domain::Range;

/// bitsandbytes, and 8-bit weights with the fine-grained fp8 integration.
constexpr std::array kTransformersConverted = {Quantization::BnbNf4, Quantization::Fp8};

constexpr auto kTransformersTerms = std::to_array<EngineTerm>({
    {described(kWeights, "parameters in the type that they are loaded as"), Budget::Profiled},
    {kTowers, Budget::Profiled},
    {described(kKvCache, "cache of the declared context and concurrency"), Budget::Pool},
    {kImageCache, Budget::Pool},
    {kState, Budget::Pool},
    {{"cacheGrowth", Part::KvCache, "a layer's cache once more, while it is lengthened",
      terms::growth_bytes, terms::describe_growth, terms::cache_grows},
     Budget::Profiled},
    {{"activation", Part::Activation, "prefill of all prompts in one step", terms::prefill_bytes,
      terms::describe_prefill, terms::always},
     Budget::Profiled},
    {described(kNonTorch, "kernels and buffers past the framework's allocator"), Budget::Profiled},
    {kCudaContext, Budget::Profiled},
    {where(kCommunicators, terms::tensors_are_split), Budget::Profiled},
});

constexpr std::size_t kPrefill = 6;  ///< of kTransformersTerms

Range left_on(const StageFigures& stage, const Plan& plan, const domain::VisibleMemory& gpu) {
  if (plan.given_pool) return domain::exactly(*plan.given_pool);
  return left_of(share_of(takeable_of(gpu), plan.utilization),
                 sum_of(stage, kTransformersTerms, {Budget::Profiled}));
}

/// Every further request brings a cache and its part of the prefill's peak.
Held held_in(const StageFigures& stage, const Plan& plan, Bytes left) {
  const CacheLayout& cache = stage.situation.cache;
  Held held;
  const auto token = static_cast<double>(cache.bytes_per_token().count());
  if (token > 0) held.tokens = static_cast<std::int64_t>(static_cast<double>(left.count()) / token);
  const auto batch = static_cast<double>(plan.concurrency.value_or(1));
  const auto prefill = static_cast<double>(stage.terms[kPrefill].expected.count());
  const Bytes request =
      cache.request_bytes(plan.longest_request) + cache.request_state_bytes(plan.longest_request);
  const double each = static_cast<double>(request.count()) + prefill / batch;
  if (each > 0) held.requests = (static_cast<double>(left.count()) + prefill) / each;
  return held;
}

/// The settings as they came out, each with where it is from.
domain::ResolvedSettings transformers_settings_of(const Request& request,
                                                  const VersionChoice& version, const Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  return {.version = version.version,
          .max_num_seqs = asked.max_num_seqs ? *asked.max_num_seqs
                                             : Fact<std::int64_t>{plan.max_num_seqs,
                                                                  Origin::Computed, "one batch"},
          .max_num_batched_tokens =
              asked.max_num_batched_tokens
                  ? *asked.max_num_batched_tokens
                  : Fact<std::int64_t>{plan.max_num_batched_tokens, Origin::Computed,
                                       "every prompt in one step, as long as the context"},
          .gpu_memory_utilization =
              asked.gpu_memory_utilization
                  ? *asked.gpu_memory_utilization
                  : Fact<double>{1, Origin::Default, "all of the GPU: nothing is set aside"}};
}

bool is_plain(Quantization quantization) {
  return domain::scheme(quantization).granularity == domain::ScaleGranularity::None;
}

/// What from_pretrained makes of a 16-bit checkpoint when no dtype is given.
domain::Workload as_loaded(const Request& request, const Facts& facts) {
  domain::Workload workload = *request.workload;
  const bool is_open = !workload.quantization && is_plain(request.model->weights.linear) &&
                       request.model->weights.linear != Quantization::Fp32;
  if (is_open && facts.expected("loadsFloat32") != 0) {
    workload.quantization = Fact<Quantization>{Quantization::Fp32, Origin::Default,
                                               "from_pretrained without a dtype in this version"};
  }
  return workload;
}

}  // namespace

std::span<const EngineTerm> transformers_terms() { return kTransformersTerms; }

void settle_transformers(const Request& request, Plan& plan) {
  const domain::EngineSettings& asked = request.workload->engine;
  take_load(request, plan);
  plan.max_num_seqs = asked.max_num_seqs ? asked.max_num_seqs->value : plan.concurrency.value_or(1);
  plan.max_num_batched_tokens = asked.max_num_batched_tokens
                                    ? asked.max_num_batched_tokens->value
                                    : plan.max_num_seqs * plan.longest_request;
  plan.cache.batched_tokens = 0;
  plan.sampled_sequences = plan.max_num_seqs;
  plan.utilization = asked.gpu_memory_utilization ? asked.gpu_memory_utilization->value : 1;
  plan.facts.set_sequences(static_cast<double>(plan.sampled_sequences));
}

Result<ResolvedPlan> plan_transformers(const Request& request) {
  const VersionChoice version = choose_version(request);
  Conditions conditions = conditions_of(request);
  const domain::Workload workload =
      as_loaded(request, Facts(*request.engine, version.facts_of, conditions));
  Request loaded = request;
  loaded.workload = &workload;
  WeightsChoice weights = choose_weights(loaded, kTransformersConverted);
  if (weights.layout.scheme.is_interleaved) {  // transformers docs: gguf_file
    return failure(fmt::format("transformers does not hold {}: it turns a GGUF file into floats",
                               name_of(weights.quantization.value)),
                   "give --quant bf16 for what it holds then, or --engine llama.cpp");
  }
  take_weights(weights, conditions);
  ResolvedPlan resolved = begin_plan(loaded, version, std::move(weights), conditions);
  Plan& plan = resolved.plan;
  constexpr std::array<NameKey, 3> kNeeded = {"cudaContext", "forwardHidden", "blockTokens"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  if (!request.workload->quantization && workload.quantization) {
    resolved.notes.emplace_back(
        "from_pretrained of this version loads in 32 bits unless a dtype is given: ask for bf16 "
        "where the program gives one");
  }
  resolved.kv_cache_type = choose_kv_cache_type(loaded, dtype_of(loaded));
  plan.cache = choose_cache_geometry(loaded, plan, resolved.kv_cache_type.value);
  plan.cache.lies_apart = true;
  plan.cache.unfolds_latents = true;
  plan.weights.has_rotary_tables = plan.facts.expected("rotaryTables") != 0;
  plan.weights.splits_latents = false;
  plan.weights.vocabulary_unit = 1;
  plan.stages =
      cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline, Remainder::Last);
  settle_transformers(loaded, plan);
  resolved.settings = transformers_settings_of(loaded, version, plan);
  return resolved;
}

domain::Capacity transformers_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                       const domain::VisibleMemory& gpu,
                                       std::vector<std::string>* notes) {
  domain::Capacity capacity = begin_capacity(plan, gpu);
  Fits fits;
  bool is_first = true;
  for (const StageFigures& stage : stages) {
    const Range left = left_on(stage, plan, gpu);
    const Held held = held_in(stage, plan, left.expected);
    const Range demand = sum_of(stage, kTransformersTerms, {Budget::Pool});
    const Bytes free = gpu.takeable_bytes.value_or(gpu.bytes.expected);
    const Range taken = sum_of(stage, kTransformersTerms, {Budget::Profiled});
    fits.also(left.expected >= demand.expected && left.expected > Bytes(0) &&
                  taken.expected + demand.expected <= free,
              left.low >= demand.high && left.low > Bytes(0) && taken.high + demand.high <= free);
    if (is_first || left.expected < capacity.kv_pool_bytes.expected) {
      capacity.kv_pool_bytes = left;
      capacity.kv_pool_tokens = held.tokens;
      capacity.max_concurrency_at_context = held.requests;
    }
    is_first = false;
  }
  capacity.fits = fits.at_high && fits.at_expected;
  if (fits.at_expected)
    capacity.fits_at = fits.at_high ? domain::FitsAt::High : domain::FitsAt::Expected;
  if (notes != nullptr && !plan.given_pool) {
    capacity.kv_pool_formula =
        fmt::format("utilization x {}{}", memory_word(gpu),
                    taken_off(stages.front(), kTransformersTerms, {Budget::Profiled}));
  }
  if (notes != nullptr && capacity.kv_pool_bytes.expected == Bytes(0))
    notes->emplace_back("weights and the prefill's peak leave nothing for a cache");
  return capacity;
}

}  // namespace gpushape::estimate::engines
