// MG-01: group sizes that leave no GPU over. P11, Partition Boundaries.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_01(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed <= 1) return std::nullopt;
  if (facts.attention_heads > 0) {
    return Verdict{.says = fmt::format("{} GPUs: the smallest of 2, 4 and 8 that holds the need, "
                                       "{} on each, and divides {} attention heads",
                                       facts.gpus_needed, size_text(facts.need_of_each_bytes),
                                       facts.attention_heads)};
  }
  return Verdict{.says = fmt::format("{} GPUs: the smallest of 2, 4 and 8 that holds the need, {} "
                                     "on each",
                                     facts.gpus_needed, size_text(facts.need_of_each_bytes))};
}

}  // namespace gpushape::advise::rules_of
