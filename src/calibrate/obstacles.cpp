#include "calibrate/obstacles.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/nearest_release.hpp"

namespace gpushape::calibrate {
namespace {

/// Words in a record's notes, or in what it calls its GPU, that speak of memory which no term
/// covers.
struct Obstacle {
  std::string_view word;
  std::string_view reason;
  Affects affects;
};
constexpr std::string_view kOffloaded = "offloaded";
constexpr std::string_view kIntelKernels = "vLLM's kernels for GPUs of Intel are not modelled";
constexpr std::string_view kUnknownDraft = "the draft model is not named";
constexpr std::string_view kSleeps = "sleep mode allocates past the caching allocator";
constexpr auto kObstacles = std::to_array<Obstacle>({
    {"Ascend", "NPUs are not modelled", Affects::Everything},
    {"Intel Arc", kIntelKernels, Affects::Everything},
    {"Intel XPU", kIntelKernels, Affects::Everything},
    // Its log has limit_mm_per_prompt 0, for which the tower is not loaded; the record does not say
    // so.
    {"custom cu118", "a build of somebody's own, whose towers may be left out",
     Affects::Everything},
    {"speculative decoding configured; log", "the draft model's settings are not stated",
     Affects::Pool},
    {"drafter loaded too", kUnknownDraft, Affects::Everything},
    {"DFlash drafter", kUnknownDraft, Affects::Everything},
    {"Eagle3 draft", kUnknownDraft, Affects::Everything},
    {"'dflash'", kUnknownDraft, Affects::Everything},
    {"\"dflash\"", kUnknownDraft, Affects::Everything},
    {kOffloaded, "weights are partly in host memory", Affects::Everything},
    {"partial offload", "weights are partly in host memory", Affects::Everything},
    {"offload: ", "weights are partly in host memory", Affects::Everything},
    {"CPU offload", "weights are partly in host memory", Affects::Pool},
    {"experts on CPU", "weights are partly in host memory", Affects::Everything},
    {"sleep mode", kSleeps, Affects::Pool},
    {"trainer", "a trainer's own settings of the engine are not stated", Affects::Pool},
    {"prefill-only", "a prefill-only worker", Affects::Pool},
    {"decode-only", "a decode-only worker", Affects::Pool},
    {"development build", "a development build, whose accounting no release has", Affects::Pool},
    {"custom build", kOwnBuild, Affects::Pool},
    {"custom image", kOwnBuild, Affects::Pool},
    {" fork", kOwnBuild, Affects::Pool},
    {"old behaviour: printed size", "the printed size leaves out the indexer's cache",
     Affects::Pool},
    {"Ray, one GPU on each", "the GPUs stand on two nodes", Affects::Pool},
});

}  // namespace

std::string_view obstacle_of(const EngineStart& start, Affects affects) {
  const bool knows_draft = start.draft_model && start.draft_model->model;
  const auto row = std::ranges::find_if(kObstacles, [&](const Obstacle& obstacle) {
    if (knows_draft && obstacle.reason == kUnknownDraft) return false;
    const bool is_table = start.has_tables_elsewhere.value_or(false) && obstacle.word == kOffloaded;
    const bool is_said = start.notes.contains(obstacle.word) || start.gpu.contains(obstacle.word);
    return obstacle.affects == affects && !is_table && is_said;
  });
  return row == kObstacles.end() ? std::string_view() : row->reason;
}

std::string why_unlike_releases(const EngineStart& start) {
  if (std::ranges::find(start.arguments, "enable_sleep_mode") != start.arguments.end())
    return std::string(kSleeps);
  if (const std::string_view reason = obstacle_of(start, Affects::Pool); !reason.empty())
    return std::string(reason);
  return std::string(own_build(start.engine_version).empty() ? std::string_view() : kOwnBuild);
}

bool holds_another_model(const EngineStart& start, const domain::Range& weights,
                         const domain::Estimate& estimate) {
  if (!start.weights_gib || start.pool_gib.value_or(0) <= 0 || !start.pool_tokens) return false;
  if (start.pipeline_parallel > 1) return false;
  // Of 1,362 published starts one is farther off in both.
  constexpr double kFar = 0.15;
  const double least = (1 - kFar) * weights.low.gib();
  const double most = (1 + kFar) * weights.high.gib();
  const bool has_other_weights = *start.weights_gib < least || *start.weights_gib > most;
  const double kept_gib =
      static_cast<double>(*start.pool_tokens) * estimate.kv_bytes_per_token.gib();
  return has_other_weights && std::abs(kept_gib / *start.pool_gib - 1) > kFar;
}

}  // namespace gpushape::calibrate
