// LD-03: evidence is younger than its review date. RV-03: a full GPU was taken for want of
// knowledge, and the time to know has come (F. Denneman, GPU Consumption Models as the First
// Architectural Choice, Full GPUs). Dates count with --as-of alone.
#include <fmt/format.h>

#include <chrono>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"
#include "review/rules/whole_gpu.hpp"

namespace gpushape::review::rules_of {

void ld_03(const Deployment& deployment, Report& report) {
  const auto& today = deployment.request->as_of;
  if (!today) return;
  for (const Object& object : deployment.objects) {
    const document::Node* annotation =
        at(*object.root, {"metadata", "annotations", "gpushape.dev/review-after"});
    if (annotation == nullptr) continue;
    const auto due = calendar_day(annotation->text());
    if (!due || *due >= *today) continue;
    const auto late = (*today - *due).count();
    report.add(*object.document, *annotation,
               {.message = fmt::format("the evidence behind {} was to be reviewed {} day{} ago",
                                       object.title(), late, late == 1 ? "" : "s")});
  }
}

}  // namespace gpushape::review::rules_of
