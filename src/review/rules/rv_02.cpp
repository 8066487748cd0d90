// RV-02: GPUs that several tenants or servers share are cut, not time-sliced by the device plugin:
// replicas have no memory limit and one fault domain (NVIDIA k8s-device-plugin, Shared Access to
// GPUs). A time-sliced vGPU is another thing: its frame buffer is its own.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

/// What pods ask for to get one of these replicas.
std::string name_of_replica(const SharedResource& row, bool renames) {
  if (!row.rename.empty()) return row.rename;
  return renames ? row.name + ".shared" : row.name;
}

bool takes_resource(const PodRequest& pod, std::string_view resource) {
  return std::ranges::any_of(pod.gpus, [&](const GpuAsk& ask) { return ask.resource == resource; });
}

/// Teams that meet on such a resource, as far as labels tell.
std::vector<GpuTenant> tenants_on(const Deployment& deployment, std::string_view resource) {
  std::vector<GpuTenant> tenants = gpu_tenants(deployment);
  std::erase_if(tenants, [&](const GpuTenant& tenant) {
    return std::ranges::none_of(
        tenant.pods, [&](const PodRequest* pod) { return takes_resource(*pod, resource); });
  });
  return tenants;
}

void check_replicas(const Deployment& deployment, const PluginConfig& config,
                    const SharedResource& row, Report& report) {
  const std::string resource = name_of_replica(row, config.renames_by_default);
  const auto server = std::ranges::find_if(deployment.pods, [&](const PodRequest& pod) {
    return pod.engine_container() != nullptr && takes_resource(pod, resource);
  });
  const std::vector<GpuTenant> tenants = tenants_on(deployment, resource);
  std::string whom;
  if (tenants.size() > 1) {
    whom = fmt::format(", and {} share them", names_of_tenants(tenants));
  } else if (server != deployment.pods.end()) {
    whom = fmt::format(", and {} serves from one", server->title());
  }
  // Replicas that one team uses for trying out do no harm.
  if (whom.empty()) return;
  report.add(*config.document, *row.replicas->node,
             {.message = fmt::format("{} is time-sliced into {} replicas without memory limits or "
                                     "fault isolation{}",
                                     row.name, row.replicas->value, whom)});
}

/// A name that only shared replicas have, of a plugin that is not among the documents.
void check_servers(const Deployment& deployment, Report& report) {
  if (!deployment.plugin_configs.empty()) return;
  for (const PodRequest& pod : deployment.pods) {
    if (pod.engine_container() == nullptr) continue;
    for (const GpuAsk& ask : pod.gpus) {
      if (ask.kind != GrantKind::PluginShare || ask.node == nullptr) continue;
      report.add(*pod.document, *ask.node,
                 {.message = fmt::format("{} serves from {}, a replica of a GPU: unless it is one "
                                         "of MPS, nothing limits its memory or that of the others",
                                         pod.title(), ask.resource),
                  .severity = domain::Severity::Warning});
    }
  }
}

}  // namespace

void rv_02(const Deployment& deployment, Report& report) {
  for (const PluginConfig& config : deployment.plugin_configs) {
    for (const SharedResource& row : config.resources) {
      if (row.is_mps || !row.replicas || row.replicas->value < 2) continue;
      check_replicas(deployment, config, row, report);
    }
  }
  check_servers(deployment, report);
}

}  // namespace gpushape::review::rules_of
