// CM-04: passthrough is asked for and a clause of CM-03 fails. P2, Passthrough and exclusivity, 3.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_04(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!has_hypervisor(facts.platform) || !passthrough_is_asked(facts)) return std::nullopt;
  const std::string obstacle = passthrough_obstacle(facts);
  if (obstacle.empty()) return std::nullopt;
  return Verdict{
      .says = fmt::format("passthrough is asked for, but {}; a full vGPU profile changes "
                          "with a reboot",
                          obstacle),
      .model = domain::ConsumptionModel::Full};
}

}  // namespace gpushape::advise::rules_of
