// CM-09: a fraction once the behaviour is understood. P2, Fractional GPUs are not a compromise,
// 3-4.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_09(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.is_predictable || !facts.need_bytes) return std::nullopt;
  if (*facts.need_bytes > facts.largest_fraction_bytes) return std::nullopt;
  return Verdict{
      .says = fmt::format("predictable (evidence {}, spread {:.3g}), and the need of {} "
                          "is within {} of {}",
                          name_of(facts.evidence), facts.spread.value_or(1),
                          size_text(*facts.need_bytes), size_text(facts.largest_fraction_bytes),
                          facts.largest_fraction),
      .model = domain::ConsumptionModel::Fractional};
}

}  // namespace gpushape::advise::rules_of
