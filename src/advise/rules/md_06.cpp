// MD-06: the first workload fixes the mode. P3, Allocation Shapes Device Topology, 1-2; P4, Same
// Size.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_06(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.fraction_mode) return std::nullopt;
  if (facts.is_software_share) {
    return Verdict{.says =
                       "the device must be empty, or shared in the same way already; who takes it "
                       "whole finds no place beside it"};
  }
  return Verdict{.says = *facts.fraction_mode == FractionMode::Mig
                             ? "the device must be empty, or in MIG mode with these slices free"
                             : "the device must be empty, or hold this size already (same-size "
                               "mode), or have a start for it free (mixed-size mode)"};
}

}  // namespace gpushape::advise::rules_of
