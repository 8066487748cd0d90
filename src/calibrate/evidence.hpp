// What a start leaves as evidence for later estimates: its measured terms with all that they hang
// on, less those that are not the engine's own or not of the settings that are known.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "domain/calibration.hpp"
#include "domain/estimate.hpp"
#include "domain/measurement.hpp"
#include "domain/workload.hpp"

namespace gpushape::calibrate {

/// Whether a difference that the cause of this name explains says that the figure is none of the
/// engine as it was asked for: another process holds a part of it, or a setting was another one.
bool speaks_against(std::string_view cause);

/// `workload` and `estimate` are those of the start; terms of `calibration` that something speaks
/// against (CalibratedTerm::withheld) are left out, with a note.
domain::Measurement evidence_of(const EngineLog& log, const Surroundings& surroundings,
                                const domain::Workload& workload, const domain::Estimate& estimate,
                                const domain::Calibration& calibration);

}  // namespace gpushape::calibrate
