// A model and an engine as a start was told to run them, beside what a workload says.
#pragma once

#include <optional>

#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// The model with the context and the types of states that it ran with, without towers that were
/// left out: what ran is not above what it takes.
domain::Model as_started(domain::Model model, const EngineStart& start);
/// The engine with the shares and kernels that this start was given instead of its defaults.
domain::Engine as_started(domain::Engine engine, const EngineStart& start);

/// The engine as it is on AMD's GPUs, where the start was on one of which nothing else is known.
domain::Engine on_vendor(domain::Engine engine, const EngineStart& start,
                         const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
