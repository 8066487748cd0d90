// SGLang: reads the free memory before it loads the weights, and gives its share of that to weights
// and pools; what is left is for activations and graphs, which it does not measure.
//
//   available = total - context - communicators
//   pool      = available x memFractionStatic - weights
//
// Weights are what free memory lost while loading, so the allocator's segments count whole. Source:
// SGLang python/sglang/srt/model_executor/model_runner.py (init_torch_distributed, load_model,
// profile_max_num_token), from 0.5.9 model_runner_kv_cache_mixin.py (_profile_available_bytes).
#include <algorithm>
#include <array>

#include "estimate/engines.hpp"
#include "estimate/engines/sglang_pool.hpp"
#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Part;
using domain::Range;

constexpr auto kSglangTerms = std::to_array<EngineTerm>({
    {{"weights", Part::Weights, "parameters as free memory shows them", terms::weights_bytes,
      terms::describe_weights, terms::always, Follows::Plan},
     Budget::Profiled},
    {{"towers", Part::Weights, "encoders of images and sound, with their projectors",
      terms::towers_bytes, terms::describe_towers, terms::has_towers, Follows::Plan},
     Budget::Profiled},
    {{"adapters", Part::Adapters, "slots for LoRA adapters", terms::adapters_bytes,
      terms::describe_adapters, terms::has_adapters, Follows::Plan},
     Budget::Profiled},
    {{"draft", Part::Draft, "weights of the draft model", terms::draft_bytes, terms::describe_draft,
      terms::has_draft, Follows::Plan},
     Budget::Beside},
    {{"kvCache", Part::KvCache, "KV cache of the declared context and concurrency",
      terms::kv_cache_bytes, terms::describe_kv_cache, terms::kv_cache_is_asked_for},
     Budget::Pool},
    {{"imageCache", Part::KvCache, "KV cache of the images of the requests",
      terms::image_cache_bytes, terms::describe_image_cache, terms::images_are_asked_for},
     Budget::Pool},
    {{"state", Part::State, "recurrent state of the sequences in flight", terms::state_bytes,
      terms::describe_state, terms::state_is_asked_for},
     Budget::Pool},
    {{"activation", Part::Activation, "forward peak of the largest prefill chunk",
      terms::activation_bytes, terms::describe_activation, terms::always, Follows::Batch},
     Budget::Beside},
    {{"graphs", Part::Graphs, "captured CUDA graphs", terms::graphs_bytes, terms::describe_graphs,
      terms::graphs_are_captured, Follows::Batch},
     Budget::Beside},
    {{"nonTorch", Part::Context, "buffers past the framework's allocator", terms::non_torch_bytes,
      terms::describe_non_torch, terms::always, Follows::Plan},
     Budget::Beside},
    {{"cudaContext", Part::Context, "the CUDA context", terms::cuda_context_bytes,
      terms::describe_cuda_context, terms::always, Follows::Plan},
     Budget::Before},
    {{"communicators", Part::Communication, "communicators between the GPUs",
      terms::communicators_bytes, terms::describe_communicators, terms::several_ranks_work_together,
      Follows::Plan},
     Budget::Before},
});

struct StagePool {
  Range pool;    ///< states, keys and values
  Range beside;  ///< what the engine leaves for activations and graphs
};

StagePool sglang_pool_of(const StageFigures& stage, const Plan& plan,
                         const domain::VisibleMemory& gpu) {
  const Range available = left_of(takeable_of(gpu), sum_of(stage, kSglangTerms, {Budget::Before}));
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

Held held_at(const Situation& situation, Bytes pool) {
  return sglang_pool(situation, domain::exactly(pool)).held;
}

}  // namespace

std::span<const EngineTerm> sglang_terms() { return kSglangTerms; }

domain::Capacity sglang_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                 const domain::VisibleMemory& gpu,
                                 std::vector<std::string>* notes) {
  domain::Capacity capacity;
  capacity.visible_bytes = gpu.bytes;
  capacity.utilization = plan.utilization;
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
  conclude(fits, plan, capacity, notes);
  if (notes != nullptr && is_tight && capacity.kv_pool_bytes.expected > Bytes(0)) {
    notes->emplace_back(
        "activations and graphs need more than the share leaves beside weights and cache: lower "
        "the share (mem-fraction-static)");
  }
  return capacity;
}

}  // namespace gpushape::estimate::engines
