// IG-02: an answer whose finding is gone is taken out. Ours, after the unused suppressions of other
// linters. The last rule of all: it looks at what the others found.
#include <fmt/format.h>

#include <algorithm>

#include "review/ignores.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

void ig_02(const Deployment& deployment, Report& report) {
  for (const Ignore& ignore : read_ignores(deployment.request->documents)) {
    if (ignore.reason.empty()) continue;
    for (const std::string& rule : ignore.rules) {
      if (std::ranges::find(rules(), rule, &RuleRow::id) == rules().end()) continue;
      if (!is_chosen(rule, *deployment.request)) continue;
      Ignore one = ignore;
      one.rules = {rule};
      if (report.has([&](const domain::Finding& finding) { return answers(one, finding); })) {
        continue;
      }
      report.add(
          *ignore.document, ignore.position,
          {.message = fmt::format("the comment ignores {}, which finds nothing here", rule)});
    }
  }
}

}  // namespace gpushape::review::rules_of
