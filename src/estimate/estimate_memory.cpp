#include "estimate/estimate_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "estimate/engines.hpp"
#include "estimate/evidence.hpp"
#include "estimate/host_memory.hpp"
#include "estimate/plan.hpp"
#include "estimate/prepared.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

using domain::Estimate;

std::vector<domain::Term> describe(const PreparedEstimate& prepared, const EngineRow& engine) {
  const StageFigures& figures = prepared.largest();
  const TakenEvidence& evidence = prepared.evidence();
  std::vector<domain::Term> terms;
  const std::span<const EngineTerm> rows = engine.terms();
  terms.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].row.applies(figures.situation)) continue;
    domain::Term term;
    term.name = rows[i].row.name;
    term.part = rows[i].row.part;
    term.bytes = figures.terms[i];
    if (evidence.holds(term.name)) continue;
    if (evidence.find(term.name) != nullptr) {
      term.formula = "measured";
      term.inputs = {{"measured", term.bytes.expected.count()}};
      term.source = evidence.source(term.name);
    } else {
      rows[i].row.describe(figures.situation, term);
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

std::optional<domain::AllGpus> sum_over_gpus(const PreparedEstimate& prepared) {
  const Plan& plan = prepared.resolved().plan;
  const std::int64_t of_stage = plan.parallelism.tensor * plan.parallelism.data;
  domain::AllGpus all;
  all.gpus = of_stage * plan.parallelism.pipeline;
  if (all.gpus < 2) return std::nullopt;
  Bytes held;
  Bytes once;  // what one instance needs
  const auto add = [&](const StageFigures& figures) {
    const LoadedWeights& loaded = figures.situation.weights;
    // What ZeRO deals out stands on all of its GPUs once.
    const auto sharers = static_cast<std::int64_t>(plan.training.sharers(3));
    all.weights += loaded.allocated * of_stage / sharers;
    held += (loaded.tensors + loaded.rotary) * of_stage / sharers;
    once += loaded.once;
    all.total += figures.total.expected * of_stage;
    if (plan.parallelism.pipeline == 1) return;
    all.stages.push_back({.layers = figures.situation.stage.layers,
                          .weights = loaded.allocated / sharers,
                          .total = figures.total.expected});
  };
  if (prepared.stages().size() == plan.stages.size()) {
    for (const StageFigures& figures : prepared.stages()) add(figures);
  } else {
    for (const Stage& stage : plan.stages) add(prepared.figures_of(stage));
  }
  if (plan.offload) once = Bytes(plan.needs->weights);
  all.copies = std::max(Bytes(0), held - once);
  return all;
}

/// What was asked for and has no term with this engine.
void note_left_out(const domain::Workload& workload, const domain::Engine& engine,
                   const TakenEvidence& evidence, Estimate& estimate) {
  const auto is_missing = [&](domain::Part part, std::string_view term) {
    return part_bytes(estimate, part).high == Bytes(0) && !evidence.holds(term);
  };
  if (workload.adapters && !domain::is_training(estimate) &&
      is_missing(domain::Part::Adapters, "adapters")) {
    estimate.notes.push_back(
        fmt::format("adapters are not counted: there are no facts of them for {}", engine.name));
  }
  if (workload.contract.cpu_offload_bytes.value > Bytes(0) && !domain::is_training(estimate) &&
      estimate.host_bytes == Bytes(0)) {
    estimate.notes.push_back(fmt::format(
        "weights in host memory are not counted: there are no facts of them for {}", engine.name));
  }
  if (workload.engine.draft_model && is_missing(domain::Part::Draft, "draft")) {
    estimate.notes.push_back(fmt::format(
        "the draft model is not counted: there are no facts of it for {}", engine.name));
  }
}

/// A start that compiles needs more than a later one; which it is is assumed where nobody says.
void note_first_start(const domain::Workload& workload, Estimate& estimate) {
  if (workload.engine.compiles) return;
  const bool rests_on_it = std::ranges::any_of(estimate.terms, [](const domain::Term& term) {
    return std::ranges::any_of(term.inputs,
                               [](const auto& input) { return input.name == "tokenTables"; });
  });
  if (rests_on_it)
    estimate.notes.emplace_back(
        "a first start is assumed, which compiles its graphs and holds copies of the tables that "
        "tokens are looked up in; the low bounds are those of a start with a warm compile cache");
}

void note_traffic(const domain::Workload& workload, const Plan& plan,
                  std::vector<std::string>& notes) {
  if (workload.in_flight) std::ranges::copy(workload.in_flight->notes, std::back_inserter(notes));
  const auto& common = workload.traffic.common_prefix_tokens;
  if (common && common->value > 0 && plan.common_prefix_tokens == 0)
    notes.emplace_back("without prefix caching every sequence keeps the common prefix for itself");
}

/// Of the stage where the sequences take most; how often the pool would not do is that of the one
/// where it happens most.
std::optional<domain::CacheDemand> traffic_of(const PreparedEstimate& prepared,
                                              const std::optional<domain::Capacity>& capacity) {
  std::optional<domain::CacheDemand> largest;
  std::optional<double> shortage;
  std::optional<double> shortage_at_low;
  for (const StageFigures& stage : prepared.stages()) {
    if (!stage.situation.traffic) continue;
    domain::CacheDemand here =
        describe_traffic(prepared.resolved().plan, stage,
                         capacity ? std::optional(capacity->kv_pool_bytes) : std::nullopt);
    shortage = std::max(shortage, here.shortage);
    shortage_at_low = std::max(shortage_at_low, here.shortage_at_low);
    if (!largest || here.level_bytes > largest->level_bytes) largest = std::move(here);
  }
  if (!largest) return largest;
  largest->shortage = shortage;
  largest->shortage_at_low = shortage_at_low;
  return largest;
}

/// What was stated of it, as far as it took part.
void state_traffic(const domain::Traffic& traffic, domain::CacheDemand& demand) {
  const bool is_joint = demand.service_level < 1;
  if (is_joint) demand.stated_level = traffic.service_level;
  const bool counts_seconds = (demand.replay && demand.replay->token_seconds > 0) ||
                              (traffic.request_rate && !traffic.request_seconds);
  if (counts_seconds) demand.stated_token_seconds = traffic.token_seconds;
  if (demand.common_prefix_tokens > 0) demand.stated_prefix_tokens = traffic.common_prefix_tokens;
}

Result<const EngineRow*> find_engine(const domain::Engine& engine) {
  if (const EngineRow* row = engine_row(engine.name)) return row;
  std::vector<std::string> names;
  for (const EngineRow& row : engine_rows()) names.emplace_back(row.name);
  return failure(
      fmt::format("engine '{}' is not modelled", engine.name),
      suggestion(engine.name, names, fmt::format("engines that are: {}", fmt::join(names, ", "))));
}

/// Engines that are parallel by data have a part of the requests each.
void note_shared_requests(const Plan& plan, Estimate& estimate) {
  if (!estimate.concurrency || plan.parallelism.data <= 1 || estimate.training) return;
  estimate.concurrency_of_rank = plan.concurrency;
  estimate.notes.push_back(fmt::format(
      "{} in flight are shared by {} engines that are parallel by data: {} on each",
      estimate.concurrency->value, plan.parallelism.data, plan.concurrency.value_or(0)));
}

}  // namespace

Result<Estimate> estimate_memory(const domain::Model& model, const domain::Workload& workload,
                                 const domain::Engine& engine,
                                 const std::optional<domain::VisibleMemory>& gpu) {
  const Request request{
      .model = &model, .workload = &workload, .engine = &engine, .gpu = gpu ? &*gpu : nullptr};
  const Result<const EngineRow*> row = find_engine(engine);
  if (!row) return failure(row.error());
  if (Diagnostics complaints = complaints_about(request); !complaints.empty())
    return failure(std::move(complaints));
  Result<PreparedEstimate> prepared = PreparedEstimate::make(request, **row);
  if (!prepared) return failure(std::move(prepared.error()));
  ResolvedPlan& resolved = prepared->resolved();

  Estimate estimate;
  estimate.model_id = model.id;
  estimate.model_source = model.origin;
  estimate.model_base = model.base.value_or("");
  estimate.model_asked_as = model.asked_as;
  estimate.parameters = model.parameters;
  estimate.quantization = std::move(resolved.quantization);
  estimate.has_open_recipe = resolved.plan.weights.is_recipe_open;
  estimate.kv_cache_type = std::move(resolved.kv_cache_type);
  estimate.context_tokens = workload.context_tokens;
  estimate.concurrency = workload.concurrency;
  estimate.training = resolved.training;
  estimate.adapters = workload.adapters;
  if (resolved.training && !workload.context_tokens) {
    estimate.context_tokens =
        domain::defaulted(resolved.plan.training.sequence, "the usual length of instruction data");
  }
  estimate.engine = workload.engine.engine;
  estimate.settings = std::move(resolved.settings);
  estimate.parallelism = resolved.plan.parallelism;
  // A catalog entry's notes are about its published figures; those of a file are about what it does
  // not say.
  if (model.origin != "catalog") estimate.notes = model.notes;
  note_shared_requests(resolved.plan, estimate);
  std::ranges::move(resolved.notes, std::back_inserter(estimate.notes));
  std::ranges::copy(prepared->evidence().notes(), std::back_inserter(estimate.notes));
  estimate.terms = describe(*prepared, **row);
  estimate.counts_context = counts_context(resolved.plan);
  estimate.host_terms = host_terms(workload, resolved.plan, prepared->stages());
  for (const domain::Term& term : estimate.host_terms) estimate.host_bytes += term.bytes.expected;
  note_left_out(workload, engine, prepared->evidence(), estimate);
  note_first_start(workload, estimate);
  estimate.total_bytes = prepared->largest().total;
  estimate.kv_bytes_per_token = prepared->kv_bytes_per_token();
  note_traffic(workload, resolved.plan, estimate.notes);
  estimate.all_gpus = sum_over_gpus(*prepared);
  if (gpu) {
    estimate.capacity = prepared->capacity(&estimate.notes);
    estimate.capacity->gpu = gpu->device;
    estimate.capacity->profile = gpu->profile;
  }
  estimate.traffic = traffic_of(*prepared, estimate.capacity);
  if (estimate.traffic) state_traffic(workload.traffic, *estimate.traffic);
  return estimate;
}

}  // namespace gpushape::estimate
