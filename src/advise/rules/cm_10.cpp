// CM-10: small and fixed: a fraction even before any evidence. P2, Fractional GPUs are not a
// compromise, 1; P4, What AI workloads actually ask, 3.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_10(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (!has_small_footprint(facts.role) || !facts.ceiling_bytes) return std::nullopt;
  if (*facts.ceiling_bytes > facts.largest_fraction_bytes) return std::nullopt;
  return Verdict{
      .says = fmt::format("role {} with a ceiling of {}, within {} of {}: a small fixed "
                          "footprint needs no device of its own",
                          name_of(facts.role), size_text(*facts.ceiling_bytes),
                          size_text(facts.largest_fraction_bytes), facts.largest_fraction),
      .model = domain::ConsumptionModel::Fractional};
}

}  // namespace gpushape::advise::rules_of
