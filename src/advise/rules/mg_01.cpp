// MG-01: group sizes that leave no GPU over. P11, Partition Boundaries.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_01(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed <= 1) return std::nullopt;
  if (facts.nodes > 1) {
    return Verdict{.says = fmt::format(
                       "{} GPUs over {} hosts: no host holds the need, {} on each; layers are "
                       "shared by {} GPUs of a host, and the hosts hold stages one after another",
                       facts.gpus_needed, facts.nodes, size_text(facts.need_of_each_bytes),
                       facts.tensor)};
  }
  if (facts.data == 1 && facts.tensor > 1 && facts.tensor < facts.gpus_needed) {
    return Verdict{
        .says = fmt::format(
            "{} GPUs: the smallest of 2, 4 and 8 that holds the need, {} on each, in "
            "{} stages of {}{}",
            facts.gpus_needed, size_text(facts.need_of_each_bytes),
            facts.gpus_needed / facts.tensor, facts.tensor,
            facts.attention_heads % facts.gpus_needed != 0
                ? fmt::format(": {} attention heads divide by no more", facts.attention_heads)
                : std::string())};
  }
  if (facts.data > 1) {
    return Verdict{
        .says = fmt::format("{} GPUs: the smallest of 2, 4 and 8 that holds the need, {} on each, "
                            "with sequences of its own on {} of {}",
                            facts.gpus_needed, size_text(facts.need_of_each_bytes),
                            counted(facts.data, "rank"), counted(facts.tensor, "GPU"))};
  }
  const bool shares_all = facts.tensor == 0 || facts.tensor == facts.gpus_needed;
  if (facts.attention_heads > 0 && shares_all) {
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
