// RV-18: idle GPUs are found and given back. A GPU that is held computes for nobody else, and a
// virtual one keeps its memory while it idles (vCluster, How to Evaluate GPU Infrastructure: Safe
// and Efficient GPU Sharing; F. Denneman, Why GPU contention is different).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/measured.hpp"
#include "review/rules/tenancy.hpp"
#include "review/rules/whole_gpu.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Without kernels for an hour, or hardly busy for a day; empty where it is neither.
std::string idle_words(const MeasuredUse& use, const advise::Thresholds& limits) {
  constexpr double kMinutes = 60;
  if (use.silent_hours && *use.silent_hours * kMinutes >= limits.no_kernel_minutes.value) {
    return fmt::format("has run no kernel for {}", days_text(*use.silent_hours / 24));
  }
  if (use.low_hours && *use.low_hours >= limits.low_compute_hours.value) {
    return fmt::format("has computed less than {:g} % of the time for {}",
                       limits.low_compute.value * 100, days_text(*use.low_hours / 24));
  }
  return {};
}

}  // namespace

void rv_18(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "idleDetection",
      [](const domain::PlatformFacts& facts) { return facts.detects_idle == false; },
      [](const domain::PlatformFacts&) {
        return Remark{.message = "nobody finds idle GPUs on this platform"};
      });
  each_platform(
      deployment, report, "idleAction",
      [](const domain::PlatformFacts& facts) {
        return facts.idle_action == domain::IdleAction::None ||
               facts.idle_action == domain::IdleAction::Notify;
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("idle GPUs stay with who holds them: the action is {}",
                                             name_of(*facts.idle_action)),
                      .fix = "pause or reclaim what is idle"};
      });
  if (deployment.request->usage.empty()) return;
  for (const PodRequest& pod : deployment.pods) {
    if (pod.gpus.empty()) continue;
    const auto use = measured_use(deployment, pod);
    const std::string idle = use ? idle_words(*use, deployment.request->thresholds) : std::string();
    if (idle.empty()) continue;
    report.add(*pod.document, place_of_gpus(pod),
               {.message = fmt::format("{} holds {:g} GPU{} a pod, and {} {}", pod.title(),
                                       pod.gpu_count(), pod.gpu_count() == 1 ? "" : "s",
                                       use->holder, idle),
                .fix = "scale it to 0 or pause it, and let 'gpushape inventory usage' say what "
                       "that frees"});
  }
}

}  // namespace gpushape::review::rules_of
