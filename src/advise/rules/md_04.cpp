// MD-04: peer traffic needs whole frame buffers. P11, Discovery, Dynamic partitioning; NVIDIA,
// Peer-To-Peer CUDA Transfers.
#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_04(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed == 1 || !has_hypervisor(facts.platform)) return std::nullopt;
  return Verdict{.says =
                     "several devices exchange data: MIG and fractions have no NVLink, a full "
                     "frame buffer has",
                 .mode = FractionMode::TimeSliced};
}

}  // namespace gpushape::advise::rules_of
