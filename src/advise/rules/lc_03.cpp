// LC-03: a restart needs room elsewhere. P3, From Resource Declaration, 2; P11, Cluster and Host
// Placement.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> lc_03(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.needs_ha) return std::nullopt;
  return Verdict{.says =
                     "high availability needs one more matching device, group or slot on another "
                     "host: name the cluster to have it checked"};
}

}  // namespace gpushape::advise::rules_of
