// SGLang: reads the free memory before it loads the weights, and gives its share of that to weights
// and pools; what is left is for activations and graphs, which it does not measure.
//
//   available = total - context - communicators
//   pool      = available x memFractionStatic - weights
//
// where `available` is what a start prints as free before it loads, once there is one.
// Weights are what free memory lost while loading, so the allocator's segments count whole. Source:
// SGLang python/sglang/srt/model_executor/model_runner.py (init_torch_distributed, load_model,
// profile_max_num_token), from 0.5.9 model_runner_kv_cache_mixin.py (_profile_available_bytes).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/engines/sglang_pool.hpp"
#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Range;

constexpr auto kSglangTerms = std::to_array<EngineTerm>({
    {described(kWeights, "parameters as free memory shows them"), Budget::Profiled},
    {kTowers, Budget::Profiled},
    {kAdapters, Budget::Profiled},
    {kDraft, Budget::Beside},
    {kKvCache, Budget::Pool},
    {kImageCache, Budget::Pool},
    {kState, Budget::Pool},
    {described(kActivation, "forward peak of the largest prefill chunk"), Budget::Beside},
    {kGraphs, Budget::Beside},
    {kNonTorch, Budget::Beside},
    {kCudaContext, Budget::Before},
    {where(kCommunicators, terms::several_ranks_work_together), Budget::Before},
});

struct StagePool {
  Range pool;    ///< states, keys and values
  Range beside;  ///< what the engine leaves for activations and graphs
};

Range available_of(const StageFigures& stage, const domain::VisibleMemory& gpu) {
  if (gpu.free_bytes) return *gpu.free_bytes;
  return left_of(takeable_of(gpu), sum_of(stage, kSglangTerms, {Budget::Before}));
}

StagePool sglang_pool_of(const StageFigures& stage, const Plan& plan,
                         const domain::VisibleMemory& gpu) {
  const Range available = available_of(stage, gpu);
  const Range weights = sum_of(stage, kSglangTerms, {Budget::Profiled});
  if (plan.given_pool) {
    const Range taken{.low = weights.low + *plan.given_pool,
                      .expected = weights.expected + *plan.given_pool,
                      .high = weights.high + *plan.given_pool};
    return {.pool = domain::exactly(*plan.given_pool), .beside = left_of(available, taken)};
  }
  return {.pool = left_of(share_of(available, plan.utilization), weights),
          .beside = share_of(available, 1 - plan.utilization)};
}

std::string pool_formula(const StageFigures& stage, const domain::VisibleMemory& gpu) {
  const std::string before =
      gpu.free_bytes ? std::string() : taken_off(stage, kSglangTerms, {Budget::Before});
  const bool has_states = stage.situation.cache.request_state_bytes(1) > Bytes(0);
  return fmt::format("utilization x {}{}{}{}{}{}", before.empty() ? "" : "(", memory_word(gpu),
                     before, before.empty() ? "" : ")",
                     taken_off(stage, kSglangTerms, {Budget::Profiled}),
                     has_states ? " - the states' share" : "");
}

Held held_at(const Situation& situation, Bytes pool) {
  return sglang_pool(situation, domain::exactly(pool)).held;
}

}  // namespace

std::span<const EngineTerm> sglang_terms() { return kSglangTerms; }

domain::Capacity sglang_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                 const domain::VisibleMemory& gpu,
                                 std::vector<std::string>* notes) {
  domain::Capacity capacity = begin_capacity(plan, gpu);
  Fits fits;
  bool is_first = true;
  bool is_tight = false;
  for (const StageFigures& stage : stages) {
    const StagePool here = sglang_pool_of(stage, plan, gpu);
    const SglangPool dealt = sglang_pool(stage.situation, here.pool);
    const Range beside = sum_of(stage, kSglangTerms, {Budget::Beside});
    // Graphs and activations take what the share leaves: the pool is sized before them.
    const bool has_room = beside.expected <= here.beside.expected;
    is_tight = is_tight || !has_room;
    fits.also(
        holds_demand(dealt.held, stage.situation, &Spread::expected) && has_room,
        holds_demand(held_at(stage.situation, here.pool.low), stage.situation, &Spread::high) &&
            beside.high <= here.beside.high);
    take_tighter({.needed_bytes = beside, .left_bytes = here.beside}, capacity);
    const bool is_least = is_first || dealt.held.tokens < capacity.kv_pool_tokens;
    if (is_least) {
      capacity.kv_pool_bytes = dealt.kv_bytes;
      capacity.kv_pool_tokens = dealt.held.tokens;
      capacity.max_concurrency_at_context = dealt.held.requests;
    }
    is_first = false;
  }
  if (notes != nullptr && !plan.given_pool)
    capacity.kv_pool_formula = pool_formula(stages.front(), gpu);
  conclude(fits, plan, capacity, notes);
  if (notes != nullptr && is_tight && capacity.kv_pool_bytes.expected > Bytes(0)) {
    notes->emplace_back(
        "activations and graphs need more than the share leaves beside weights and cache: lower "
        "the share (mem-fraction-static)");
  }
  return capacity;
}

}  // namespace gpushape::estimate::engines
