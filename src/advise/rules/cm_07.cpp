// CM-07: spikes before the first token. M2, The practical takeaway; M3, KV cache memory and session
// concurrency.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_07(const Facts& facts, const Thresholds& thresholds) {
  if (!facts.is_mixture_of_experts && !facts.is_durable) return std::nullopt;
  if (facts.evidence == domain::Evidence::E2) return std::nullopt;
  return Verdict{
      .says = fmt::format("{} with evidence {}: its spikes leave no margin in a shared device; "
                          "review in {} ({})",
                          facts.is_mixture_of_experts ? "a mixture of experts" : "durable sessions",
                          name_of(facts.evidence),
                          counted(static_cast<std::int64_t>(thresholds.review_days.value), "day"),
                          to_text(thresholds.review_days)),
      .model = domain::ConsumptionModel::Full};
}

}  // namespace gpushape::advise::rules_of
