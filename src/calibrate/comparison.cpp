#include "calibrate/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "calibrate/prediction.hpp"
#include "domain/estimate.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

/// How the records name a GPU, and which device of the tables it is.
struct GpuLabel {
  std::string_view label;
  std::string_view device;
};
constexpr auto kGpuLabels = std::to_array<GpuLabel>({
    {"H100 80GB (SXM)", "h100-sxm-80"},
    {"H100-80GB", "h100-sxm-80"},
    {"H200", "h200-sxm-141"},
    {"A100-80GB", "a100-sxm4-80"},
    {"A100-40GB", "a100-sxm4-40"},
    {"L40S", "l40s"},
    {"L4", "l4"},
    {"T4", "t4"},
    {"A40", "a40"},
    {"A10", "a10"},
    {"A5000", "rtx-a5000"},
    {"A6000", "rtx-a6000"},
    {"V100-32GB", "v100-sxm2-32"},
});

/// Words in a record's notes that speak of memory which no term covers.
struct Obstacle {
  std::string_view word;
  std::string_view reason;
};
constexpr auto kObstacles = std::to_array<Obstacle>({
    {"LoRA", "adapter slots are not modelled"},
    {"speculative", "draft models are not modelled"},
    {"offload", "weights are partly in host memory"},
    {"sleep mode", "sleep mode allocates past the caching allocator"},
    {"pooling", "a pooling runner has no sampler"},
    {"embedding model", "a pooling runner has no sampler"},
    {"development build", "a development build"},
    {"decode", "a prefill-only or decode-only worker"},
});

std::string obstacle_of(const EngineStart& start) {
  for (const Obstacle& obstacle : kObstacles) {
    if (start.notes.contains(obstacle.word)) return std::string(obstacle.reason);
  }
  return {};
}

std::optional<domain::VisibleMemory> gpu_of(const EngineStart& start,
                                            const profiles::Profiles& profiles) {
  std::optional<domain::VisibleMemory> gpu;
  for (const GpuLabel& label : kGpuLabels) {
    if (label.label != start.gpu) continue;
    if (const Result<domain::Device> device = profiles.find(label.device))
      gpu = domain::visible_memory(*device, nullptr);
  }
  if (!start.gpu_total_gib) return gpu;
  if (!gpu) gpu.emplace();
  gpu->bytes = {.low = gib_of(*start.gpu_total_gib - kHalfOfLastDecimal),
                .expected = gib_of(*start.gpu_total_gib),
                .high = gib_of(*start.gpu_total_gib + kHalfOfLastDecimal)};
  gpu->source = start.source;
  return gpu;
}

std::optional<Figure> figure(const domain::Range& predicted, const std::optional<double>& gib) {
  if (!gib) return std::nullopt;
  return Figure{.predicted = predicted, .measured_gib = *gib};
}

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "no reason given" : diagnostics.front().message;
}

}  // namespace

double Figure::error() const {
  return measured_gib == 0 ? 0 : (predicted.expected.gib() - measured_gib) / measured_gib;
}

bool Figure::is_in_range() const {
  return predicted.low.gib() - kHalfOfLastDecimal <= measured_gib &&
         measured_gib <= predicted.high.gib() + kHalfOfLastDecimal;
}

Comparison compare(const EngineStart& start, const catalog::Catalog& catalog,
                   const profiles::Profiles& profiles) {
  Comparison comparison;
  comparison.start = start;
  const Result<domain::Engine> engine = catalog.engine(start.engine);
  if (!engine) {
    comparison.excluded = fmt::format("there are no facts of the engine {}", start.engine);
    return comparison;
  }
  const std::optional<domain::EngineVersion> version = release_of(start.engine_version);
  if (!version) {
    comparison.excluded = start.engine_version.empty()
                              ? "no engine version is stated"
                              : fmt::format("{} is no release", start.engine_version);
    return comparison;
  }
  const Result<domain::Model> model = catalog.find(start.model);
  if (!model) {
    comparison.excluded = first_message(model.error());
    return comparison;
  }
  if (const std::string obstacle = obstacle_of(start); !obstacle.empty()) {
    comparison.excluded = obstacle;
    return comparison;
  }
  const domain::Workload workload = workload_of(start, *model, *version);
  const std::optional<domain::VisibleMemory> gpu = gpu_of(start, profiles);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  if (!estimate) {
    comparison.excluded = first_message(estimate.error());
    return comparison;
  }
  comparison.weights = figure(term_bytes(*estimate, "weights"), start.weights_gib);
  if (gpu && start.pipeline_parallel == 1) {  // stages differ, and a record holds one of them
    comparison.activation = figure(term_bytes(*estimate, "activation"), start.activation_gib);
    comparison.non_torch = figure(non_torch_bytes(*estimate), start.non_torch_gib);
    comparison.graphs = figure(term_bytes(*estimate, "graphs"), start.graphs_gib);
  }
  if (!start.pool_gib) {
    comparison.without_pool = "prints no pool";
  } else if (!gpu) {
    comparison.without_pool = "neither GPU nor its total is stated";
  } else if (!start.is_complete) {
    comparison.without_pool = "the engine did not start";
  } else {
    comparison.pool = figure(estimate->capacity->kv_pool_bytes, start.pool_gib);
  }
  comparison.tokens = check_tokens(start, *model, workload, *engine, gpu);
  return comparison;
}

std::vector<EngineStart> distinct(std::span<const EngineStart> starts) {
  std::vector<EngineStart> result;
  for (const EngineStart& start : starts) {
    const bool is_known = std::ranges::any_of(result, [&](const EngineStart& other) {
      EngineStart same = start;  // equal but for what it printed and where it stands
      same.id = other.id;
      same.source = other.source;
      same.notes = other.notes;
      same.weights_gib = other.weights_gib;
      same.pool_gib = other.pool_gib;
      same.activation_gib = other.activation_gib;
      same.non_torch_gib = other.non_torch_gib;
      same.graphs_gib = other.graphs_gib;
      same.pool_tokens = other.pool_tokens;
      same.pool_blocks = other.pool_blocks;
      return same == other;
    });
    if (!is_known) result.push_back(start);
  }
  return result;
}

ErrorSummary summarize(std::span<const Comparison> comparisons, FigureOf figure) {
  ErrorSummary summary;
  std::vector<double> errors;
  for (const Comparison& comparison : comparisons) {
    const std::optional<Figure>& one = comparison.*figure;
    if (!one) continue;
    const double error = std::abs(one->error());
    errors.push_back(error);
    summary.in_range += one->is_in_range() ? 1 : 0;
    if (error >= summary.worst) {
      summary.worst = error;
      summary.worst_gib = std::abs(one->error_gib());
      summary.worst_id = comparison.start.id;
    }
  }
  summary.count = errors.size();
  if (errors.empty()) return summary;
  for (const double error : errors) summary.mean_absolute += error;
  summary.mean_absolute /= static_cast<double>(errors.size());
  std::ranges::sort(errors);
  const std::size_t middle = errors.size() / 2;
  summary.median =
      errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
  return summary;
}

}  // namespace gpushape::calibrate
