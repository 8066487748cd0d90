// LC-02: a restart needs more than one device. P3, From Static Device Binding, 2-5.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> lc_02(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.needs_ha || !has_hypervisor(facts.platform)) return std::nullopt;
  return Verdict{.says =
                     "high availability is needed: Dynamic DirectPath I/O with a hardware label; "
                     "a bound address restarts on one host alone"};
}

}  // namespace gpushape::advise::rules_of
