// MG-06: a group takes whole devices. P4, MIG, last paragraph; NVIDIA, NVSwitch.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_06(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed <= 1) return std::nullopt;
  return Verdict{.says = fmt::format("its {} devices must be empty: none in MIG mode, none with "
                                     "fractions on it",
                                     facts.gpus_needed)};
}

}  // namespace gpushape::advise::rules_of
