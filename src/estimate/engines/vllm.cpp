// vLLM: asks for a share of the GPU's total, loads the weights, runs one dummy step of the largest
// batch, and gives what is left of the share to the KV cache.
//
//   requested = ceil(total x utilization)
//   pool      = requested - weights - activation - non-torch - collectives (- graphs)
//
// The CUDA context and the communicators are there before its first reading and stand beside the
// share, but for versions that count all that the GPU holds beside PyTorch's memory; graphs do too
// until the version that subtracts an estimate of them. Source: vLLM
// v1/worker/gpu_worker.py (determine_available_memory), v1/worker/utils.py (request_memory),
// utils/mem_utils.py (memory_profiling), v1/core/kv_cache_utils.py; start-up logs of 0.19 in
// https://github.com/llm-d-incubation/llm-d-planner/pull/205.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/shares.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Part;
using domain::Range;

constexpr auto kVllmTerms = std::to_array<EngineTerm>({
    {kWeights, Budget::Profiled},
    {kTowers, Budget::Profiled},
    {{"stepBuffers", Part::Weights, "buffers that the model keeps for the tokens of a step",
      terms::step_buffers_bytes, terms::describe_step_buffers, terms::has_step_buffers,
      Follows::Batch},
     Budget::Profiled},
    {kAdapters, Budget::Adapters},
    {kDraft, Budget::Profiled},
    {kKvCache, Budget::Pool},
    {kImageCache, Budget::Pool},
    {kState, Budget::Pool},
    {described(kActivation, "sampler or forward peak of the largest batch"), Budget::Profiled},
    {kGraphs, Budget::Graphs},
    {kNonTorch, Budget::Profiled},
    {kCudaContext, Budget::Context},
    {where(kCommunicators, terms::several_ranks_work_together), Budget::Context},
    {{"collectives", Part::Communication, "workspaces of the collectives", terms::collectives_bytes,
      terms::describe_collectives, terms::collects, Follows::Plan},
     Budget::Profiled},
});

/// What a stage takes of the share, and what stands beside it.
struct Taken {
  Range used;
  Range beside;
};

/// Which terms the engine finds in its profiling step and takes off its share.
struct Profiled {
  bool graphs;
  bool adapters;
  bool context;

  explicit Profiled(const Plan& plan)
      : graphs(plan.facts.expected("graphsProfiled") != 0),
        adapters(plan.facts.expected("adaptersProfiled") != 0),
        context(counts_context(plan)) {}
  [[nodiscard]] bool takes(Budget budget) const {
    return budget == Budget::Profiled || (budget == Budget::Graphs && graphs) ||
           (budget == Budget::Adapters && adapters) || (budget == Budget::Context && context);
  }
};

/// By how much more the capture before the pool takes than that after it.
Spread first_capture(const StageFigures& stage, const Plan& plan) {
  return terms::graphs_are_captured(stage.situation) ? plan.facts.value("graphsOfFirstCapture")
                                                     : Spread{};
}

Range graphs_counted(const StageFigures& stage, const Plan& plan) {
  const auto graphs = std::ranges::find(kVllmTerms, Budget::Graphs, &EngineTerm::budget);
  const auto index = static_cast<std::size_t>(graphs - kVllmTerms.begin());
  return independent_sum(std::array{stage.terms[index], to_range(first_capture(stage, plan))});
}

Taken taken_on(const StageFigures& stage, const Plan& plan) {
  const Profiled profiled(plan);
  const bool is_either = terms::may_sample_in_two_ways(plan);
  IndependentSum used;
  IndependentSum beside;
  Range peaks;
  for (std::size_t i = 0; i < kVllmTerms.size(); ++i) {
    const Budget budget = kVllmTerms.at(i).budget;
    if (budget == Budget::Pool) continue;
    if (is_either && kVllmTerms.at(i).row.part == Part::Activation) {
      peaks = stage.terms[i];
      continue;
    }
    (profiled.takes(budget) ? used : beside).add(stage.terms[i]);
  }
  if (profiled.graphs) used.add(to_range(first_capture(stage, plan)));
  const Range rest = used.range();
  return {.used = {.low = rest.low + peaks.low,
                   .expected = rest.expected + peaks.expected,
                   .high = rest.high + peaks.high},
          .beside = beside.range()};
}

Bytes asked_of(Bytes total, double utilization) {
  return Bytes(
      static_cast<std::int64_t>(std::ceil(static_cast<double>(total.count()) * utilization)));
}

Bytes not_negative(Bytes bytes) { return std::max(bytes, Bytes(0)); }

/// What lies between pools of starts and what the terms leave of the GPU, though every setting is
/// known: contexts of other processes, first starts, kernels that are loaded late.
Range unexplained(const Plan& plan, const domain::VisibleMemory& gpu) {
  const auto total = static_cast<double>(gpu.bytes.expected.count());
  return to_range(plan.facts.value("poolSpread") * total);
}

/// What a vGPU's manager keeps of the frame buffer looks to the guest as if it were taken.
Bytes kept_counted(const Plan& plan, const domain::VisibleMemory& gpu) {
  if (!counts_context(plan) || gpu.profile.empty() || !gpu.takeable_bytes) return Bytes(0);
  return not_negative(gpu.bytes.expected - *gpu.takeable_bytes);
}

Range pool_of(const Range& used, const Plan& plan, const domain::VisibleMemory& gpu) {
  if (plan.given_pool) return domain::exactly(*plan.given_pool);
  const Range requested{.low = asked_of(gpu.bytes.low, plan.utilization),
                        .expected = asked_of(gpu.bytes.expected, plan.utilization),
                        .high = asked_of(gpu.bytes.high, plan.utilization)};
  // The total and what is used of it err independently.
  const Range taken{.low = Bytes(0) - used.high,
                    .expected = Bytes(0) - used.expected,
                    .high = Bytes(0) - used.low};
  const Range kept = domain::exactly(Bytes(0) - kept_counted(plan, gpu));
  const Range pool = independent_sum(std::array{requested, taken, unexplained(plan, gpu), kept});
  return {.low = not_negative(pool.low),
          .expected = not_negative(pool.expected),
          .high = not_negative(pool.high)};
}

/// What the engine's share leaves of the GPU: its share of the total, or what it counts and a pool
/// of given size.
Range left_beside(const Range& used, const Plan& plan, const domain::VisibleMemory& gpu) {
  // What the manager keeps is within the share where it is counted.
  const Bytes kept = kept_counted(plan, gpu);
  const auto left = [&](Bytes total, Bytes counted, Bytes free) {
    return free + kept -
           (plan.given_pool ? counted + *plan.given_pool : asked_of(total, plan.utilization));
  };
  // Where a part of the total can never be taken (a vGPU guest), a larger total asks for more and
  // finds no more.
  const bool is_bounded = gpu.takeable_bytes.has_value();
  const Range& total = gpu.bytes;
  return {
      .low = left(is_bounded ? total.high : total.low, used.high,
                  gpu.takeable_bytes.value_or(total.low)),
      .expected = left(total.expected, used.expected, gpu.takeable_bytes.value_or(total.expected)),
      .high = left(is_bounded ? total.low : total.high, used.low,
                   gpu.takeable_bytes.value_or(total.high))};
}

/// Why the engine would refuse to start.
void note_start(const domain::Capacity& capacity, const PoolCount& count, const Plan& plan,
                std::vector<std::string>& notes) {
  if (capacity.kv_pool_bytes.expected == Bytes(0)) {
    notes.push_back(fmt::format(
        "nothing is left for the KV cache: the engine would refuse to start with utilization {}",
        plan.utilization));
  } else if (count.blocks > 0 && count.requests < 1) {
    notes.push_back(fmt::format(
        "the pool holds {} tokens, less than one request of {}: the engine would refuse to start",
        count.tokens, plan.longest_request));
  }
}

/// What the engine does not count has no room beside its share: it runs out of memory, at the
/// latest when it captures its graphs.
void note_beside(const domain::Capacity& capacity, std::vector<std::string>& notes) {
  const Range& needed = capacity.beside_share->needed_bytes;
  const Bytes left = capacity.beside_share->left_bytes.expected;
  if (left < Bytes(0) || needed.expected <= left) return;
  notes.push_back(fmt::format(
      "{:.2f} GiB are left beside what the engine plans with, and the CUDA context and "
      "what else it does not count take {:.2f} ({:.2f} to {:.2f}): lower the utilization "
      "or the pool",
      left.gib(), needed.expected.gib(), needed.low.gib(), needed.high.gib()));
}

/// vLLM compares its share of the total with what is free (v1/worker/utils.py, request_memory).
void note_free(const domain::Capacity& capacity, const Plan& plan, const domain::VisibleMemory& gpu,
               std::vector<std::string>& notes) {
  if (!gpu.takeable_bytes || plan.given_pool) return;
  const Bytes asked = asked_of(gpu.bytes.expected, plan.utilization);
  if (asked <= *gpu.takeable_bytes) return;
  notes.push_back(fmt::format(
      "utilization {} asks for {:.1f} GiB, and {:.1f} of the {:.1f} can be taken{}: the engine "
      "would refuse to start; at most {:.2f}",
      plan.utilization, asked.gib(), gpu.takeable_bytes->gib(),
      capacity.visible_bytes.expected.gib(),
      gpu.profile.empty() ? ", for the operating system shares the memory" : "",
      std::floor(100 * gpu.takeable_bytes->gib() / gpu.bytes.expected.gib()) / 100));
}

/// How the pool comes about, for whoever reads it.
void explain_pool(const StageFigures& stage, const Plan& plan, domain::Capacity& capacity) {
  if (plan.given_pool) return;
  constexpr std::size_t kUsualLength = 160;
  std::string& formula = capacity.kv_pool_formula;
  formula.reserve(kUsualLength);
  formula = "ceil(utilization x visible)";
  const Profiled profiled(plan);
  for (const EngineTerm& term : kVllmTerms) {
    const bool is_taken = term.budget != Budget::Pool && profiled.takes(term.budget) &&
                          term.row.applies(stage.situation);
    if (is_taken) formula.append(" - ").append(term.row.name);
  }
  if (const Spread more = first_capture(stage, plan); profiled.graphs && more.expected > 0) {
    fmt::format_to(std::back_inserter(formula),
                   " - {:.2f} GiB that graphs take more before the pool is sized",
                   to_range(more).expected.gib());
  }
  if (capacity.kept_counted > Bytes(0)) {
    fmt::format_to(std::back_inserter(formula), " - {:.2f} GiB that the vGPU's manager keeps",
                   capacity.kept_counted.gib());
  }
  const Spread spread = plan.facts.value("poolSpread");
  if (spread.low == spread.high) return;
  fmt::format_to(std::back_inserter(formula), " + ({} to {}) x visible", spread.low, spread.high);
  capacity.kv_pool_source = plan.facts.source("poolSpread");
}

}  // namespace

std::span<const EngineTerm> vllm_terms() { return kVllmTerms; }

domain::Capacity vllm_capacity(const Plan& plan, std::span<const StageFigures> stages,
                               const domain::VisibleMemory& gpu, std::vector<std::string>* notes) {
  domain::Capacity capacity = begin_capacity(plan, gpu);
  capacity.kept_counted = kept_counted(plan, gpu);
  if (plan.facts.expected("graphsProfiled") != 0)
    capacity.graphs_counted = graphs_counted(stages.front(), plan);
  Fits fits;
  std::int64_t blocks = 0;  // of the stage with fewest, which decides for all
  const CacheLayout* counted = nullptr;
  for (const StageFigures& stage : stages) {
    const Taken taken = taken_on(stage, plan);
    const Range pool = pool_of(taken.used, plan, gpu);
    const Range demand = pool_demand(stage.situation);
    const Range left = left_beside(taken.used, plan, gpu);
    fits.also(pool.expected >= demand.expected && taken.beside.expected <= left.expected,
              pool.low >= demand.high && taken.beside.high <= left.low);
    take_tighter({.needed_bytes = taken.beside, .left_bytes = left}, capacity);
    const bool is_first = &stage == stages.data();
    if (is_first || pool.expected < capacity.kv_pool_bytes.expected) capacity.kv_pool_bytes = pool;
    const CacheLayout& cache = stage.situation.cache;
    if (cache.block_bytes == Bytes(0)) continue;  // the stage has no layer with a cache
    const std::int64_t held = pool.expected / cache.block_bytes;
    blocks = counted == nullptr ? held : std::min(blocks, held);
    if (counted == nullptr) counted = &cache;
  }
  PoolCount count;
  if (counted != nullptr) {
    capacity.counts_requests = plan.facts.expected("poolTokensFromRequests") != 0;
    count = count_pool(*counted, blocks, plan.longest_request, capacity.counts_requests);
  }
  capacity.kv_pool_tokens = count.tokens;
  capacity.max_concurrency_at_context = count.requests;
  conclude(fits, plan, capacity, nullptr);  // its own words follow
  if (notes != nullptr) {
    explain_pool(stages.front(), plan, capacity);
    note_start(capacity, count, plan, *notes);
    note_free(capacity, plan, gpu, *notes);
    note_beside(capacity, *notes);
  }
  return capacity;
}

}  // namespace gpushape::estimate::engines
