// CM-06: a whole device while the behaviour is unknown. P2, Full GPUs as a necessity, 4.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_06(const Facts& facts, const Thresholds& thresholds) {
  if (facts.is_predictable) return std::nullopt;
  return Verdict{
      .says = fmt::format("not predictable: {}; a whole device absorbs that until a review in {} "
                          "({})",
                          facts.why_unpredictable,
                          counted(static_cast<std::int64_t>(thresholds.review_days.value), "day"),
                          to_text(thresholds.review_days)),
      .model = domain::ConsumptionModel::Full};
}

}  // namespace gpushape::advise::rules_of
