// LC-01: vGPU carries vMotion, suspend and snapshot. P2, Full GPUs, 5; Fractional and Full GPUs.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> lc_01(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.needs_live_migration) return std::nullopt;
  return Verdict{.says =
                     has_hypervisor(facts.platform)
                         ? "live migration is needed: a vGPU profile carries it, passthrough "
                           "does not"
                         : "live migration is needed, and without a vGPU nothing migrates live"};
}

}  // namespace gpushape::advise::rules_of
