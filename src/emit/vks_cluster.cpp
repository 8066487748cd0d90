// The target `vks-cluster`: a cluster of vSphere Kubernetes Service with a node pool for every
// wish, each of the class that `vm-class` writes under the same name. One node holds one replica.
// Variables: VKS 3.4 and later, builtin-generic class.

#include <fmt/format.h>

#include "emit/serving.hpp"
#include "emit/vm_contract.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

constexpr std::string_view kClass = "builtin-generic-v3.4.0";
constexpr std::string_view kClassNamespace = "vmware-system-vks-public";  // since 3.4
/// Ours: images of engines take 10 to 30 GB unpacked, an old and a new one stand side by side.
constexpr std::string_view kImageRoom = "100Gi";

Node variable(std::string_view name, Node value) {
  return map({{"name", name}, {"value", std::move(value)}});
}

/// A pool of several says which contract it is for; that of one stands on the cluster.
Node pool(const domain::RankedShape& picked, const std::string& name, bool is_first, bool is_one,
          const Commenter& comment) {
  const std::int64_t replicas = is_first ? std::max<std::int64_t>(1, picked.contract.replicas) : 0;
  const Node volume = map({{"name", "containerd"},
                           {"mountPath", "/var/lib/containerd"},
                           {"capacity", map({{"storage", kImageRoom}})},
                           {"storageClass", "default"}});
  Node annotations = map({{"run.tanzu.vmware.com/resolve-os-image", "os-name=ubuntu"}});
  if (!is_one) {
    Label note = contract_note(picked.contract);
    annotations.set(std::move(note.key), std::move(note.value));
  }
  return map({{"class", comment.above(Node("node-pool"), headline(picked))},
              {"name", name},
              {"replicas", comment.behind(Node(replicas),
                                          is_first ? "a node for each replica"
                                                   : "raise it where hosts of the first are full")},
              {"metadata", map({{"labels", map({{std::string(kNodeClassLabel), name}})},
                                {"annotations", std::move(annotations)}})},
              {"variables", map({{"overrides", list({variable("vmClass", name),
                                                     variable("volumes", list({volume}))})}})}});
}

}  // namespace

Result<Emitted> emit_vks_cluster(const EmitRequest& request) {
  Diagnostics diagnostics = check_vm_request(request, "vks-cluster");
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  const Commenter comment(request);
  const std::vector<std::string> names = document_names(request);
  Node pools = Node::sequence();
  for (std::size_t i = 0; i < request.picked.size(); ++i)
    pools.add(pool(*request.picked[i], names[i], i == 0, request.picked.size() == 1, comment));
  const std::string version = fmt::format("v{}.0", request.kubernetes);
  const std::string cluster = shared_name(request);
  Node topology = map(
      {{"class", kClass},
       {"classNamespace", kClassNamespace},
       {"version", comment.behind(Node(version), "the full name: kubectl get kubernetesreleases")},
       {"variables", comment.above(list({variable("vmClass", "best-effort-medium"),
                                         variable("storageClass", "default")}),
                                   "of the control plane; your class and storage policy")},
       {"controlPlane", map({{"replicas", 3}})},
       {"workers", map({{"machineDeployments", std::move(pools)}})}});
  const auto blocks = [](std::string range) {
    return map({{"cidrBlocks", list(std::vector<std::string>{std::move(range)})}});
  };
  Node root = map({{"apiVersion", "cluster.x-k8s.io/v1beta1"},
                   {"kind", "Cluster"},
                   {"metadata", metadata(request, cluster, *request.picked.front())},
                   {"spec", map({{"clusterNetwork", map({{"services", blocks("10.96.0.0/16")},
                                                         {"pods", blocks("192.168.0.0/16")},
                                                         {"serviceDomain", "cluster.local"}})},
                                 {"topology", std::move(topology)}})}});
  comment.close(root, request);
  Emitted emitted;
  emitted.documents.push_back(std::move(root));
  return emitted;
}

}  // namespace gpushape::emit
