// What stands around the pods: machines, node pools, namespaces, quotas, volume claims, tenants'
// clusters, queues. Borrows the documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "review/claims.hpp"
#include "review/fields.hpp"

namespace gpushape::review {

/// Any object of any document, in order; kinds without a reader, too.
struct Object {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string api_version;
  std::string kind;  ///< what it is taken for where it says nothing: "Helm values (llm-d)"
  std::string name;
  std::string name_space;
  bool has_reader = false;

  /// "Deployment ai/llama-70b".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] const document::Node& place() const;
};

/// vmoperator.vmware.com VirtualMachine.
struct VirtualMachine {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string version;
  std::string name;
  std::string name_space;
  std::optional<Located<std::string>> vm_class;
  std::vector<NamedText> annotations;
};

/// A group of equal worker nodes.
struct NodePool {
  const document::Node* node = nullptr;
  std::string name;
  std::int64_t replicas = 1;
  std::optional<Located<std::string>> vm_class;
  std::vector<NamedText> labels;
  std::vector<NamedText> annotations;
};

/// A variable of a cluster's topology, or of one pool (`overrides`).
struct TopologyVariable {
  std::string name;
  std::string pool;                      ///< empty: of the whole cluster
  const document::Node* node = nullptr;  ///< of the name
  const document::Node* value = nullptr;
};

/// A VKS (Cluster API) or TKG cluster.
struct KubernetesCluster {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string kind;     ///< "Cluster", "TanzuKubernetesCluster"
  std::string version;  ///< of the API: "v1beta1"
  std::string name;
  std::string name_space;
  std::optional<Located<std::string>> cluster_class;
  std::optional<Located<std::string>> class_name_space;
  std::optional<Located<std::string>> kubernetes;  ///< "v1.33.3---vmware.1-fips-vkr.1"
  std::vector<NodePool> pools;
  std::vector<TopologyVariable> variables;
};

struct VolumeClaim {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string name;
  std::string name_space;
  std::optional<Located<double>> bytes;
  std::optional<Located<std::string>> storage_class;
  std::vector<std::string> access_modes;
};

struct Namespace {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string name;
  std::vector<NamedText> labels;
  std::vector<NamedText> annotations;
};

struct ResourceQuota {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string name;
  std::string name_space;
  std::vector<ResourceAmount> hard;
};

/// vCluster's Helm values.
struct VirtualClusterValues {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::optional<Located<bool>> private_nodes;
  bool has_auto_nodes = false;
  std::optional<Located<bool>> syncs_claims;  ///< sync.toHost.resourceClaims.enabled
  bool has_own_scheduler = false;
  bool has_quota = false;           ///< policies.resourceQuota
  bool has_network_policy = false;  ///< policies.networkPolicy
};

/// A queue of Kueue, KAI or Volcano.
struct Queue {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string kind;  ///< "ClusterQueue", "LocalQueue", "Queue"
  std::string name;
  std::vector<Located<std::string>> covered;  ///< resources: coveredResources of Kueue
  std::vector<ResourceAmount> quotas;         ///< nominalQuota, or the GPUs of KAI and Volcano
};

}  // namespace gpushape::review
