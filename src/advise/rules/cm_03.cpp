// CM-03: certainty in exchange for adaptability. P2, Passthrough and exclusivity, 3, 4 and 6.
// A platform without virtual machines has the same by the whole device.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_03(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!has_hypervisor(facts.platform)) {
    // No passthrough here, and so none of what it costs when a shape changes or moves.
    if (!facts.is_appliance) return std::nullopt;
    return Verdict{.says =
                       "an appliance needs bare-metal device behaviour: on this platform the "
                       "whole device is that",
                   .model = domain::ConsumptionModel::Full};
  }
  if (!passthrough_obstacle(facts).empty()) return std::nullopt;
  return Verdict{.says =
                     "an appliance whose need is predictable, that seldom changes and never "
                     "migrates: passthrough trades adaptability for certainty",
                 .model = domain::ConsumptionModel::Passthrough};
}

}  // namespace gpushape::advise::rules_of
