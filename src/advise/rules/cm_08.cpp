// CM-08: the dynamic part closes the gap. P2, Full GPUs as a necessity, 2.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_08(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!facts.need_bytes || *facts.need_bytes <= facts.largest_fraction_bytes) return std::nullopt;
  // CM-05 says already that there is no fraction, where the static part is known.
  const bool is_said = facts.static_bytes && *facts.static_bytes > facts.largest_fraction_bytes;
  if (facts.largest_fraction.empty() && is_said) return std::nullopt;
  return Verdict{
      .says =
          facts.largest_fraction.empty()
              ? facts.why_no_fraction
              : fmt::format("the need of {} exceeds {} of {}, the largest fraction of {}",
                            size_text(*facts.need_bytes), size_text(facts.largest_fraction_bytes),
                            facts.largest_fraction, facts.device),
      .model = domain::ConsumptionModel::Full};
}

}  // namespace gpushape::advise::rules_of
