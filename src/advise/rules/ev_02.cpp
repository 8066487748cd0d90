// EV-02: a share that was full grows; it cannot borrow. P2, Why GPU contention is different, 2; P3,
// GPU Mode, 3.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> ev_02(const Facts& facts, const Thresholds& thresholds) {
  const bool is_used_up = facts.pool_use && *facts.pool_use > thresholds.full_use.value &&
                          facts.measured_days.value_or(0) >= thresholds.full_use_days.value;
  if (facts.preemptions <= 0 && !is_used_up) return std::nullopt;
  std::string why;
  if (facts.preemptions > 0) why = counted(facts.preemptions, "preemption");
  if (is_used_up) {
    why += fmt::format("{}P99 of its use is {} ({})", why.empty() ? "" : ", and ",
                       percent_text(*facts.pool_use), to_text(thresholds.full_use));
  }
  const std::string pool =
      facts.pool_tokens > 0 ? fmt::format("the pool of {} tokens", facts.pool_tokens) : "the pool";
  return Verdict{.says = fmt::format("{} was full: {}; what it would have taken is not known, so "
                                     "only a larger one will do{}",
                                     pool, why,
                                     facts.measured_share_says.empty()
                                         ? std::string()
                                         : "; what it ran on: " + facts.measured_share_says)};
}

}  // namespace gpushape::advise::rules_of
