// Which settings that a record does not state would explain a count of tokens that its stated
// settings do not.
#pragma once

#include <optional>
#include <string>

#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// "a cache of fp8 with 3 drafted tokens would hold them, …", GPUs of another kind where none is
/// given, a smaller pool of a rank that is not stated, or a build of somebody's own; empty where
/// nothing of the kind is left open, or none of it explains the count.
std::string cause_of_tokens(const EngineStart& start, const domain::Model& model,
                            const domain::Engine& engine, domain::EngineVersion version,
                            const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
