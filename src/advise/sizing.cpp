#include "advise/sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "advise/words.hpp"
#include "estimate/engine_choices.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::advise {

using domain::Estimate;
using domain::Fact;
using domain::Origin;
using domain::Part;
using domain::VisibleMemory;
using domain::Workload;

namespace {

constexpr Bytes kLargeDevice = gib(70);  // vLLM arg_utils.py, get_batch_defaults

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
Bytes divided_up(Bytes a, std::int64_t b) { return Bytes(divided_up(a.count(), b)); }

template <class T>
Fact<T> chosen(T value, std::string_view why) {
  return {.value = std::move(value), .origin = Origin::Computed, .from = std::string(why)};
}

Bytes with_guard(Bytes static_bytes, Bytes dynamic_bytes, const Threshold& guard) {
  return static_bytes + dynamic_bytes +
         Bytes(static_cast<std::int64_t>(
             std::ceil(static_cast<double>(dynamic_bytes.count()) * guard.value)));
}

/// The workload of one copy, with the settings that no memory decides.
Workload laid_out(const Workload& workload, const Layout& layout) {
  Workload one = workload;
  one.engine.tensor = chosen(layout.parallelism.tensor, "the layout");
  one.engine.pipeline = chosen(layout.parallelism.pipeline, "the layout");
  one.engine.data = chosen(layout.parallelism.data, "the layout");
  if (layout.parallelism.expert > 1)
    one.engine.expert = chosen(layout.parallelism.expert, "the layout");
  if (one.concurrency) one.concurrency->value = *concurrency_of(workload, layout);
  if (one.concurrency && !one.engine.max_num_seqs) {
    one.engine.max_num_seqs =
        chosen(*concurrency_of_rank(workload, layout), "the sequences in flight");
  }
  return one;
}

Result<Estimate> estimated(const AdviceRequest& request, const Workload& workload,
                           const std::optional<VisibleMemory>& memory) {
  return estimate::estimate_memory(*request.model, workload, *request.engine, memory);
}

/// One batch size, with the utilization that goes with it.
Result<Estimate> estimated_with_batch(const AdviceRequest& request, Workload workload,
                                      std::int64_t batch_tokens,
                                      const std::optional<VisibleMemory>& memory) {
  if (!workload.engine.max_num_batched_tokens && batch_tokens > 0) {
    const std::int64_t sequences =
        workload.engine.max_num_seqs ? workload.engine.max_num_seqs->value : 0;
    workload.engine.max_num_batched_tokens =
        chosen(std::max(batch_tokens, sequences), "the usual batch of a server on such a GPU");
  }
  Result<Estimate> first = estimated(request, workload, memory);
  const bool is_open = !workload.engine.gpu_memory_utilization &&
                       !workload.engine.kv_cache_memory_bytes && memory.has_value();
  if (!first || !is_open) return first;
  const Threshold& highest = request.thresholds.highest_utilization;
  const std::optional<double> share = estimate::safe_share(*first, *memory, highest.value);
  if (!share) return first;
  workload.engine.gpu_memory_utilization = chosen(
      *share, *share >= highest.value ? to_text(highest)
                                      : fmt::format("the most that leaves room for {}",
                                                    estimate::beside_share(request.engine->name)));
  return estimated(request, workload, memory);
}

Result<Estimate> estimated_with_settings(const AdviceRequest& request, const Layout& layout,
                                         const std::optional<VisibleMemory>& memory) {
  const Workload workload = laid_out(request.workload, layout);
  const std::span<const std::int64_t> steps = estimate::usual_steps(request.engine->name);
  if (steps.empty()) return estimated_with_batch(request, workload, 0, memory);
  if (memory && memory->bytes.expected >= kLargeDevice) {
    Result<Estimate> large = estimated_with_batch(request, workload, steps.front(), memory);
    if (!large || (large->capacity && large->capacity->fits)) return large;
  }
  return estimated_with_batch(request, workload, steps.back(), memory);
}

/// Embedders and rerankers hold no cache between calls: their largest batch is a ceiling.
bool holds_no_cache(domain::Role role) {
  return role == domain::Role::Embed || role == domain::Role::Rerank;
}

Need need_of(const Estimate& estimate, const Facts& declared, const Thresholds& thresholds) {
  const auto expected = [&](Part part) { return domain::part_bytes(estimate, part).expected; };
  Need need;
  need.weights_bytes = expected(Part::Weights);
  for (const Part part : domain::kResidentParts) need.static_bytes += expected(part);
  need.static_bytes +=
      expected(Part::Graphs) + expected(Part::Context) + expected(Part::Communication);
  const bool has_load =
      (estimate.context_tokens && estimate.concurrency) || domain::is_training(estimate);
  if (has_load) {
    need.dynamic_bytes =
        expected(Part::KvCache) + expected(Part::State) + expected(Part::Activation);
    need.dynamic_is_ceiling = !estimate.traffic || estimate.traffic->service_level == 1;
    need.need_bytes =
        with_guard(need.static_bytes, *need.dynamic_bytes, guard_of(declared, thresholds));
    if (holds_no_cache(declared.role)) need.ceiling_bytes = need.need_bytes;
  }
  need.estimate = estimate;
  return need;
}

Need need_of(const domain::Demand& demand, const Facts& declared, const Layout& layout,
             const Thresholds& thresholds) {
  Need need;
  if (demand.static_bytes) {
    need.static_bytes = divided_up(*demand.static_bytes, layout.gpus);
    need.weights_bytes = need.static_bytes;
  }
  if (demand.dynamic_p99_bytes) {
    need.dynamic_bytes = divided_up(*demand.dynamic_p99_bytes, layout.gpus * layout.copies);
    need.need_bytes =
        with_guard(need.static_bytes, *need.dynamic_bytes, guard_of(declared, thresholds));
  }
  if (demand.ceiling_bytes) {
    need.ceiling_bytes = divided_up(*demand.ceiling_bytes, layout.gpus);
    need.need_bytes = need.ceiling_bytes;
  } else if (holds_no_cache(declared.role)) {
    need.ceiling_bytes = need.need_bytes;
  }
  return need;
}

}  // namespace

bool has_demand(const Workload& workload) {
  return workload.demand && (workload.demand->static_bytes || workload.demand->ceiling_bytes ||
                             workload.demand->dynamic_p99_bytes);
}

std::optional<std::int64_t> concurrency_of(const Workload& workload, const Layout& layout) {
  if (!workload.concurrency) return std::nullopt;
  return divided_up(workload.concurrency->value, layout.copies);
}

std::optional<std::int64_t> concurrency_of_rank(const Workload& workload, const Layout& layout) {
  const std::optional<std::int64_t> sequences = concurrency_of(workload, layout);
  const bool trains = workload.role && workload.role->value == domain::Role::FineTune;
  if (!sequences || trains) return sequences;
  return divided_up(*sequences, layout.parallelism.data);
}

Result<Need> size_workload(const AdviceRequest& request, const Facts& declared,
                           const Layout& layout, const std::optional<VisibleMemory>& memory) {
  const bool is_declared = has_demand(request.workload);
  if (is_declared && request.workload.demand->static_bytes) {
    return need_of(*request.workload.demand, declared, layout, request.thresholds);
  }
  if (request.model && request.engine) {
    Result<Estimate> estimate = estimated_with_settings(request, layout, memory);
    if (!estimate) return std::unexpected(estimate.error());
    Need need = need_of(*estimate, declared, request.thresholds);
    if (!is_declared) return need;
    // The weights are the model's, the traffic is as declared.
    domain::Demand demand = *request.workload.demand;
    demand.static_bytes = need.static_bytes * layout.gpus;
    Need declared_need = need_of(demand, declared, layout, request.thresholds);
    declared_need.weights_bytes = need.weights_bytes;
    declared_need.estimate = std::move(need.estimate);
    return declared_need;
  }
  if (is_declared) return need_of(*request.workload.demand, declared, layout, request.thresholds);
  return failure("the workload names neither a model nor a demand",
                 "name a model, or declare a demand with --memory-ceiling");
}

}  // namespace gpushape::advise
