// The target `vcluster-values`: Helm values of a virtual cluster for the tenant. Where another
// tenant must not be able to affect or observe it, the tenant gets nodes of its own; otherwise its
// pods and claims run on the shared ones (vCluster 0.36).

#include <fmt/format.h>

#include <algorithm>

#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

Node private_nodes(const Serving& serving) {
  const Commenter comment(serving.request);
  const domain::RankedShape& picked = serving.picked;
  Node node_pool =
      map({{"name", serving.name},
           {"nodeTypeSelector", list({map({{"property", "gpu"}, {"value", picked.shape.device}})})},
           {"limits", map({{"nodes", comment.behind(Node(std::to_string(serving.replicas)),
                                                    "one for each replica")}})}});
  return map({{"enabled", comment.behind(Node(true),
                                         "MD-01: kernel, driver and card are the "
                                         "tenant's own")},
              {"autoNodes",
               list({map({{"provider", comment.behind(Node("gpu-pool"), "your node provider")},
                          {"dynamic", list({std::move(node_pool)})}})})}});
}

Node quota(const Serving& serving) {
  Node amounts = map({{"requests.cpu", std::to_string(serving.replicas * serving.cpus)},
                      {"requests.memory", quantity_at_least(serving.memory * serving.replicas)}});
  for (const Label& resource : serving.grant.resources) {
    amounts.set("requests." + resource.key,
                std::to_string(serving.replicas * std::stoll(resource.value)));
  }
  return map({{"enabled", true}, {"quota", std::move(amounts)}});
}

}  // namespace

Result<Emitted> emit_vcluster_values(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "vcluster-values");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = usual_grant(request, serving->picked, "vcluster-values");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  const bool is_hard =
      request.workload != nullptr && request.workload->isolation.value == domain::Isolation::Hard;
  const Commenter comment(request);
  Node root = Node::mapping();
  if (is_hard) {
    root.set("privateNodes", comment.above(private_nodes(*serving), headline(serving->picked)));
    root.set(
        "controlPlane",
        map({{"distro",
              map({{"k8s", map({{"enabled", true}, {"scheduler", map({{"enabled", true}})}})}})},
             {"advanced", map({{"virtualScheduler", map({{"enabled", true}})}})}}));
  } else {
    Node to_host = map({{"pods", map({{"enabled", true}})}});
    Node from_host = map({{"nodes", map({{"enabled", true}})}});
    if (!serving->grant.claim.empty()) {
      to_host.set("resourceClaims", map({{"enabled", true}}));
      to_host.set("resourceClaimTemplates", map({{"enabled", true}}));
      from_host.set("deviceClasses", map({{"enabled", true}}));
    }
    root.set(
        "sync",
        comment.above(map({{"toHost", std::move(to_host)}, {"fromHost", std::move(from_host)}}),
                      headline(serving->picked) +
                          "\nshared nodes: tenants share kernel, driver and card; "
                          "--isolation hard gives the tenant nodes of its own\n"
                          "gpushape: ignore MF-19 shared nodes: hard isolation is not asked for"));
    root.set("policies", map({{"resourceQuota", quota(*serving)}}));
  }
  return values_of(*serving, {std::move(root)});
}

}  // namespace gpushape::emit
