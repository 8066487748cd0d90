// How many GPUs share a model whose record does not say it.
#pragma once

#include <cstdint>
#include <optional>

#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

struct UnstatedRanks {
  std::int64_t tensor_parallel = 1;
  bool is_default = false;  ///< nothing printed tells it: the engine's default is taken
};

/// The tensor parallel degree whose weights come nearest to the printed ones; where none are
/// printed, the only degree that makes of the printed pool the printed tokens; where nothing tells
/// it, the one GPU that engines take by default, if the record does not speak of several. Nothing
/// where it does, or where printed weights are nobody's share: the record leaves open more than the
/// count.
std::optional<UnstatedRanks> unstated_ranks(const EngineStart& start, const domain::Model& model,
                                            const domain::Engine& engine,
                                            domain::EngineVersion version,
                                            const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
