// PL-02: what is to restart by itself finds another host. An exact answer of the placement core;
// consumption-rules, LC-03: report whether one more matching device, group or slot exists on
// another host.
#include <fmt/format.h>

#include <algorithm>

#include "review/placements.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

void pl_02(const Deployment& deployment, Report& report) {
  const bool is_expected =
      std::ranges::any_of(deployment.platforms, [](const StatedPlatform& platform) {
        return platform.facts.expects_restart.value_or(false);
      });
  for (const PlacedContract& row : deployment.placements().contracts) {
    if (row.hosts_without_spare.empty()) continue;
    const bool needs_ha = row.asked.contract->needs_ha || is_expected;
    report.add_at(
        deployment, row.asked.place,
        {.message = fmt::format("{} does not survive the failure of {}: what runs there finds no "
                                "place on the other hosts",
                                row.asked.object, fmt::join(row.hosts_without_spare, ", ")),
         .severity = needs_ha ? std::optional(domain::Severity::Warning) : std::nullopt});
  }
}

}  // namespace gpushape::review::rules_of
