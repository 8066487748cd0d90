// VM Operator's machines and the clusters that VKS and TKG make of them.
#include <algorithm>
#include <utility>

#include "review/readers/kinds.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostNodes = 100'000;

std::string version_of(const Object& object) {
  const std::size_t slash = object.api_version.find('/');
  return slash == std::string::npos ? object.api_version : object.api_version.substr(slash + 1);
}

std::int64_t nodes_of(const Node& holder, Path path) {
  const auto count = integer_at(holder, path);
  return count ? std::clamp<std::int64_t>(count->value, 0, kMostNodes) : 1;
}

/// `variables[]{name, value}`; the value of `vmClass` where it is among them.
std::optional<Located<std::string>> take_variables(const Node* rows, const std::string& pool,
                                                   KubernetesCluster& cluster) {
  std::optional<Located<std::string>> vm_class;
  if (rows == nullptr) return vm_class;
  for (const Node& row : rows->items()) {
    const Node* name = row.find("name");
    if (name == nullptr) continue;
    cluster.variables.push_back({word_of(*name), pool, name, row.find("value")});
    if (word_of(*name) == "vmClass") vm_class = text_at(row, {"value"});
  }
  return vm_class;
}

}  // namespace

void read_vm_class_object(const Object& object, Deployment& deployment) {
  if (auto found = read_vm_class(*object.document, *object.root, deployment.request->devices)) {
    deployment.vm_classes.push_back(std::move(*found));
  }
}

bool is_config_spec(const Node& root) {
  return word_at(root, {"_typeName"}) == "VirtualMachineConfigSpec";
}

void read_config_spec_object(const Object& object, Deployment& deployment) {
  deployment.vm_classes.push_back(
      read_config_spec(*object.document, *object.root, deployment.request->devices));
}

namespace {

/// `govc vm.info -json`: {"virtualMachines": [{"config": …}]}; one VM of the VI API: {"config": …}.
const Node* exported_vms(const Node& root) {
  for (const std::string_view field : {"virtualMachines", "VirtualMachines"}) {
    if (const Node* rows = root.find(field)) return rows;
  }
  return nullptr;
}

bool is_exported_vm(const Node& node) {
  return at(node, {"config", "hardware", "numCPU"}) != nullptr;
}

/// What every kind of cluster says of itself in the same place.
KubernetesCluster cluster_of(const Object& object) {
  KubernetesCluster cluster;
  cluster.document = object.document;
  cluster.root = object.root;
  cluster.kind = object.kind;
  cluster.version = version_of(object);
  cluster.name = object.name;
  cluster.name_space = object.name_space;
  return cluster;
}

NodePool pool_of(const Node& node) {
  NodePool pool;
  pool.node = &node;
  pool.name = word_at(node, {"name"});
  pool.replicas = nodes_of(node, {"replicas"});
  return pool;
}

}  // namespace

bool is_vm_export(const Node& root) {
  const Node* rows = exported_vms(root);
  return is_exported_vm(root) ||
         (rows != nullptr && std::ranges::any_of(rows->items(), is_exported_vm));
}

void read_vm_export_object(const Object& object, Deployment& deployment) {
  const auto take = [&](const Node& node) {
    if (!is_exported_vm(node)) return;
    deployment.vm_classes.push_back(
        read_vm_export(*object.document, node, deployment.request->devices));
  };
  take(*object.root);
  if (const Node* rows = exported_vms(*object.root)) {
    for (const Node& row : rows->items()) take(row);
  }
}

void read_vm(const Object& object, Deployment& deployment) {
  deployment.vms.push_back({object.document, object.root, version_of(object), object.name,
                            object.name_space, text_at(*object.root, {"spec", "className"}),
                            named_texts(at(*object.root, {"metadata", "annotations"}))});
}

void read_cluster_api(const Object& object, Deployment& deployment) {
  KubernetesCluster cluster = cluster_of(object);
  const Node* topology = at(*object.root, {"spec", "topology"});
  if (topology != nullptr) {
    cluster.cluster_class = text_at(*topology, {"class"});
    cluster.class_name_space = text_at(*topology, {"classNamespace"});
    if (!cluster.cluster_class) cluster.cluster_class = text_at(*topology, {"classRef", "name"});
    if (!cluster.class_name_space) {
      cluster.class_name_space = text_at(*topology, {"classRef", "namespace"});
    }
    cluster.kubernetes = text_at(*topology, {"version"});
    const auto usual_class = take_variables(topology->find("variables"), "", cluster);
    if (const Node* pools = at(*topology, {"workers", "machineDeployments"})) {
      for (const Node& each : pools->items()) {
        NodePool pool = pool_of(each);
        pool.labels = named_texts(at(each, {"metadata", "labels"}));
        pool.annotations = named_texts(at(each, {"metadata", "annotations"}));
        pool.vm_class = take_variables(at(each, {"variables", "overrides"}), pool.name, cluster);
        if (!pool.vm_class) pool.vm_class = usual_class;
        cluster.pools.push_back(std::move(pool));
      }
    }
  }
  deployment.clusters.push_back(std::move(cluster));
}

void read_tanzu_cluster(const Object& object, Deployment& deployment) {
  KubernetesCluster cluster = cluster_of(object);
  if (const Node* pools = at(*object.root, {"spec", "topology", "nodePools"})) {
    for (const Node& each : pools->items()) {
      NodePool pool = pool_of(each);
      pool.vm_class = text_at(each, {"vmClass"});
      pool.labels = named_texts(each.find("labels"));
      cluster.pools.push_back(std::move(pool));
    }
  }
  deployment.clusters.push_back(std::move(cluster));
}

}  // namespace gpushape::review
