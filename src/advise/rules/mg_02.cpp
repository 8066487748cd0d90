// MG-02: topology is part of the contract. P2, When a workload spans GPUs, 1; P11, Device Groups.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_02(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed <= 1 || facts.gpus_needed > facts.link_domain_size) return std::nullopt;
  return Verdict{.says = fmt::format("{} GPUs lie inside one link domain of {} ({}){}",
                                     facts.gpus_needed, facts.link_domain_size, facts.interconnect,
                                     facts.group.empty() ? "" : ": device group " + facts.group)};
}

}  // namespace gpushape::advise::rules_of
