// RV-19: what is for trying out ends by itself. Notebooks, CI and experiments hold their GPU until
// somebody thinks of them (vCluster, How to Evaluate GPU Infrastructure: Operational Scalability).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"
#include "review/rules/whole_gpu.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Images that are an environment to work in, and nothing that serves.
constexpr auto kWorkbenchImages = std::to_array<std::string_view>(
    {"jupyter", "notebook", "code-server", "rstudio", "jupyterlab"});

bool is_environment(const PodRequest& pod) {
  if (pod.kind == "Notebook") return true;
  if (const NamedText* role = pod.annotation("gpushape.dev/role")) {
    return role->value == "notebook" || role->value == "ci";
  }
  return std::ranges::any_of(pod.containers, [](const Container& container) {
    if (container.is_init || !container.image) return false;
    // The repository's last part: a registry may be called anything.
    std::string_view image = container.image->value;
    image = image.substr(0, image.rfind('@'));
    image.remove_prefix(image.rfind('/') == std::string_view::npos ? 0 : image.rfind('/') + 1);
    image = image.substr(0, image.find(':'));
    return std::ranges::any_of(kWorkbenchImages,
                               [&](std::string_view word) { return image.contains(word); });
  });
}

/// What ends it: a deadline, our annotation, a culler of idle notebooks.
bool states_end(const Deployment& deployment, const PodRequest& pod) {
  if (pod.ends || pod.deadline_seconds || pod.is_suspended) return true;
  if (pod.states_lifetime()) return true;
  if (pod.annotation("notebooks.kubeflow.org/last-activity") != nullptr) return true;
  return std::ranges::any_of(deployment.platforms, [](const StatedPlatform& platform) {
    return platform.facts.is_ephemeral_by_default.value_or(false);
  });
}

}  // namespace

void rv_19(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "ephemeralByDefault",
      [](const domain::PlatformFacts& facts) { return facts.is_ephemeral_by_default == false; },
      [](const domain::PlatformFacts&) {
        return Remark{.message = "notebooks, experiments and CI live until somebody ends them"};
      });
  const double lifetime = deployment.request->thresholds.experiment_days.value;
  for (const PodRequest& pod : deployment.pods) {
    // A machine's own compose file or script has nobody it could give the GPU back to.
    const bool is_shared = pod.source == PodSource::Kubernetes || pod.source == PodSource::Chart;
    if (!is_shared || pod.gpus.empty() || pod.replicas < 1 || !is_environment(pod)) continue;
    const auto age = age_in_days(deployment, pod);
    const bool is_old = age && *age > lifetime;
    if (!is_old && states_end(deployment, pod)) continue;
    const std::string holds = fmt::format("{} holds {:g} GPU{}", pod.title(), pod.gpu_count(),
                                          pod.gpu_count() == 1 ? "" : "s");
    report.add(*pod.document, pod.place(),
               {.message = is_old ? fmt::format("{} for {:g} days now, and environments are to "
                                                "live {:g}",
                                                holds, *age, lifetime)
                                  : fmt::format("{} and states no end", holds),
                .fix = fmt::format("annotate gpushape.dev/lifetime: {:g}d and let a controller end "
                                   "it, set activeDeadlineSeconds, or switch idle culling on",
                                   lifetime)});
  }
}

}  // namespace gpushape::review::rules_of
