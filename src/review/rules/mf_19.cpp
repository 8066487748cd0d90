// MF-19: a tenant's cluster for GPUs has nodes of its own. On shared nodes tenants share kernel,
// driver and GPU; claims reach the host cluster only when they are synced (vCluster values,
// privateNodes, sync.toHost.resourceClaims).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mf_19(const Deployment& deployment, Report& report) {
  for (const VirtualClusterValues& values : deployment.virtual_clusters) {
    const bool has_nodes =
        (values.private_nodes && values.private_nodes->value) || values.has_auto_nodes;
    if (has_nodes) continue;
    const document::Node& place = values.private_nodes ? *values.private_nodes->node : *values.root;
    report.add(
        *values.document, place,
        {.message = values.private_nodes
                        ? "private nodes are off: tenants with GPUs share the kernel and the "
                          "driver of their nodes"
                        : "without private nodes, tenants with GPUs share the kernel and the "
                          "driver of their nodes",
         .severity = deployment.claims.empty() && deployment.pods.empty()
                         ? domain::Severity::Note
                         : domain::Severity::Warning});
    if (deployment.claims.empty() || (values.syncs_claims && values.syncs_claims->value)) continue;
    report.add(*values.document, values.syncs_claims ? *values.syncs_claims->node : *values.root,
               {.message = "resource claims are not synced to the host cluster: pods that use them "
                           "stay pending",
                .fix = "set sync.toHost.resourceClaims.enabled to true"});
  }
}

}  // namespace gpushape::review::rules_of
