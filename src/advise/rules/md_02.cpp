// MD-02: a strict target on a busy device. NVIDIA, Choosing a vGPU Mode for Inference; Fractional
// and Full GPUs.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_02(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.latency_slo != domain::LatencySlo::Strict) return std::nullopt;
  if (!has_hypervisor(facts.platform)) {
    return Verdict{.says =
                       "the latency target is strict: only a hardware instance has cores that "
                       "another's kernels cannot keep busy",
                   .mode = FractionMode::Mig};
  }
  return Verdict{.says =
                     "the latency target is strict: time-sliced tenants are served in turn, and "
                     "eight of them may wait 14 ms",
                 .mode = FractionMode::Mig};
}

}  // namespace gpushape::advise::rules_of
