// RV-13: teams with GPUs do not share one Kubernetes control plane. Drivers, operators and upgrades
// are those of all of them (vCluster, How to Evaluate GPU Infrastructure: GPU Sharing Without
// Strong Control Plane Isolation).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

void rv_13(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "controlPlane",
      [](const domain::PlatformFacts& facts) {
        return facts.control_plane == domain::ControlPlane::Shared && facts.teams.value_or(2) > 1;
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("{} share one control plane: a driver, an operator or "
                                             "an upgrade of one is that of all",
                                             teams_text(facts))};
      });
  if (!deployment.platforms.empty() || has_own_control_planes(deployment)) return;
  const std::vector<GpuTenant> tenants = gpu_tenants(deployment);
  if (tenants.size() < 2) return;
  const PodRequest& pod = *tenants[1].pods.front();
  report.add(*pod.document, pod.place(),
             {.message = fmt::format("{} run GPU work under one control plane, as far as these "
                                     "files show",
                                     names_of_tenants(tenants))});
}

}  // namespace gpushape::review::rules_of
