// What was measured, in place of what was declared: telemetry of the engine's cache becomes what
// the sequences in flight hold, telemetry of the device a demand and its compute share.
// consumption-rules.md, section 3, EV-01 to EV-05.
#pragma once

#include "advise/advise.hpp"
#include "advise/facts.hpp"
#include "advise/measured_share.hpp"
#include "base/result.hpp"

namespace gpushape::advise {

/// The request with what was measured in it; unchanged without any telemetry.
Result<AdviceRequest> with_evidence(const AdviceRequest& request);

/// The facts that EV rules look at.
void take_evidence(const AdviceRequest& request, const MeasuredShare& share, Facts& facts);

}  // namespace gpushape::advise
