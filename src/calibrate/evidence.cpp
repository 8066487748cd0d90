#include "calibrate/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "calibrate/obstacles.hpp"
#include "calibrate/prediction.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

using domain::Measurement;

// Rows of causes.cpp. What samples, how graphs are counted and whether they were compiled is the
// engine's own; these are not, or say that the start was another than the log tells.
constexpr auto kAgainst = std::to_array<std::string_view>({
    "another-tenant",
    "shared-memory",
    "windows",
    "batch-defaults",
    "encoder-inputs",
    "captured-sizes",
    "another-format",
    "adapters",
    "drafts",
});

struct Figure {
  std::string_view term;
  std::optional<double> EngineStart::*gib;
};
constexpr auto kFigures = std::to_array<Figure>({
    {"weights", &EngineStart::weights_gib},
    {"activation", &EngineStart::activation_gib},
    {"nonTorch", &EngineStart::non_torch_gib},
    {"graphs", &EngineStart::graphs_gib},
});

/// How many batches are captured, and the largest, as the term of graphs was counted.
std::vector<domain::Input> captured(const domain::Estimate& estimate) {
  std::vector<domain::Input> values;
  const auto term = std::ranges::find(estimate.terms, "graphs", &domain::Term::name);
  if (term == estimate.terms.end()) return values;
  for (const domain::Input& input : term->inputs) {
    if (input.name == "captures" || input.name == "largestBatch") values.push_back(input);
  }
  return values;
}

/// Other batches than the engine takes by itself, of which later starts' graphs are.
bool captures_otherwise(const Surroundings& surroundings, const domain::Workload& workload,
                        const domain::Estimate& estimate) {
  if (!workload.engine.graph_batches) return false;
  domain::Workload usual = workload;
  usual.engine.graph_batches.reset();
  const Result<domain::Estimate> other =
      estimate::estimate_memory(surroundings.model, usual, surroundings.engine, surroundings.gpu);
  return !other || captured(*other) != captured(estimate);
}

/// Why the figure is none of one GPU, or of another model; empty where it is.
std::string why_no_figure(std::string_view term, const EngineLog& log) {
  if (log.start.has_other_sizes) return std::string(kOtherSizes);
  if (term != "weights") return {};
  if (plans_buffers(log.start.engine) && log.ranks.size() > 1)
    return "the buffers of several GPUs are printed together";
  return {};
}

std::string withheld(std::string_view term, const domain::Calibration& calibration) {
  const auto row = std::ranges::find(calibration.terms, term, &domain::CalibratedTerm::name);
  return row == calibration.terms.end() ? std::string() : row->withheld;
}

void take_terms(const EngineLog& log, const domain::Calibration& calibration, bool has_own_batches,
                Measurement& measurement) {
  for (const Figure& figure : kFigures) {
    const std::optional<double>& gib = log.start.*(figure.gib);
    if (!gib || *gib <= 0) continue;
    std::string reason = why_no_figure(figure.term, log);
    if (reason.empty()) reason = withheld(figure.term, calibration);
    if (reason.empty() && has_own_batches && figure.term == "graphs")
      reason = "its batches (cudagraph_capture_sizes) are not those that the engine chooses";
    if (reason.empty()) {
      measurement.terms.push_back({std::string(figure.term), printed(*gib)});
      continue;
    }
    measurement.notes.push_back(
        fmt::format("{}, {:.2f} GiB, is left out: {}", figure.term, *gib, reason));
  }
}

void take_place(const Surroundings& surroundings, Measurement& measurement) {
  if (!surroundings.gpu) return;
  measurement.gpu = surroundings.gpu->device;
  if (surroundings.gpu->is_mig) measurement.mig_profile = surroundings.gpu->profile;
}

/// A draft that is configured and not known is named all the same: no other start has it.
void take_drafts(const EngineLog& log, Measurement& measurement) {
  const EngineStart& start = log.start;
  measurement.draft_tokens = start.draft_tokens.value_or(0);
  if (start.draft_model) {
    measurement.draft_model =
        start.draft_model->model ? start.draft_model->model->id : start.draft_model->name.value;
  } else if (has_unknown_drafts(log)) {
    measurement.draft_model = "not named in the log";
  }
}

void take_inputs(const EngineStart& start, const domain::Model& model,
                 const domain::Workload& workload, Measurement& measurement) {
  const bool is_for_text_alone = workload.images && workload.images->value == 0;
  measurement.takes_images = !is_for_text_alone && !start.takes_no_images;
  measurement.takes_videos = !is_for_text_alone && !(start.takes_no_videos && takes_videos(model));
  measurement.keeps_towers_whole = start.keeps_towers_whole;
}

void take_settings(const EngineLog& log, const domain::Workload& workload,
                   const domain::Estimate& estimate, Measurement& measurement) {
  const EngineStart& start = log.start;
  measurement.max_num_seqs = estimate.settings.max_num_seqs.value;
  measurement.max_num_batched_tokens = estimate.settings.max_num_batched_tokens.value;
  measurement.context_tokens = start.context_tokens.value_or(0);
  measurement.kv_cache_type = estimate.kv_cache_type.value;
  measurement.enforce_eager = start.enforce_eager;
  if (workload.adapters)
    measurement.adapters = {.count = workload.adapters->count.value,
                            .rank = workload.adapters->rank.value};
  if (start.offload_gib) measurement.offloaded_bytes = gib_of(*start.offload_gib);
  measurement.has_tables_on_host = start.has_tables_elsewhere;
  measurement.gpu_layers = start.gpu_layers;
  measurement.is_first_generation = start.is_first_generation;
  measurement.has_second_runner = start.has_second_runner;
}

}  // namespace

bool speaks_against(std::string_view cause) {
  return std::ranges::find(kAgainst, cause) != kAgainst.end();
}

Measurement evidence_of(const EngineLog& log, const Surroundings& surroundings,
                        const domain::Workload& workload, const domain::Estimate& estimate,
                        const domain::Calibration& calibration) {
  Measurement measurement;
  measurement.model = surroundings.model.id;
  measurement.quantization = estimate.quantization.value;
  measurement.engine = log.start.engine;
  measurement.version = estimate.settings.version.value;
  measurement.tensor = estimate.parallelism.tensor;
  measurement.pipeline = estimate.parallelism.pipeline;
  measurement.data = estimate.parallelism.data;
  measurement.expert = estimate.parallelism.expert;
  measurement.context_parallel = estimate.parallelism.context;
  measurement.source = log.start.source;
  take_place(surroundings, measurement);
  take_settings(log, workload, estimate, measurement);
  take_drafts(log, measurement);
  take_inputs(log.start, surroundings.model, workload, measurement);
  take_terms(log, calibration, captures_otherwise(surroundings, workload, estimate), measurement);
  return measurement;
}

}  // namespace gpushape::calibrate
