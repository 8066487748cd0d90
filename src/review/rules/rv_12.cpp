// RV-12: teams share a fleet, each with a control plane of its own. A cluster or a pool of GPUs for
// each team sprawls and strands what one team leaves unused (vCluster, How to Evaluate GPU
// Infrastructure: Cluster-Centric Isolation Models).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Pools of VM classes with GPUs, where the documents hold the classes.
bool has_gpu_pool(const Deployment& deployment, const KubernetesCluster& cluster) {
  return std::ranges::any_of(cluster.pools, [&](const NodePool& pool) {
    const VmClass* vm = pool.vm_class ? deployment.find_vm_class(pool.vm_class->value) : nullptr;
    return vm != nullptr && !vm->devices.empty();
  });
}

std::string team_of_cluster(const KubernetesCluster& cluster) {
  for (const std::string_view name : {"gpushape.dev/team", "team", "tenant"}) {
    const std::string value = word_at(*cluster.root, {"metadata", "labels", name});
    if (!value.empty()) return value;
  }
  return {};
}

/// Clusters with GPUs whose labels name different teams.
void check_labelled_clusters(const Deployment& deployment, Report& report) {
  std::map<std::string, const KubernetesCluster*> by_team;
  for (const KubernetesCluster& cluster : deployment.clusters) {
    const std::string team = team_of_cluster(cluster);
    if (team.empty() || !has_gpu_pool(deployment, cluster)) continue;
    by_team.emplace(team, &cluster);
    const bool is_second = by_team.size() == 2 && by_team.at(team) == &cluster;
    if (!is_second) continue;
    const document::Node* place = at(*cluster.root, {"metadata", "name"});
    report.add(*cluster.document, place != nullptr ? *place : *cluster.root,
               {.message = fmt::format("teams {} and {} have a cluster with GPUs each: what one "
                                       "leaves unused the other cannot take",
                                       by_team.begin()->first, by_team.rbegin()->first)});
    return;
  }
}

}  // namespace

void rv_12(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "controlPlane",
      [](const domain::PlatformFacts& facts) {
        return facts.control_plane == domain::ControlPlane::ClusterPerTeam;
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message =
                          fmt::format("{} have a cluster each{}", teams_text(facts),
                                      facts.clusters ? fmt::format(", {} in all", *facts.clusters)
                                                     : std::string())};
      });
  each_platform(
      deployment, report, "nodes",
      [](const domain::PlatformFacts& facts) {
        return facts.nodes == domain::NodeTenancy::Dedicated && facts.teams.value_or(2) > 1;
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("{} have a pool of GPU nodes each: what one leaves "
                                             "unused the others cannot take",
                                             teams_text(facts)),
                      .fix = "give tenants private nodes that are assigned when they are needed"};
      });
  check_labelled_clusters(deployment, report);
}

}  // namespace gpushape::review::rules_of
