// RV-16: safety does not rest on quotas and admission policies alone. A policy is as good as its
// last change; what tenants do not share cannot leak (vCluster, How to Evaluate GPU Infrastructure:
// Policy-Heavy Safety Models).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

void rv_16(const Deployment& deployment, Report& report) {
  using domain::SafetyBasis;
  each_platform(
      deployment, report, "safetyRestsOn",
      [](const domain::PlatformFacts& facts) {
        const auto has = [&facts](SafetyBasis basis) {
          return std::ranges::find(facts.safety_rests_on, basis) != facts.safety_rests_on.end();
        };
        return !has(SafetyBasis::Architecture) &&
               (has(SafetyBasis::Quotas) || has(SafetyBasis::Admission));
      },
      [](const domain::PlatformFacts& facts) {
        std::string bases;
        for (const SafetyBasis basis : facts.safety_rests_on) {
          bases += (bases.empty() ? "" : ", ") + std::string(name_of(basis));
        }
        return Remark{.message = fmt::format("what parts {} is {}, and no boundary of the "
                                             "architecture",
                                             teams_text(facts), bases)};
      });
}

}  // namespace gpushape::review::rules_of
