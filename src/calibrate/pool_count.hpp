// The pool as a log tells it beside its size: how many tokens it holds.
#pragma once

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "domain/calibration.hpp"
#include "domain/engine.hpp"
#include "domain/workload.hpp"

namespace gpushape::calibrate {

/// Some versions print how many tokens the pool holds, or blocks, and not its size: that is
/// reckoned from them then.
void tell_pool(EngineStart& start, const Surroundings& surroundings,
               const domain::Workload& workload, domain::Calibration& calibration);

/// The printed count beside the counts for the printed pool, and what explains that it is none of
/// them.
void compare_count(const EngineLog& log, const Surroundings& surroundings,
                   const domain::Workload& workload, domain::EngineVersion version,
                   domain::Calibration& calibration);

}  // namespace gpushape::calibrate
