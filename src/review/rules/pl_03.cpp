// PL-03: a placement that takes the last slot of a profile closes the door to the next request of
// it. consumption-rules, RV-11: report how many slots of every size remain, not only whether it
// fits.
#include <fmt/format.h>

#include "review/placements.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

void pl_03(const Deployment& deployment, Report& report) {
  const Placements& placements = deployment.placements();
  for (const PlacedContract& row : placements.contracts) {
    std::vector<std::string> lost;
    for (const domain::PlacementDecision& decision : row.decisions) {
      if (!decision.is_placed()) continue;
      for (const domain::ShapeSlots& slots : decision.slots) {
        if (slots.before > 0 && slots.after == 0) lost.push_back(slots.shape);
      }
    }
    if (lost.empty()) continue;
    report.add_at(deployment, row.asked.place,
                  {.message = fmt::format("{} takes the last slots on {} of: {}", row.asked.object,
                                          placements.cluster, fmt::join(lost, ", "))});
  }
}

}  // namespace gpushape::review::rules_of
