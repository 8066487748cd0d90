// What a start of vLLM was told that no release of it takes: then the engine is somebody's own,
// whatever its version says. Source: catalog/engines/arguments/vllm.yaml.
#pragma once

#include <string>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate {

/// The first of the start's arguments that no release up to its own takes. Empty where all are
/// known, and where the release is newer than the list of what releases take, or not known.
std::string own_argument(const EngineStart& start);

}  // namespace gpushape::calibrate
