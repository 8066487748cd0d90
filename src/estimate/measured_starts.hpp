// What a measured start must have in common with a plan before one of its terms says anything of
// it: one row a setting, with the terms that it decides.
#pragma once

#include <string>
#include <string_view>

#include "domain/measurement.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

/// A start that was measured, beside the one that is asked for.
struct StartPair {
  const domain::Measurement& then;
  const Request& request;
  const ResolvedPlan& now;
};

/// Why nothing of the start is used ("it is of tensor parallel 2, not 1"); empty where a term may
/// be.
std::string why_other_start(const StartPair& pair);
/// Why the term is not used ("its max num seqs is 16, not 1024"); empty where it is.
std::string why_other_term(std::string_view term, const StartPair& pair);

/// Whether the engine's printed weights hold the slots for adapters and a draft model: of vLLM from
/// 0.8 on.
bool weights_hold_slots(const domain::EngineVersion& version);

}  // namespace gpushape::estimate
