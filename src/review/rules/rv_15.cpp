// RV-15: tenants of GPUs do not meet on a node. They would share kernel, driver, network and
// storage (vCluster, How to Evaluate GPU Infrastructure: Shared Node Tenancy for Virtual Clusters).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Both say which nodes, in the same words; what says nothing may be kept apart by others.
bool name_the_same_nodes(const PodRequest& a, const PodRequest& b) {
  return !a.node_selector.empty() && std::ranges::equal(a.node_selector, b.node_selector,
                                                        [](const NamedText& x, const NamedText& y) {
                                                          return x.name == y.name &&
                                                                 x.value == y.value;
                                                        });
}

}  // namespace

void rv_15(const Deployment& deployment, Report& report) {
  each_platform(
      deployment, report, "nodes",
      [](const domain::PlatformFacts& facts) {
        return facts.nodes == domain::NodeTenancy::Shared && facts.teams.value_or(2) > 1;
      },
      [](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("{} meet on the same GPU nodes", teams_text(facts))};
      });
  const std::vector<GpuTenant> tenants = gpu_tenants(deployment);
  for (std::size_t i = 1; i < tenants.size(); ++i) {
    for (const PodRequest* own : tenants[i].pods) {
      const auto other = std::ranges::find_if(tenants[0].pods, [own](const PodRequest* each) {
        return name_the_same_nodes(*own, *each);
      });
      if (other == tenants[0].pods.end()) continue;
      report.add(
          *own->document, *own->node_selector.front().node,
          {.message = fmt::format("{} of {} and {} of {} select the same GPU nodes", own->title(),
                                  tenants[i].name, (*other)->title(), tenants[0].name)});
      return;
    }
  }
}

}  // namespace gpushape::review::rules_of
