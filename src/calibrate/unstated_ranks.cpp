#include "calibrate/unstated_ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "calibrate/prediction.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

constexpr std::array<std::int64_t, 4> kUsualDegrees = {1, 2, 4, 8};
/// Ours: neighbouring degrees differ by nearly 2, so that what is off by more than a fifth is as
/// likely another format of the weights as another count of GPUs.
constexpr double kMostRatio = 1.2;

EngineStart shared_by(const EngineStart& start, std::int64_t degree) {
  EngineStart shared = start;
  shared.tensor_parallel = degree;
  return shared;
}

std::optional<std::int64_t> ranks_of_weights(const EngineStart& start, const domain::Model& model,
                                             const domain::Engine& engine,
                                             domain::EngineVersion version,
                                             const std::optional<domain::VisibleMemory>& gpu) {
  std::optional<std::int64_t> nearest;
  double least = std::log(kMostRatio);
  for (const std::int64_t degree : kUsualDegrees) {
    const EngineStart shared = shared_by(start, degree);
    const Result<domain::Estimate> estimate =
        estimate::estimate_memory(model, workload_of(shared, model, version), engine, gpu);
    if (!estimate) continue;
    const double distance =
        std::abs(std::log(loaded_bytes(*estimate).expected.gib() / *start.weights_gib));
    if (distance >= least) continue;
    least = distance;
    nearest = degree;
  }
  return nearest;
}

/// Nothing where several degrees have the same cache, as those of latents have.
std::optional<std::int64_t> ranks_of_cache(const EngineStart& start, const domain::Model& model,
                                           const domain::Engine& engine,
                                           domain::EngineVersion version,
                                           const std::optional<domain::VisibleMemory>& gpu) {
  std::optional<std::int64_t> only;
  for (const std::int64_t degree : kUsualDegrees) {
    const EngineStart shared = shared_by(start, degree);
    const std::optional<TokenCheck> check =
        check_tokens(shared, model, workload_of(shared, model, version), engine, gpu);
    if (!check || !check->holds()) continue;
    if (only) return std::nullopt;
    only = degree;
  }
  return only;
}

/// "2x RTX 5090", "RTX 3090 + RTX 3060", a word on ranks, workers or nodes, or a count.
bool speaks_of_several(const EngineStart& start) {
  if (start.gpus.value_or(1) > 1 || start.pipeline_parallel > 1 || start.data_parallel > 1)
    return true;
  constexpr auto kWords =
      std::to_array<std::string_view>({"TP", "tp=", "tensor", "PP", "DCP", "rank", "worker",
                                       "Worker", "node", "Ray", "GPU count", "GPUs"});
  constexpr auto kSigns = std::to_array<std::string_view>({"x ", "×", "+", " x", "(2", "(4", "(8"});
  const auto holds_any = [](std::string_view text, const auto& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
  };
  return holds_any(start.gpu, kSigns) || holds_any(start.notes, kWords);
}

bool fits_one(const EngineStart& start, const domain::Model& model, const domain::Engine& engine,
              domain::EngineVersion version, const std::optional<domain::VisibleMemory>& gpu) {
  const Result<domain::Estimate> estimate = estimate::estimate_memory(
      model, workload_of(shared_by(start, 1), model, version), engine, gpu);
  return estimate && (!gpu || loaded_bytes(*estimate).low <= gpu->bytes.high);
}

}  // namespace

std::optional<UnstatedRanks> unstated_ranks(const EngineStart& start, const domain::Model& model,
                                            const domain::Engine& engine,
                                            domain::EngineVersion version,
                                            const std::optional<domain::VisibleMemory>& gpu) {
  const bool has_weights = start.weights_gib && *start.weights_gib > 0;
  const auto printed = has_weights ? ranks_of_weights(start, model, engine, version, gpu)
                                   : ranks_of_cache(start, model, engine, version, gpu);
  if (printed) return UnstatedRanks{.tensor_parallel = *printed};
  if (has_weights || speaks_of_several(start)) return std::nullopt;
  if (!fits_one(start, model, engine, version, gpu)) return std::nullopt;
  return UnstatedRanks{.tensor_parallel = 1, .is_default = true};
}

}  // namespace gpushape::calibrate
