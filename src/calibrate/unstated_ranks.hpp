// How many GPUs share a model whose record does not say it: told by the weights that one of them
// printed.
#pragma once

#include <cstdint>
#include <optional>

#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// The tensor parallel degree whose weights come nearest to the printed ones. Nothing where none
/// are printed, or where they are nobody's share: the record leaves open more than the count.
std::optional<std::int64_t> ranks_of_weights(const EngineStart& start, const domain::Model& model,
                                             const domain::Engine& engine,
                                             domain::EngineVersion version,
                                             const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
