// RV-17: utilization is looked at across the organization. Seen cluster by cluster, one is full and
// the next idle (vCluster, How to Evaluate GPU Infrastructure: GPU Utilization Optimized Per
// Cluster).
#include <fmt/format.h>

#include <set>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Hosts of the cluster that telemetry names.
std::size_t measured_hosts(const Deployment& deployment) {
  std::set<std::string_view> named;
  for (const domain::UsageSeries& series : deployment.request->usage) named.insert(series.host);
  std::size_t count = 0;
  for (const domain::ClusterHost& host : deployment.cluster()->hosts) {
    if (named.contains(host.name)) ++count;
  }
  return count;
}

}  // namespace

void rv_17(const Deployment& deployment, Report& report) {
  const bool has_both = deployment.cluster() != nullptr && !deployment.request->usage.empty();
  each_platform(
      deployment, report, "utilizationScope",
      [](const domain::PlatformFacts& facts) {
        // Of one cluster alone both are the same.
        return facts.utilization_scope == domain::UtilizationScope::Cluster &&
               facts.clusters.value_or(2) > 1;
      },
      [&](const domain::PlatformFacts& facts) {
        const std::string where = facts.clusters
                                      ? fmt::format("each of {} clusters", *facts.clusters)
                                      : std::string("each cluster");
        const std::string measured =
            has_both ? fmt::format("; the telemetry here is of {} of {} hosts",
                                   measured_hosts(deployment), deployment.cluster()->hosts.size())
                     : std::string();
        return Remark{
            .message = fmt::format("utilization is looked at by {} for itself{}", where, measured)};
      });
}

}  // namespace gpushape::review::rules_of
