// CM-05: the static part alone decides. P2, Full GPUs as a necessity, 2.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_05(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.static_bytes || *facts.static_bytes <= facts.largest_fraction_bytes) {
    return std::nullopt;
  }
  if (facts.largest_fraction.empty()) {
    return Verdict{.says = facts.why_no_fraction, .model = domain::ConsumptionModel::Full};
  }
  return Verdict{
      .says = fmt::format("the static part of {} exceeds {} of {}, the largest fraction of {}",
                          size_text(*facts.static_bytes), size_text(facts.largest_fraction_bytes),
                          facts.largest_fraction, facts.device),
      .model = domain::ConsumptionModel::Full};
}

}  // namespace gpushape::advise::rules_of
