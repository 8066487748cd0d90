// vLLM: asks for a share of the GPU's total, loads the weights, runs one dummy step of the largest
// batch, and gives what is left of the share to the KV cache.
//
//   requested = ceil(total x utilization)
//   pool      = requested - weights - activation - non-torch - collectives (- graphs)
//
// The CUDA context and the communicators are there before its first reading and stand beside the
// share; graphs do too until the version that subtracts an estimate of them. Source: vLLM
// v1/worker/gpu_worker.py (determine_available_memory), v1/worker/utils.py (request_memory),
// utils/mem_utils.py (memory_profiling), v1/core/kv_cache_utils.py; start-up logs of 0.19 in
// https://github.com/llm-d-incubation/llm-d-planner/pull/205.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "estimate/engines.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Part;
using domain::Range;

constexpr auto kTerms = std::to_array<EngineTerm>({
    {{"weights", Part::Weights, "parameters as the engine holds them", terms::weights_bytes,
      terms::describe_weights, terms::always},
     Budget::Profiled},
    {{"kvCache", Part::KvCache, "KV cache of the declared context and concurrency",
      terms::kv_cache_bytes, terms::describe_kv_cache, terms::kv_cache_is_asked_for},
     Budget::Pool},
    {{"state", Part::State, "recurrent state of the sequences in flight", terms::state_bytes,
      terms::describe_state, terms::state_is_asked_for},
     Budget::Pool},
    {{"activation", Part::Activation, "sampler or forward peak of the largest batch",
      terms::activation_bytes, terms::describe_activation, terms::always},
     Budget::Profiled},
    {{"graphs", Part::Graphs, "captured CUDA graphs", terms::graphs_bytes, terms::describe_graphs,
      terms::graphs_are_captured},
     Budget::Graphs},
    {{"nonTorch", Part::Context, "buffers past the framework's allocator", terms::non_torch_bytes,
      terms::describe_non_torch, terms::always},
     Budget::Profiled},
    {{"cudaContext", Part::Context, "the CUDA context", terms::cuda_context_bytes,
      terms::describe_cuda_context, terms::always},
     Budget::Beside},
    {{"communicators", Part::Communication, "communicators between the GPUs",
      terms::communicators_bytes, terms::describe_communicators, terms::several_gpus_work_together},
     Budget::Beside},
    {{"collectives", Part::Communication, "workspaces of the collectives", terms::collectives_bytes,
      terms::describe_collectives, terms::tensors_are_split},
     Budget::Profiled},
});

/// The stage with fewest blocks decides for all.
PoolCount count_stages(const Plan& plan, std::span<const StageFigures> stages,
                       std::span<const Range> pools) {
  std::int64_t blocks = 0;
  const CacheLayout* counted = nullptr;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const CacheLayout& cache = stages[i].situation.cache;
    if (cache.block_bytes == Bytes(0)) continue;  // the stage has no layer with a cache
    const std::int64_t here = pools[i].expected / cache.block_bytes;
    if (counted == nullptr || here < blocks) blocks = here;
    if (counted == nullptr) counted = &cache;
  }
  if (counted == nullptr) return {};
  return count_pool(*counted, blocks, plan.longest_request,
                    plan.facts.expected("poolTokensFromRequests") != 0);
}

bool is_profiled(const EngineTerm& term, const Plan& plan) {
  if (term.budget == Budget::Graphs) return plan.facts.expected("graphsProfiled") != 0;
  return term.budget == Budget::Profiled;
}

Range sum_of(const StageFigures& stage, const Plan& plan, bool profiled) {
  std::vector<Range> parts;
  for (std::size_t i = 0; i < kTerms.size(); ++i) {
    if (kTerms.at(i).budget == Budget::Pool) continue;
    if (is_profiled(kTerms.at(i), plan) == profiled) parts.push_back(stage.terms[i]);
  }
  return independent_sum(parts);
}

Bytes share_of(Bytes total, double utilization) {
  return Bytes(
      static_cast<std::int64_t>(std::ceil(static_cast<double>(total.count()) * utilization)));
}

Bytes not_negative(Bytes bytes) { return std::max(bytes, Bytes(0)); }

Range pool_of(const StageFigures& stage, const Plan& plan, const domain::VisibleMemory& gpu) {
  if (plan.given_pool) return domain::exactly(*plan.given_pool);
  const Range requested{.low = share_of(gpu.bytes.low, plan.utilization),
                        .expected = share_of(gpu.bytes.expected, plan.utilization),
                        .high = share_of(gpu.bytes.high, plan.utilization)};
  const Range used = sum_of(stage, plan, true);
  // The total and what is used of it err independently.
  const Range taken{.low = Bytes(0) - used.high,
                    .expected = Bytes(0) - used.expected,
                    .high = Bytes(0) - used.low};
  const Range pool = independent_sum(std::array{requested, taken});
  return {.low = not_negative(pool.low),
          .expected = not_negative(pool.expected),
          .high = not_negative(pool.high)};
}

/// Bytes of the pool that the workload needs on this stage; one request where nobody says how many.
Bytes demand_on(const StageFigures& stage, const Plan& plan) {
  const CacheLayout& cache = stage.situation.cache;
  if (!plan.context_tokens) return cache.block_bytes;
  return cache.block_bytes * cache.held_blocks(*plan.context_tokens) * plan.concurrency.value_or(1);
}

struct Fit {
  bool at_expected = true;
  bool at_high = true;
};

/// The pool holds the demand, and what the engine does not see fits beside its share.
Fit fit_of(const StageFigures& stage, const Range& pool, const Plan& plan,
           const domain::VisibleMemory& gpu) {
  const Bytes demand = demand_on(stage, plan);
  const Range used = sum_of(stage, plan, true);
  const Range beside = sum_of(stage, plan, false);
  // The engine asks for its share of the total. Where a part of that total can never be taken (a
  // vGPU guest), a larger total asks for more and finds no more.
  const Bytes least_total = gpu.takeable_bytes ? gpu.bytes.high : gpu.bytes.low;
  const Bytes share_expected = plan.given_pool ? used.expected + *plan.given_pool
                                               : share_of(gpu.bytes.expected, plan.utilization);
  const Bytes share_high =
      plan.given_pool ? used.high + *plan.given_pool : share_of(least_total, plan.utilization);
  const Bytes free_expected = gpu.takeable_bytes.value_or(gpu.bytes.expected);
  const Bytes free_least = gpu.takeable_bytes.value_or(gpu.bytes.low);
  return {
      .at_expected = pool.expected >= demand && share_expected + beside.expected <= free_expected,
      .at_high = pool.low >= demand && share_high + beside.high <= free_least};
}

}  // namespace

std::span<const EngineTerm> vllm_terms() { return kTerms; }

domain::Capacity vllm_capacity(const Plan& plan, std::span<const StageFigures> stages,
                               const domain::VisibleMemory& gpu, std::vector<std::string>& notes) {
  domain::Capacity capacity;
  capacity.gpu = gpu.device;
  capacity.profile = gpu.profile;
  capacity.visible_bytes = gpu.bytes;
  capacity.utilization = plan.utilization;
  std::vector<Range> pools;
  Fit fit;
  for (const StageFigures& stage : stages) {
    pools.push_back(pool_of(stage, plan, gpu));
    const Fit here = fit_of(stage, pools.back(), plan, gpu);
    fit.at_expected = fit.at_expected && here.at_expected;
    fit.at_high = fit.at_high && here.at_high;
  }
  capacity.kv_pool_bytes = *std::ranges::min_element(pools, {}, &Range::expected);
  const PoolCount count = count_stages(plan, stages, pools);
  capacity.kv_pool_tokens = count.tokens;
  capacity.max_concurrency_at_context = count.requests;
  capacity.fits = fit.at_high && fit.at_expected;
  if (fit.at_expected)
    capacity.fits_at = fit.at_high ? domain::FitsAt::High : domain::FitsAt::Expected;
  if (capacity.kv_pool_bytes.expected == Bytes(0)) {
    notes.push_back(fmt::format(
        "nothing is left for the KV cache: the engine would refuse to start with utilization {}",
        plan.utilization));
  } else if (count.blocks > 0 && count.requests < 1) {
    notes.push_back(fmt::format(
        "the pool holds {} tokens, less than one request of {}: the engine would refuse to start",
        count.tokens, plan.longest_request));
  }
  return capacity;
}

}  // namespace gpushape::estimate::engines
