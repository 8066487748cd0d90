// MD-06: the first workload fixes the mode. P3, Allocation Shapes Device Topology, 1-2; P4, Same
// Size.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_06(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.largest_fraction.empty()) return std::nullopt;
  return Verdict{.says =
                     "the device must be empty, or in this mode already (and in same-size mode "
                     "in this size)"};
}

}  // namespace gpushape::advise::rules_of
