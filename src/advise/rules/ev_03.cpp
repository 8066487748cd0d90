// EV-03: allocated is not used. The GPU Utilization Problem; P2, Full GPUs as a necessity, 3.
#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> ev_03(const Facts& facts, const Thresholds& thresholds) {
  if (!facts.peak_bytes || !facts.compute_share || !facts.usage_days) return std::nullopt;
  const double part = static_cast<double>(facts.peak_bytes->count()) /
                      static_cast<double>(std::max<std::int64_t>(1, facts.device_bytes.count()));
  const bool is_idle = part < thresholds.idle_memory.value &&
                       *facts.compute_share < thresholds.idle_compute.value &&
                       *facts.usage_days >= thresholds.idle_days.value;
  if (!is_idle) return std::nullopt;
  return Verdict{
      .says = fmt::format("for {} at most {} of {} was used, and {} of its compute ({}, {}, {}): a "
                          "fraction does",
                          days_text(*facts.usage_days), size_text(*facts.peak_bytes),
                          size_text(facts.device_bytes), percent_text(*facts.compute_share),
                          to_text(thresholds.idle_memory), to_text(thresholds.idle_compute),
                          to_text(thresholds.idle_days))};
}

}  // namespace gpushape::advise::rules_of
