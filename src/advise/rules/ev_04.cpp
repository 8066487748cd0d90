// EV-04: what was measured under other settings is no evidence. P2, Passthrough and exclusivity, 4.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> ev_04(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.changed_setting.empty()) return std::nullopt;
  return Verdict{.says =
                     fmt::format("{}: the dynamic part is computed anew, and the evidence for it "
                                 "is E0",
                                 facts.changed_setting)};
}

}  // namespace gpushape::advise::rules_of
