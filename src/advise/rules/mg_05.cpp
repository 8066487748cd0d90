// MG-05: more bins rather than a larger bin. M3, Designing for durable sessions.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_05(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.copies <= 1) return std::nullopt;
  return Verdict{
      .says = fmt::format("the demand is concurrency, not size: {} of {}, each with {} in "
                          "flight, carry the load",
                          counted(facts.copies, "replica"), counted(facts.gpus_of_a_copy, "GPU"),
                          counted(facts.sequences_in_one, "sequence"))};
}

}  // namespace gpushape::advise::rules_of
