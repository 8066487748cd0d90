// What a calibration says beside its terms: what is asked for because the log does not state it,
// and what the log itself makes worth knowing.
#pragma once

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "domain/calibration.hpp"

namespace gpushape::calibrate {

void ask(const EngineLog& log, const Surroundings& surroundings, domain::Calibration& calibration);

void note_log(const EngineLog& log, domain::Calibration& calibration);

}  // namespace gpushape::calibrate
