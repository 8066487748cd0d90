// All documents under review, sorted into the forms that rules ask for. Borrows the documents and
// the request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/contract.hpp"
#include "domain/platform_facts.hpp"
#include "domain/workload.hpp"
#include "review/claims.hpp"
#include "review/cluster_objects.hpp"
#include "review/pod_request.hpp"
#include "review/request.hpp"
#include "review/sharing.hpp"
#include "review/sizing.hpp"
#include "review/vm_class.hpp"

namespace gpushape::review {

struct DeviceMatches;
class PublishedTable;
struct Placements;

/// A contract of ours that a document holds.
struct StatedContract {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  domain::ResourceContract contract;
};

/// What a Platform document states.
struct StatedPlatform {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  domain::PlatformFacts facts;

  /// Of that field, or the whole document where it is absent.
  [[nodiscard]] const document::Node& place(std::string_view field) const;
};

/// A Workload of ours.
struct StatedWorkload {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  domain::Workload workload;
};

/// A runtime that serving kinds name: what an InferenceService is filled in with.
struct ServingRuntime {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string api_version;
  std::string name;
  std::string name_space;  ///< empty: of the whole cluster
  bool is_used = false;    ///< an InferenceService of the documents is filled in with it
};

/// Every list stands in the order of the documents.
struct Deployment {
  const ReviewRequest* request = nullptr;
  std::vector<Object> objects;  ///< all of them

  /// Runtimes, and the hub's names of base models by their own: known before anything else is read.
  std::vector<ServingRuntime> runtimes;
  std::map<std::string, std::string, std::less<>> base_models;
  std::vector<PodRequest> pods;
  std::vector<Claim> claims;
  std::vector<DeviceClass> device_classes;

  std::vector<VmClass> vm_classes;
  std::vector<VirtualMachine> vms;
  std::vector<KubernetesCluster> clusters;

  std::vector<PluginConfig> plugin_configs;
  std::vector<LayoutConfig> layouts;  ///< mig-parted and vGPU device manager
  std::vector<OperatorPolicy> operator_policies;
  std::vector<DraDriverValues> dra_drivers;

  std::vector<Namespace> namespaces;
  std::vector<ResourceQuota> quotas;
  std::vector<VolumeClaim> volume_claims;
  std::vector<VirtualClusterValues> virtual_clusters;
  std::vector<Queue> queues;
  std::vector<StatedContract> contracts;
  std::vector<StatedPlatform> platforms;  ///< what manifests cannot say
  std::vector<StatedWorkload> workloads;
  std::optional<domain::Cluster> own_cluster;                ///< the first among the documents
  const document::Document* own_cluster_document = nullptr;  ///< that it stands in

  /// Configurations that stand as text in a ConfigMap, with their places in the file.
  std::vector<std::shared_ptr<const document::Document>> embedded;
  Diagnostics faults;  ///< of documents of our own kinds: bad input, as everywhere else
  std::shared_ptr<PublishedTable> published;
  std::shared_ptr<Sizings> sizings;
  mutable std::shared_ptr<DeviceMatches> matches;    ///< of match_devices()
  mutable std::shared_ptr<const Placements> placed;  ///< of placements()

  /// Where all of it would land, worked out when it is first asked for.
  [[nodiscard]] const Placements& placements() const;
  /// That of --cluster, else the one among the documents; nullptr where there is neither.
  [[nodiscard]] const domain::Cluster* cluster() const;
  /// What that pod needs, worked out when it is first asked for.
  [[nodiscard]] const Sizing& sizing(const PodRequest& pod) const { return sizings->of(pod); }
  /// nullptr where no document holds it. An empty namespace means any.
  [[nodiscard]] const Claim* find_claim(std::string_view name, std::string_view name_space,
                                        bool is_template) const;
  [[nodiscard]] const DeviceClass* find_device_class(std::string_view name) const;
  [[nodiscard]] const VolumeClaim* find_volume_claim(std::string_view name,
                                                     std::string_view name_space) const;
  [[nodiscard]] const VmClass* find_vm_class(std::string_view name) const;

  /// Positions in those lists by name; made when all documents are read.
  using NameIndex = std::multimap<std::string, std::size_t, std::less<>>;
  NameIndex claim_names;
  NameIndex device_class_names;
  NameIndex volume_claim_names;
  NameIndex vm_class_names;
};

/// A `List` counts as its items.
Deployment read_deployment(const ReviewRequest& request);

}  // namespace gpushape::review
