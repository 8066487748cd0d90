// MF-21: llm-d's chart renders the `match` of a claim template as one map, so that a list like
// firstAvailable comes out broken (llm-d modelservice chart, templates/_helpers.tpl).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mf_21(const Deployment& deployment, Report& report) {
  for (const Object& object : deployment.objects) {
    const document::Node* templates = at(*object.root, {"accelerator", "resourceClaimTemplates"});
    if (templates == nullptr) continue;
    for (const document::Node::Entry& entry : templates->entries()) {
      const document::Node* match = entry.value.find("match");
      if (match == nullptr) continue;
      for (const document::Node::Entry& form : match->entries()) {
        if (form.name == "exactly") continue;
        report.add(
            *object.document, form.position,
            {.message = fmt::format("claim template {} matches by {}, which the chart cannot "
                                    "render",
                                    entry.name, form.name)});
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
