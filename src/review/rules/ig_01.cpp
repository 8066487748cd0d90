// IG-01: who answers a finding in the file says why. Ours: an answer without a reason cannot be
// looked at again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/edit_distance.hpp"
#include "review/ignores.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const RuleRow& row : rules()) ids.emplace_back(row.id);
  return ids;
}

}  // namespace

void ig_01(const Deployment& deployment, Report& report) {
  for (const Ignore& ignore : read_ignores(deployment.request->documents)) {
    const std::vector<std::string> ids = rule_ids();
    for (const std::string& rule : ignore.rules) {
      if (std::ranges::find(ids, rule) != ids.end()) continue;
      report.add(*ignore.document, ignore.position,
                 {.message = fmt::format("the comment ignores '{}', which is no rule", rule),
                  .fix = suggestion(rule, ids, "'gpushape rules' lists them")});
    }
    if (ignore.rules.empty()) {
      report.add(*ignore.document, ignore.position,
                 {.message = "the comment ignores no rule: it names none"});
    } else if (ignore.reason.empty()) {
      report.add(*ignore.document, ignore.position,
                 {.message = fmt::format("the comment ignores {} and does not say why",
                                         ignore.rules.front())});
    }
  }
}

}  // namespace gpushape::review::rules_of
