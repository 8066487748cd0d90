#include "calibrate/unstated_ranks.hpp"

#include <array>
#include <cmath>

#include "calibrate/prediction.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

constexpr std::array<std::int64_t, 4> kUsualDegrees = {1, 2, 4, 8};
/// Ours: neighbouring degrees differ by nearly 2, so that what is off by more than a fifth is as
/// likely another format of the weights as another count of GPUs.
constexpr double kMostRatio = 1.2;

}  // namespace

std::optional<std::int64_t> ranks_of_weights(const EngineStart& start, const domain::Model& model,
                                             const domain::Engine& engine,
                                             domain::EngineVersion version,
                                             const std::optional<domain::VisibleMemory>& gpu) {
  if (!start.weights_gib || *start.weights_gib <= 0) return std::nullopt;
  std::optional<std::int64_t> nearest;
  double least = std::log(kMostRatio);
  for (const std::int64_t degree : kUsualDegrees) {
    EngineStart shared = start;
    shared.tensor_parallel = degree;
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

}  // namespace gpushape::calibrate
