// RV-14: more than a namespace stands between tenants of GPUs. A namespace parts names; drivers,
// runtimes and the GPU's memory stay common (vCluster, How to Evaluate GPU Infrastructure:
// Namespace-Only Multi-Tenancy).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Replicas and software shares of one GPU: nothing else than the namespace parts their holders.
bool shares_a_gpu(const Deployment& deployment, const PodRequest& pod) {
  return std::ranges::any_of(pod.gpus, [&](const GpuAsk& ask) {
    switch (ask.kind) {
      case GrantKind::PluginShare:
      case GrantKind::Hami:
      case GrantKind::Kai:
      case GrantKind::Volcano:
        return true;
      case GrantKind::Plugin:
        break;
      default:
        return false;
    }
    // Without a rename a replica is asked for by the GPU's own name.
    return std::ranges::any_of(deployment.plugin_configs, [&](const PluginConfig& config) {
      return !config.renames_by_default &&
             std::ranges::any_of(config.resources, [&](const SharedResource& row) {
               return !row.is_mps && row.rename.empty() && row.name == ask.resource;
             });
    });
  });
}

}  // namespace

void rv_14(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "safetyRestsOn",
      [](const domain::PlatformFacts& facts) {
        return facts.safety_rests_on ==
               std::vector<domain::SafetyBasis>{domain::SafetyBasis::Namespaces};
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("namespaces alone part {}", teams_text(facts))};
      });
  if (has_own_control_planes(deployment)) return;
  std::vector<GpuTenant> tenants = gpu_tenants(deployment);
  std::erase_if(tenants, [&](GpuTenant& tenant) {
    std::erase_if(tenant.pods,
                  [&](const PodRequest* pod) { return !shares_a_gpu(deployment, *pod); });
    return tenant.pods.empty();
  });
  if (tenants.size() < 2) return;
  const PodRequest& pod = *tenants[1].pods.front();
  const document::Node* place = pod.gpus.front().node;
  report.add(*pod.document, place != nullptr ? *place : pod.place(),
             {.message = fmt::format("{} take shares of common GPUs, and a namespace is all that "
                                     "parts them",
                                     names_of_tenants(tenants))});
}

}  // namespace gpushape::review::rules_of
