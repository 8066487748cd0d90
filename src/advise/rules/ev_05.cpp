// EV-05: the cache does not change with the weights. M1, Quantization impact.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> ev_05(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.changed_weights.empty()) return std::nullopt;
  return Verdict{.says = fmt::format("{}: the static part is computed anew, the measured dynamic "
                                     "part stays",
                                     facts.changed_weights)};
}

}  // namespace gpushape::advise::rules_of
