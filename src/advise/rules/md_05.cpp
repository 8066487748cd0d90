// MD-05: what the serving image supports. NVIDIA NIM for LLMs, support matrices of 1.12 and later.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_05(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.image_supports_mig) return std::nullopt;
  return Verdict{.says = "the serving image does not support MIG",
                 .mode = FractionMode::TimeSliced};
}

}  // namespace gpushape::advise::rules_of
