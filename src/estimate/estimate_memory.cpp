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
#include "estimate/plan.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

using domain::Estimate;
using domain::Range;

/// Stages between the first and the last differ in their number of layers only, so of those the one
/// with most layers stands for all.
std::vector<Stage> telling_stages(const std::vector<Stage>& stages) {
  if (stages.size() <= 2) return stages;
  const auto most =
      std::max_element(stages.begin() + 1, stages.end() - 1,
                       [](const Stage& a, const Stage& b) { return a.layers < b.layers; });
  return {stages.front(), *most, stages.back()};
}

/// A measured figure of buffers holds those of the collectives, too.
Range bytes_of(const TermRow& row, const Situation& situation, const TakenEvidence& evidence) {
  if (!row.applies(situation)) return {};
  if (const domain::MeasuredTerm* measured = evidence.find(row.name)) return measured->bytes;
  if (row.name == "collectives" && evidence.find("nonTorch") != nullptr) return {};
  return to_range(row.bytes(situation));
}

StageFigures figures_of(const Plan& plan, const Stage& stage, const EngineRow& engine,
                        const TakenEvidence& evidence) {
  StageFigures figures{.situation = situation_of(plan, stage), .terms = {}, .total = {}};
  for (const EngineTerm& term : engine.terms())
    figures.terms.push_back(bytes_of(term.row, figures.situation, evidence));
  figures.total = independent_sum(figures.terms);
  return figures;
}

std::vector<domain::Term> describe(const StageFigures& figures, const EngineRow& engine,
                                   const TakenEvidence& evidence) {
  std::vector<domain::Term> terms;
  const std::span<const EngineTerm> rows = engine.terms();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].row.applies(figures.situation)) continue;
    domain::Term term;
    term.name = rows[i].row.name;
    term.part = rows[i].row.part;
    term.bytes = figures.terms[i];
    const bool is_in_other = term.name == "collectives" && evidence.find("nonTorch") != nullptr;
    if (is_in_other) continue;
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

/// Bytes of the weights that one instance needs once.
Bytes single_weights(const Plan& plan) {
  WeightsLayout alone = plan.weights;
  alone.tensor_parallel = 1;
  alone.data_parallel = 1;
  alone.expert_parallel = 1;
  const std::int64_t layers = layer_count(*plan.model);
  const LoadedWeights loaded =
      load_weights(*plan.model, alone, cut_into_stages(layers, 1, Remainder::Last).front());
  return loaded.tensors + loaded.rotary;
}

/// `telling` are the stages whose figures are there already.
std::optional<domain::AllGpus> sum_over_gpus(const Plan& plan,
                                             const std::vector<StageFigures>& telling,
                                             const EngineRow& engine,
                                             const TakenEvidence& evidence) {
  const std::int64_t of_stage = plan.parallelism.tensor * plan.parallelism.data;
  domain::AllGpus all;
  all.gpus = of_stage * plan.parallelism.pipeline;
  if (all.gpus < 2) return std::nullopt;
  Bytes held;
  const auto add = [&](const StageFigures& figures) {
    const LoadedWeights& loaded = figures.situation.weights;
    all.weights += loaded.allocated * of_stage;
    held += (loaded.tensors + loaded.rotary) * of_stage;
    all.total += figures.total.expected * of_stage;
  };
  if (telling.size() == plan.stages.size()) {
    for (const StageFigures& figures : telling) add(figures);
  } else {
    for (const Stage& stage : plan.stages) add(figures_of(plan, stage, engine, evidence));
  }
  all.copies = std::max(Bytes(0), held - single_weights(plan));
  return all;
}

Result<const EngineRow*> find_engine(const domain::Engine& engine) {
  if (const EngineRow* row = engine_row(engine.name)) return row;
  std::vector<std::string> names;
  for (const EngineRow& row : engine_rows()) names.emplace_back(row.name);
  return failure(
      fmt::format("engine '{}' is not modelled", engine.name),
      suggestion(engine.name, names, fmt::format("engines that are: {}", fmt::join(names, ", "))));
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
  Result<ResolvedPlan> resolved = (*row)->plan(request);
  if (!resolved) return failure(std::move(resolved.error()));
  const Plan& plan = resolved->plan;

  const TakenEvidence evidence(request, *resolved);
  std::vector<StageFigures> stages;
  for (const Stage& stage : telling_stages(plan.stages))
    stages.push_back(figures_of(plan, stage, **row, evidence));
  // The GPU that an estimate speaks of is the one that needs most.
  const StageFigures& largest = *std::ranges::max_element(
      stages, {}, [](const StageFigures& stage) { return stage.total.expected; });

  Estimate estimate;
  estimate.model_id = model.id;
  estimate.model_source = model.origin;
  estimate.parameters = model.parameters;
  estimate.quantization = resolved->quantization;
  estimate.kv_cache_type = resolved->kv_cache_type;
  estimate.context_tokens = workload.context_tokens;
  estimate.concurrency = workload.concurrency;
  estimate.engine = workload.engine.engine;
  estimate.settings = std::move(resolved->settings);
  estimate.parallelism = plan.parallelism;
  // A catalog entry's notes are about its published figures; those of a file are about what it does
  // not say.
  if (model.origin != "catalog") estimate.notes = model.notes;
  std::ranges::move(resolved->notes, std::back_inserter(estimate.notes));
  std::ranges::copy(evidence.notes(), std::back_inserter(estimate.notes));
  estimate.terms = describe(largest, **row, evidence);
  estimate.total_bytes = largest.total;
  for (const StageFigures& stage : stages) {
    estimate.kv_bytes_per_token =
        std::max(estimate.kv_bytes_per_token, stage.situation.cache.bytes_per_token());
  }
  estimate.all_gpus = sum_over_gpus(plan, stages, **row, evidence);
  if (gpu) estimate.capacity = (*row)->capacity(plan, stages, *gpu, estimate.notes);
  return estimate;
}

}  // namespace gpushape::estimate
