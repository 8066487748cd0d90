// PL-01: what is asked for can be placed now. Ours: the placement core's own decision on the
// cluster of --cluster, or on one among the documents.
#include <fmt/format.h>

#include "review/placements.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

std::string refusals_of(const domain::PlacementDecision& decision) {
  std::string text;
  if (decision.attempts.empty()) return text;
  int shown = 0;
  for (const domain::RefusedHost& host : decision.attempts.back().refused) {
    if (++shown > 3)
      return text + fmt::format(" and {} more hosts", decision.attempts.back().refused.size() - 3);
    text += fmt::format("{}{}: {}, wanted {}, found {}", text.empty() ? "" : "; ", host.host,
                        name_of(host.refusal), host.wanted, host.found);
  }
  return text;
}

}  // namespace

void pl_01(const Deployment& deployment, Report& report) {
  const Placements& placements = deployment.placements();
  for (const PlacedContract& row : placements.contracts) {
    std::size_t missing = 0;
    const domain::PlacementDecision* failed = nullptr;
    for (const domain::PlacementDecision& decision : row.decisions) {
      if (decision.is_placed()) continue;
      ++missing;
      if (failed == nullptr || failed->attempts.empty()) failed = &decision;
    }
    if (failed == nullptr) continue;
    report.add_at(deployment, row.asked.place,
                  {.message = fmt::format("{} cannot be placed on {} now: {} of {} instances find "
                                          "no host ({})",
                                          row.asked.object, placements.cluster, missing,
                                          row.decisions.size(), refusals_of(*failed))});
  }
}

}  // namespace gpushape::review::rules_of
