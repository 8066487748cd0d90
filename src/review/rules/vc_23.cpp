// VC-23: a pod that needs several NUMA nodes is not refused by the topology manager.
// single-numa-node admits what one node holds; eight GPUs of one server stand on two (board
// tables); more than eight nodes need an option (Kubernetes, Topology Manager).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// The most GPUs of one socket among the usual boards: 4 of 8.
constexpr std::int64_t kUsualOnNode = 4;
/// Beyond it the kubelet does not start under any policy but "none" (Kubernetes, Topology Manager:
/// max-allowable-numa-nodes).
constexpr int kMostNodes = 8;

/// Between a hypervisor's host and a kubelet stands a VM, with nodes of its own.
bool is_node(const domain::ClusterHost& host) {
  return !host.hardware || host.hardware->release.empty();
}

/// The most GPUs that the pod finds on one NUMA node: as the cluster's hosts have them, else as
/// boards usually do.
std::int64_t most_on_node(const Deployment& deployment, const PodRequest& pod) {
  const Sizing& sizing = deployment.sizing(pod);
  if (sizing.gpus.empty()) return kUsualOnNode;
  const domain::Device& product = *sizing.gpus.front().device;
  std::int64_t most = 0;
  for (const domain::ClusterHost* host : hosts_with(deployment, product, 1)) {
    const auto together = is_node(*host) ? most_on_one_node(*host, product) : std::nullopt;
    if (!together) return kUsualOnNode;
    most = std::max(most, *together);
  }
  return most > 0 ? most : kUsualOnNode;
}

void check_single_node(const Deployment& deployment, const Object& kubelet,
                       const Located<std::string>& policy, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    const auto gpus = counted_gpus(pod, nullptr);
    if (!gpus || pod.gpus.front().kind != GrantKind::Plugin) continue;
    if (*gpus <= static_cast<double>(most_on_node(deployment, pod))) continue;
    report.add(*kubelet.document, *policy.node,
               {.message = fmt::format("topologyManagerPolicy single-numa-node refuses {}, whose "
                                       "{:g} GPUs stand on several NUMA nodes",
                                       pod.title(), *gpus)});
    return;
  }
}

void check_node_count(const Deployment& deployment, const Object& kubelet,
                      const Located<std::string>& policy, Report& report) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr ||
      at(*kubelet.root, {"topologyManagerPolicyOptions", "max-allowable-numa-nodes"}) != nullptr) {
    return;
  }
  for (const domain::ClusterHost& host : cluster->hosts) {
    if (!is_node(host) || !host.numa || host.numa->nodes <= kMostNodes) continue;
    report.add(
        *kubelet.document, *policy.node,
        {.message = fmt::format("the kubelet of {} does not start with topologyManagerPolicy "
                                "{}: it has {} NUMA nodes, and {} are allowed",
                                host.name, policy.value, host.numa->nodes, kMostNodes),
         .fix = fmt::format("set topologyManagerPolicyOptions: max-allowable-numa-nodes: "
                            "\"{}\", or fewer nodes a socket in the BIOS",
                            host.numa->nodes)});
    return;
  }
}

}  // namespace

void vc_23(const Deployment& deployment, Report& report) {
  for (const Object& object : deployment.objects) {
    if (object.kind != "KubeletConfiguration") continue;
    const auto policy = text_at(*object.root, {"topologyManagerPolicy"});
    if (!policy || policy->value == "none") continue;
    check_node_count(deployment, object, *policy, report);
    if (policy->value == "single-numa-node") {
      check_single_node(deployment, object, *policy, report);
    }
  }
}

}  // namespace gpushape::review::rules_of
