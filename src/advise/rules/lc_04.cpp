// LC-04: the pause of a live migration grows with the memory that moves. Enhanced vMotion for vGPU
// VMs in VCF 9.0.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> lc_04(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.pause_seconds || !facts.tolerated_pause_seconds) return std::nullopt;
  if (*facts.pause_seconds <= *facts.tolerated_pause_seconds) return std::nullopt;
  return Verdict{.says = fmt::format("a live migration is estimated to pause it for {:.1f} s over "
                                     "{:g} Gb/s, more than the {:g} s that are tolerated",
                                     *facts.pause_seconds, facts.link_gigabits_per_second,
                                     *facts.tolerated_pause_seconds)};
}

}  // namespace gpushape::advise::rules_of
