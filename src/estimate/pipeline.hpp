// How an engine cuts a model's layers into pipeline stages.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/model.hpp"

namespace gpushape::estimate {

/// One pipeline stage: a stretch of layers, and what stands beside them on its GPUs.
struct Stage {
  std::int64_t index = 0;
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  bool has_embedding = false;  ///< the first stage; with tied embeddings the last one, too
  bool has_head = false;       ///< the last stage: final norm, head and sampler

  bool operator==(const Stage&) const = default;
};

/// Where the layers go that do not divide evenly.
enum class Remainder {
  Last,       ///< the last stage takes them
  NextToLast  ///< one each to the stages before the last, from the back
};

/// 1 <= stages <= layers.
std::vector<Stage> cut_into_stages(std::int64_t layers, std::int64_t stages, Remainder remainder);

/// Calls visit(run's layer, number of its layers on the stage), in the order of the network.
template <class Visit>
void each_run(const domain::Model& model, const Stage& stage, Visit visit) {
  std::int64_t start = 0;
  const std::int64_t stage_end = stage.first_layer + stage.layers;
  for (const domain::LayerRun& run : model.layers) {
    const std::int64_t end = start + run.count;
    const std::int64_t first = start > stage.first_layer ? start : stage.first_layer;
    const std::int64_t last = end < stage_end ? end : stage_end;
    if (first < last) visit(run.layer, last - first);
    start = end;
  }
}

inline std::int64_t layer_count(const domain::Model& model) {
  std::int64_t count = 0;
  for (const domain::LayerRun& run : model.layers) count += run.count;
  return count;
}

}  // namespace gpushape::estimate
