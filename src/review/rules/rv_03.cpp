// RV-03: a whole GPU that uncertainty holds is looked at again. It was taken while nobody knew the
// workload's behaviour; after the review time somebody does (consumption rules CM-06, RV-03; F.
// Denneman, GPU Consumption Models as the First Architectural Choice, Full GPUs). A review date
// that stands on the object is LD-03's.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/measured.hpp"
#include "review/rules/support.hpp"
#include "review/rules/whole_gpu.hpp"

namespace gpushape::review::rules_of {

void rv_03(const Deployment& deployment, Report& report) {
  const double limit = deployment.request->thresholds.review_days.value;
  for (const PodRequest& pod : deployment.pods) {
    const std::string evidence = stated_evidence(pod);
    const bool is_uncertain = evidence == "E0" || evidence == "E1";
    if (!is_uncertain || pod.annotation("gpushape.dev/review-after") != nullptr) continue;
    const domain::Device* device = whole_gpu_of(deployment, pod);
    if (device == nullptr || pod.gpu_count() != 1) continue;
    const auto use = measured_use(deployment, pod);
    const double days = std::max(use ? use->days : 0.0, age_in_days(deployment, pod).value_or(0.0));
    if (days < limit) continue;
    report.add(*pod.document, place_of_gpus(pod),
               {.message = fmt::format("{} has held a whole {} for {} on evidence {}, and {:g} "
                                       "days were to be enough to know better",
                                       pod.title(), device->id, days_text(days), evidence, limit),
                .fix = use ? std::optional<std::string>(
                                 "run 'gpushape advise --usage' with this telemetry, and take what "
                                 "it says or record why not")
                           : std::nullopt});
  }
}

}  // namespace gpushape::review::rules_of
