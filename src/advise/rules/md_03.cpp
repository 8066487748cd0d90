// MD-03: many, odd sizes, or bursts. P8; Fractional and Full GPUs.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_03(const Facts& facts, const Thresholds& thresholds) {
  if (!facts.has_time_sliced) return std::nullopt;
  const auto time_sliced = [](std::string says) {
    return Verdict{.says = std::move(says), .mode = FractionMode::TimeSliced};
  };
  if (facts.mig_instances > 0 && facts.replicas > facts.mig_instances) {
    return time_sliced(fmt::format("{} replicas, and MIG stops at {} instances to a device",
                                   facts.replicas, facts.mig_instances));
  }
  if (facts.time_sliced_bytes && facts.mig_bytes &&
      static_cast<double>(facts.mig_bytes->count()) >
          static_cast<double>(facts.time_sliced_bytes->count()) * thresholds.size_mismatch.value) {
    return time_sliced(fmt::format("no MIG instance matches the size: {} where {} would do ({})",
                                   size_text(*facts.mig_bytes), size_text(*facts.time_sliced_bytes),
                                   to_text(thresholds.size_mismatch)));
  }
  if (facts.role == domain::Role::Notebook || facts.role == domain::Role::Ci) {
    return time_sliced(fmt::format(
        "role {} comes in bursts: {} has the whole device while the others are idle",
        name_of(facts.role), has_hypervisor(facts.platform) ? "a time-sliced VM" : "a share"));
  }
  return std::nullopt;
}

}  // namespace gpushape::advise::rules_of
