// TensorRT-LLM: loads the weights, captures graphs, runs one dummy step of max_num_tokens with a
// small cache, and gives a share of what that leaves free to the KV cache.
//
//   pool = (total - weights - adapters - draft - activation - non-torch - graphs - context
//           - communicators) x fraction
//
// The cache of the dummy step is added back. Blocks hold 32 tokens of every layer, and a request is
// admitted with all blocks of its longest length. Source: TensorRT-LLM
// tensorrt_llm/_torch/pyexecutor/_util.py (KvCacheCreator.configure_kv_cache_capacity,
// _cal_max_memory), resource_manager.py (KVCacheManager); largest concurrencies published in the
// integration tests of https://github.com/ai-dynamo/aiconfigurator.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/division.hpp"
#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Part;
using domain::Range;

constexpr auto kTensorrtLlmTerms = std::to_array<EngineTerm>({
    {kWeights, Budget::Profiled},
    {kTowers, Budget::Profiled},
    {described(kAdapters, "cache of LoRA adapters on the GPU"), Budget::Profiled},
    {kDraft, Budget::Profiled},
    {kKvCache, Budget::Pool},
    {kImageCache, Budget::Pool},
    {kState, Budget::Pool},
    {{"activation", Part::Activation, "forward peak of max_num_tokens", terms::activation_bytes,
      terms::describe_activation, terms::always},
     Budget::Profiled},
    {kGraphs, Budget::Profiled},
    {described(kNonTorch, "kernels and buffers past the framework's allocator"), Budget::Profiled},
    {kCudaContext, Budget::Profiled},
    {described(where(kCommunicators, terms::several_ranks_work_together),
               "communicators and workspaces of the collectives"),
     Budget::Profiled},
});

Range tensorrt_llm_pool_of(const StageFigures& stage, const Plan& plan,
                           const domain::VisibleMemory& gpu) {
  if (plan.given_pool) return domain::exactly(*plan.given_pool);
  return share_of(left_of(takeable_of(gpu), sum_of(stage, kTensorrtLlmTerms, {Budget::Profiled})),
                  plan.utilization);
}

/// Whole blocks, and whole requests in them.
Held held_in(const Situation& situation, Bytes pool) {
  const CacheLayout& cache = situation.cache;
  const std::int64_t longest = situation.plan->longest_request;
  const Bytes request = cache.request_bytes(longest) + cache.request_state_bytes(longest);
  Held held;
  if (request <= Bytes(0)) return held;
  held.requests = static_cast<double>(pool.count()) / static_cast<double>(request.count());
  const std::int64_t block_tokens = cache.geometry.block_tokens;
  const bool is_plain = cache.kinds.size() == 1 && cache.block_bytes > Bytes(0) &&
                        cache.kinds.front().spec.window_tokens == 0;
  if (is_plain) {
    const std::int64_t blocks = pool / cache.block_bytes;
    held.tokens = blocks * block_tokens;
    held.requests =
        static_cast<double>(blocks) / static_cast<double>(divide_up(longest, block_tokens));
  } else {
    held.tokens = static_cast<std::int64_t>(held.requests * static_cast<double>(longest));
  }
  return held;
}

}  // namespace

std::span<const EngineTerm> tensorrt_llm_terms() { return kTensorrtLlmTerms; }

domain::Capacity tensorrt_llm_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                       const domain::VisibleMemory& gpu,
                                       std::vector<std::string>* notes) {
  domain::Capacity capacity = begin_capacity(plan, gpu);
  Fits fits;
  bool is_first = true;
  for (const StageFigures& stage : stages) {
    const Range pool = tensorrt_llm_pool_of(stage, plan, gpu);
    const Held held = held_in(stage.situation, pool.expected);
    // An encoder has no cache. A pool of given size must find room beside the rest.
    const bool keeps = !stage.situation.cache.kinds.empty();
    const Range rest =
        left_of(takeable_of(gpu), sum_of(stage, kTensorrtLlmTerms, {Budget::Profiled}));
    fits.also((!keeps || holds_demand(held, stage.situation, &Spread::expected)) &&
                  pool.expected <= rest.expected && rest.expected > Bytes(0),
              (!keeps ||
               holds_demand(held_in(stage.situation, pool.low), stage.situation, &Spread::high)) &&
                  pool.low <= rest.low);
    if (is_first || held.tokens < capacity.kv_pool_tokens) {
      capacity.kv_pool_bytes = pool;
      capacity.kv_pool_tokens = held.tokens;
      capacity.max_concurrency_at_context = held.requests;
    }
    is_first = false;
  }
  if (notes != nullptr && !plan.given_pool) {
    capacity.kv_pool_formula =
        fmt::format("utilization x ({}{})", memory_word(gpu),
                    taken_off(stages.front(), kTensorrtLlmTerms, {Budget::Profiled}));
  }
  conclude(fits, plan, capacity, notes);
  if (notes != nullptr &&
      capacity.max_concurrency_at_context > static_cast<double>(plan.max_num_seqs)) {
    notes->emplace_back(
        "the pool holds more requests than max_batch_size lets run at once: that many wait");
  }
  return capacity;
}

}  // namespace gpushape::estimate::engines
