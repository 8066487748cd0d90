// EV-01: telemetry of production lets go of a whole device. P2, Full GPUs as a necessity, 4.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> ev_01(const Facts& facts, const Thresholds& thresholds) {
  const bool is_known = facts.evidence == domain::Evidence::E2 && facts.measured_days &&
                        facts.is_predictable && facts.need_bytes;
  if (!is_known || *facts.need_bytes > facts.largest_fraction_bytes) return std::nullopt;
  return Verdict{.says = fmt::format(
                     "{} of telemetry ({}): with a spread of {:.3g} and a need of {}, what held a "
                     "whole device may share one",
                     days_text(*facts.measured_days), to_text(thresholds.evidence_days),
                     facts.spread.value_or(1), size_text(*facts.need_bytes))};
}

}  // namespace gpushape::advise::rules_of
