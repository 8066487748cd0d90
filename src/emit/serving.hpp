// An engine in Kubernetes: what the pod, the deployment and every other target that starts a
// container have in common. Probes, volumes, limits and flags are made here and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "emit/engine_args.hpp"
#include "emit/manifest.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

/// Of nodes, by the VM class that they are guests of. Cluster API passes labels of this domain from
/// a machine deployment on to its nodes.
inline constexpr std::string_view kNodeClassLabel = "node.cluster.x-k8s.io/gpushape-class";

/// What a service and a deployment know their pods by.
inline constexpr std::string_view kNameLabel = "app.kubernetes.io/name";

/// Ours: compiling, profiling and capturing graphs, whatever the size.
inline constexpr std::int64_t kSecondsBesideLoad = 600;

/// How a pod gets its GPUs, and what tells its scheduler so.
struct Grant {
  std::vector<Label> resources;  ///< extended resources of the container and their counts
  std::string claim;             ///< DRA: name of the claim or template; empty: none
  bool is_claim_template = false;
  std::string scheduler;           ///< schedulerName; empty: the default one
  std::vector<Label> labels;       ///< of the pod
  std::vector<Label> annotations;  ///< of the pod
  std::vector<Label> node_selector;
  std::vector<std::string> products;  ///< nvidia.com/gpu.product, one of these; empty: any
  std::string why;                    ///< comment beside the resources
};

struct Serving {
  const EmitRequest& request;
  const domain::RankedShape& picked;
  std::string name;
  EngineStart start;
  Grant grant;
  std::int64_t replicas = 1;
  std::int64_t cpus = 0;
  Bytes memory;
  Bytes weights;  ///< of the checkpoint as it is downloaded; 0 where there is no model
  std::vector<std::string> notes;
};

/// Of the first picked shape: an engine belongs to one wish. `target` is named where it refuses.
/// Without a grant the GPUs come from a claim that is written beside it, or from the device plugin.
Result<Serving> serving_of(const EmitRequest& request, std::string_view target);

/// As the workload states it; empty where nobody did.
std::optional<domain::Role> role_of(const Serving& serving);

/// From the claim that is written beside it, or from the device plugin.
Result<Grant> usual_grant(const EmitRequest& request, const domain::RankedShape& picked,
                          std::string_view target);

/// "nvidia.com/gpu", "nvidia.com/mig-3g.40gb", "amd.com/gpu".
std::string plugin_resource(const domain::Shape& shape, const domain::Device& device);
/// Whether the pod runs in a VM that owns what the host gave it.
bool is_in_guest(const EmitRequest& request);

document::Node resources_of(const Serving& serving);
/// HF_TOKEN out of a secret that may be missing: a model without a gate needs none.
document::Node hub_token(const Serving& serving);
document::Node probe_of(const Serving& serving, std::int64_t period, std::int64_t failures);
/// Seconds that a start may take: the first one downloads the weights.
std::int64_t start_seconds(const Serving& serving);
document::Node container(const Serving& serving, std::string_view name);
document::Node pod_spec(const Serving& serving, std::string_view container_name);
/// Labels and annotations of the pods, and the selector's label among them.
document::Node pod_metadata(const Serving& serving);
document::Node weights_volume_claim(const Serving& serving);
/// What a pod mounts: the claim for its weights, the engine's configuration file.
std::vector<document::Node> documents_beside(const Serving& serving);
/// A Service in front of the pods.
document::Node engine_service(const Serving& serving);
document::Node deployment(const Serving& serving, const std::vector<Label>& further_labels = {});
std::string weights_claim_name(const Serving& serving);
/// Of the ConfigMap that holds the engine's file.
std::string configuration_name(const Serving& serving);
/// Of a volume that takes the weights and what a download needs beside them: "90Gi".
std::string weights_room(const Serving& serving);

/// Volume claim, then the documents, each closed by the command.
Emitted emitted_of(const Serving& serving, std::vector<document::Node> documents);
/// The same of a chart's values, which have no metadata to hold the contract.
Emitted values_of(const Serving& serving, std::vector<document::Node> documents);

}  // namespace gpushape::emit
