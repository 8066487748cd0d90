// CM-01: no shape without a need. P2, GPU consumption follows request patterns, 1-2.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_01(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.load_is_known) {
    return Verdict{.says =
                       "the need cannot be computed before the load is known, and the biggest "
                       "size would be a guess about scarcity"};
  }
  if (facts.static_bytes) return std::nullopt;
  return Verdict{.says = "the need cannot be computed: neither a model nor a demand is known"};
}

}  // namespace gpushape::advise::rules_of
