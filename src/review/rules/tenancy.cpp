#include "review/rules/tenancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpushape::review {

namespace {

/// Ours, Capsule's (capsule.clastix.io), and the plain words that platforms use.
constexpr auto kTenantLabels = std::to_array<std::string_view>(
    {"gpushape.dev/team", "capsule.clastix.io/tenant", "tenant", "team"});

std::string label_of_tenant(const std::vector<NamedText>& labels) {
  for (const std::string_view name : kTenantLabels) {
    if (const NamedText* row = find_name(labels, name)) return row->value;
  }
  return {};
}

}  // namespace

std::string tenant_of(const Deployment& deployment, const PodRequest& pod) {
  for (const auto* labels : {&pod.labels, &pod.object_labels}) {
    if (std::string name = label_of_tenant(*labels); !name.empty()) return name;
  }
  if (pod.name_space.empty()) return {};
  const auto space = std::ranges::find(deployment.namespaces, pod.name_space, &Namespace::name);
  return space == deployment.namespaces.end() ? std::string() : label_of_tenant(space->labels);
}

std::vector<GpuTenant> gpu_tenants(const Deployment& deployment) {
  std::vector<GpuTenant> tenants;
  for (const PodRequest& pod : deployment.pods) {
    if (pod.gpus.empty() || pod.source != PodSource::Kubernetes) continue;
    const std::string name = tenant_of(deployment, pod);
    if (name.empty()) continue;
    auto row = std::ranges::find(tenants, name, &GpuTenant::name);
    if (row == tenants.end()) row = tenants.insert(tenants.end(), {name, {}});
    row->pods.push_back(&pod);
  }
  return tenants;
}

std::string names_of_tenants(const std::vector<GpuTenant>& tenants) {
  constexpr std::size_t kShownTenants = 2;
  std::string text;
  const std::size_t shown = std::min(kShownTenants, tenants.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == tenants.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + tenants[i].name;
  }
  if (tenants.size() > shown) text += fmt::format(" and {} more", tenants.size() - shown);
  return text;
}

bool has_own_control_planes(const Deployment& deployment) {
  if (!deployment.virtual_clusters.empty()) return true;
  return std::ranges::any_of(deployment.platforms, [](const StatedPlatform& platform) {
    return platform.facts.control_plane &&
           *platform.facts.control_plane != domain::ControlPlane::Shared;
  });
}

std::string teams_text(const domain::PlatformFacts& facts) {
  return facts.teams ? fmt::format("{} teams", *facts.teams) : std::string("teams");
}

}  // namespace gpushape::review
