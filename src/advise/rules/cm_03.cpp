// CM-03: certainty in exchange for adaptability. P2, Passthrough and exclusivity, 3, 4 and 6.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_03(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!has_hypervisor(facts.platform) || !passthrough_obstacle(facts).empty()) return std::nullopt;
  return Verdict{.says =
                     "an appliance whose need is predictable, that seldom changes and never "
                     "migrates: passthrough trades adaptability for certainty",
                 .model = domain::ConsumptionModel::Passthrough};
}

}  // namespace gpushape::advise::rules_of
