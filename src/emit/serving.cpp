#include "emit/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "domain/node_share.hpp"
#include "domain/profile_memory.hpp"
#include "emit/claims.hpp"
#include "emit/labels.hpp"
#include "emit/published_device.hpp"

namespace gpushape::emit {

using document::Node;
using domain::Platform;
using domain::RankedShape;
using domain::ResourceContract;
using domain::Shape;
using domain::Technology;

namespace {

/// The first start downloads the weights. Ours: a link of 1 Gb/s brings 100 MB a second.
constexpr std::int64_t kSlowestLoad = 100'000'000;
constexpr std::int64_t kProbePeriod = 10;

/// Ours; there is no engine to start where no model is named.
constexpr std::string_view kPlainImage = "nvcr.io/nvidia/cuda:13.0.0-base-ubuntu24.04";

constexpr std::string_view kWeightsVolume = "weights";
constexpr std::string_view kMemoryVolume = "shm";
constexpr std::string_view kClaimOfPod = "gpus";
constexpr std::string_view kConfigurationVolume = "engine";
constexpr std::string_view kTokenSecret = "hf-token";

bool is_converted(const RankedShape& picked, const EngineStart& start) {
  return picked.estimate && std::ranges::any_of(start.flags, [](const EngineFlag& flag) {
           return flag.setting == "quantization";
         });
}

Bytes weights_of(const RankedShape& picked, const EngineStart& start) {
  if (!picked.estimate || start.engine.empty()) return Bytes(0);
  constexpr std::int64_t kStoredBytes = 2;  // of a 16-bit weight
  if (is_converted(picked, start)) return Bytes(picked.estimate->parameters.total) * kStoredBytes;
  if (const auto& all = picked.estimate->all_gpus) return all->weights - all->copies;
  return domain::part_bytes(*picked.estimate, domain::Part::Weights).expected;
}

std::string sanitized(std::string text) {
  std::ranges::replace(text, ' ', '-');  // as GPU feature discovery writes its labels
  return text;
}

std::vector<std::string> product_labels(const EmitRequest& request, const Shape& shape) {
  const domain::Device& device = device_of(request, shape);
  const domain::Profile* profile = profile_of(device, shape);
  if (profile != nullptr && shape.technology != Technology::Mig)
    return {sanitized(domain::guest_product(*profile))};
  std::vector<std::string> labels;
  for (const std::string& name : device.product_names) labels.push_back(sanitized(name));
  return labels;
}

/// Targets whose documents name one product, or count what is granted in their own way.
constexpr auto kOfOneWish = std::to_array<std::string_view>(
    {"hami", "run-ai", "kueue", "nim-service", "llm-d-values", "vllm-production-stack-values"});

/// Whether a pod of the first wish takes this one, too: as much of the same resource, of another
/// product.
bool takes_product(const EmitRequest& request, const Shape& other, std::string_view target) {
  if (std::ranges::find(kOfOneWish, target) != kOfOneWish.end()) return false;
  const Shape& first = request.picked.front()->shape;
  return other.count == first.count && other.nodes == first.nodes &&
         plugin_resource(other, device_of(request, other)) ==
             plugin_resource(first, device_of(request, first));
}

/// Labels of every wish that the pod takes, the first one's first.
std::vector<std::string> products_of_wishes(const EmitRequest& request, std::string_view target) {
  std::vector<std::string> products = product_labels(request, request.picked.front()->shape);
  for (const RankedShape* picked : request.picked) {
    if (!takes_product(request, picked->shape, target)) continue;
    for (std::string& product : product_labels(request, picked->shape)) {
      if (std::ranges::find(products, product) == products.end())
        products.push_back(std::move(product));
    }
  }
  return products;
}

bool is_shared_by_software(const Shape& shape) {
  return shape.technology == Technology::SoftwareShare || shape.technology == Technology::Mps;
}

}  // namespace

bool is_in_guest(const EmitRequest& request) {
  const Platform platform = request.advice->platform;
  return platform == Platform::Vks || platform == Platform::Vsphere;
}

std::string plugin_resource(const Shape& shape, const domain::Device& device) {
  // The device plugin's mixed naming strategy names partitions by their modes.
  if (device.vendor == "amd")
    return shape.technology == Technology::Partition ? "amd.com/" + shape.profile_short
                                                     : "amd.com/gpu";
  if (device.vendor == "intel") return "gpu.intel.com/xe";
  if (shape.technology != Technology::Mig) return "nvidia.com/gpu";
  std::string profile = shape.profile_short;  // "1g.10gb+me" is published as mig-1g.10gb.me
  std::ranges::replace(profile, '+', '.');
  return "nvidia.com/mig-" + profile;
}

Result<Grant> usual_grant(const EmitRequest& request, const RankedShape& picked,
                          std::string_view target) {
  Grant grant;
  const Shape& shape = picked.shape;
  const bool has_template = is_written(request, "resource-claim-template");
  if (has_template || is_written(request, "resource-claim")) {
    if (!has_template && picked.contract.replicas > 1) {
      return failure(fmt::format("{}: its {} replicas would share the one claim that `-o "
                                 "resource-claim` writes",
                                 target, picked.contract.replicas),
                     "use `-o resource-claim-template`, which makes one per pod");
    }
    grant.claim = claim_name(request);
    grant.is_claim_template = has_template;
  } else {
    if (is_shared_by_software(shape)) {
      return failure(fmt::format("{} cannot express {} on {}: the device plugin counts devices and "
                                 "knows no memory",
                                 target, name_of(shape.technology), shape.device),
                     "hami and kai can: `-o hami`, `-o kai`");
    }
    const domain::Device& device = device_of(request, shape);
    grant.resources = {{plugin_resource(shape, device), std::to_string(devices_of_pod(shape))}};
    if (device.vendor == "nvidia") grant.products = products_of_wishes(request, target);
    grant.why = shape.count > 1 ? fmt::format("tensor {} x pipeline {}", shape.parallelism.tensor,
                                              shape.parallelism.pipeline)
                                : std::string();
  }
  if (is_written(request, "vks-cluster"))
    grant.node_selector = {{std::string(kNodeClassLabel), document_names(request).front()}};
  return grant;
}

std::optional<domain::Role> role_of(const Serving& serving) {
  const domain::Workload* workload = serving.request.workload;
  if (workload == nullptr || !workload->role) return std::nullopt;
  return workload->role->value;
}

namespace {

/// What starts one pod of an instance on each of its nodes.
constexpr auto kOverNodes =
    std::to_array<std::string_view>({"leader-worker-set", "kserve", "nim-service", "dynamo"});

/// Whether the pod takes this wish, too: by its claim, or as another product.
bool serves_wish(const EmitRequest& request, const Shape& other, std::string_view target) {
  const bool has_claim =
      is_written(request, "resource-claim") || is_written(request, "resource-claim-template");
  if (has_claim && target != "kueue") return true;  // the claim says what it leaves out
  return takes_product(request, other, target);
}

Diagnostics refuse_nodes(const Shape& shape, std::string_view target) {
  if (shape.nodes < 2 || std::ranges::find(kOverNodes, target) != kOverNodes.end()) return {};
  return {complaint(fmt::format("{} cannot express an instance on {} nodes: its pods know nothing "
                                "of each other",
                                target, shape.nodes),
                    "`-o leader-worker-set`, `-o kserve` and `-o dynamo` can")};
}

}  // namespace

Result<Serving> serving_of(const EmitRequest& request, std::string_view target) {
  if (Diagnostics diagnostics = check_names(request); !diagnostics.empty())
    return failure(std::move(diagnostics));
  const RankedShape& picked = *request.picked.front();
  if (Diagnostics faults = refuse_nodes(picked.shape, target); !faults.empty())
    return failure(std::move(faults));
  Result<EngineStart> start = engine_start(request, picked);
  if (!start) return failure(std::move(start.error()));
  const ResourceContract& contract = picked.contract;
  Serving serving{.request = request,
                  .picked = picked,
                  .name = document_names(request).front(),
                  .start = std::move(*start),
                  .grant = {},
                  .replicas = std::max<std::int64_t>(1, contract.replicas),
                  .cpus = domain::pod_vcpus(contract.vcpus),
                  .memory = domain::pod_memory(contract.memory_bytes),
                  .weights = {},
                  .notes = {}};
  serving.weights = weights_of(picked, serving.start);
  serving.notes = serving.start.notes;
  for (std::size_t i = 1; i < request.picked.size(); ++i) {
    if (serves_wish(request, request.picked[i]->shape, target)) continue;
    serving.notes.push_back(fmt::format("{} is for the first wish; {} takes another one: --pick",
                                        target, shape_label(request.picked[i]->shape)));
  }
  if (picked.shape.nodes > 1) {
    serving.notes.push_back(
        fmt::format("{}: what its {} nodes say to each other wants RDMA: add the network "
                    "resource of your cluster to the pods",
                    serving.name, picked.shape.nodes));
  }
  const auto role = role_of(serving);
  if ((role == domain::Role::Notebook || role == domain::Role::Ci) && !request.lifetime_seconds) {
    serving.notes.push_back(
        fmt::format("{}: nothing ends this {}, and it keeps its card: --lifetime 8h", serving.name,
                    name_of(*role)));
  }
  if (serving.start.engine.empty())
    serving.notes.push_back(fmt::format("{}: no model is named; put your image in", serving.name));
  return serving;
}

Node resources_of(const Serving& serving) {
  const Commenter comment(serving.request);
  const ResourceContract& contract = serving.picked.contract;
  Node amounts = Node::mapping();
  amounts.set("cpu", std::to_string(serving.cpus));
  amounts.set("memory", quantity_at_most(serving.memory));
  for (const Label& resource : serving.grant.resources) amounts.set(resource.key, resource.value);
  Node explained = Node::mapping();
  explained.set("cpu", comment.above(Node(std::to_string(serving.cpus)),
                                     fmt::format("VC-22: whole and equal; {} vCPU of the contract "
                                                 "less {} for the node's services",
                                                 contract.vcpus, domain::kNodeCpus)));
  explained.set("memory",
                comment.above(Node(quantity_at_most(serving.memory)),
                              fmt::format("{} of the contract less 5 % or 2Gi for the node; holds "
                                          "/dev/shm, too",
                                          quantity_at_least(contract.memory_bytes))));
  for (const Label& resource : serving.grant.resources)
    explained.set(resource.key, comment.behind(Node(resource.value), serving.grant.why));
  Node node = map({{"requests", std::move(explained)}, {"limits", std::move(amounts)}});
  if (!serving.grant.claim.empty()) node.set("claims", list({map({{"name", kClaimOfPod}})}));
  return node;
}

std::int64_t start_seconds(const Serving& serving) {
  return kSecondsBesideLoad + serving.weights.count() / kSlowestLoad;
}

Node hub_token(const Serving& serving) {
  return Commenter(serving.request)
      .above(map({{"name", "HF_TOKEN"},
                  {"valueFrom",
                   map({{"secretKeyRef",
                         map({{"name", kTokenSecret}, {"key", "token"}, {"optional", true}})}})}}),
             "only a gated model needs it: kubectl create secret generic hf-token "
             "--from-literal=token=hf_…");
}

Node probe_of(const Serving& serving, std::int64_t period, std::int64_t failures) {
  return map({{"httpGet", map({{"path", serving.start.health_path}, {"port", serving.start.port}})},
              {"periodSeconds", period},
              {"timeoutSeconds", 5},
              {"failureThreshold", failures}});
}

namespace {

void set_probes(Node& node, const Serving& serving, const Commenter& comment) {
  const std::int64_t seconds = start_seconds(serving);
  node.set("startupProbe",
           comment.above(
               probe_of(serving, kProbePeriod, (seconds + kProbePeriod - 1) / kProbePeriod),
               fmt::format("{} s: {} GB of weights at 100 MB/s and {} s for the rest; "
                           "nothing kills a model that is loading",
                           seconds, serving.weights.count() / 1'000'000'000, kSecondsBesideLoad)));
  node.set("readinessProbe", probe_of(serving, kProbePeriod, 3));
  constexpr std::int64_t kLivenessPeriod = 30;
  node.set("livenessProbe", probe_of(serving, kLivenessPeriod, 5));
}

Node arguments(const Serving& serving, const Commenter& comment) {
  Node node = Node::sequence();
  for (const EngineFlag& flag : serving.start.flags) {
    EngineStart one = serving.start;
    one.flags = {flag};
    bool is_first = true;
    for (std::string& word : arguments_of(one)) {
      Node item(std::move(word));
      node.add(is_first ? comment.behind(std::move(item), flag.why) : std::move(item));
      is_first = false;
    }
  }
  return node;
}

/// Where weights are kept, and the token of the hub.
Node engine_environment(const Serving& serving) {
  Node rows = list({map({{"name", "HF_HOME"}, {"value", kModelFolder}})});
  if (!is_local_model(serving.picked.contract.model)) rows.add(hub_token(serving));
  return rows;
}

Node volumes(const Serving& serving, const Commenter& comment) {
  Node rows = Node::sequence();
  rows.add(comment.above(
      map({{"name", kMemoryVolume},
           {"emptyDir",
            map({{"medium", "Memory"},
                 {"sizeLimit", quantity_at_least(serving.picked.contract.shared_memory_bytes)}})}}),
      "VC-24: the container's own 64 MiB are too few for several processes"));
  if (serving.weights > Bytes(0)) {
    rows.add(map({{"name", kWeightsVolume},
                  {"persistentVolumeClaim", map({{"claimName", weights_claim_name(serving)}})}}));
  }
  if (!serving.start.configuration.empty()) {
    rows.add(map({{"name", kConfigurationVolume},
                  {"configMap", map({{"name", configuration_name(serving)}})}}));
  }
  return rows;
}

Node product_affinity(const std::vector<std::string>& products) {
  const Node expression =
      map({{"key", "nvidia.com/gpu.product"}, {"operator", "In"}, {"values", list(products)}});
  return map({{"nodeAffinity",
               map({{"requiredDuringSchedulingIgnoredDuringExecution",
                     map({{"nodeSelectorTerms",
                           list({map({{"matchExpressions", list({expression})}})})}})}})}});
}

std::string topology_comment(const Serving& serving) {
  const ResourceContract& contract = serving.picked.contract;
  if (contract.numa)
    return fmt::format(
        "{} NUMA nodes: kubelet topologyManagerPolicy restricted with "
        "prefer-closest-numa-nodes, cpuManagerPolicy static",
        contract.numa->nodes);
  return "fits one NUMA node: kubelet topologyManagerPolicy single-numa-node, cpuManagerPolicy "
         "static";
}

}  // namespace

Node container(const Serving& serving, std::string_view name) {
  const Commenter comment(serving.request);
  const EngineStart& start = serving.start;
  Node node = map({{"name", name}});
  if (start.engine.empty()) {
    node.set("image", comment.behind(Node(kPlainImage), "your image here"));
    node.set("command", list(std::vector<std::string>{"sleep", "infinity"}));
  } else {
    node.set("image", start.image);
    node.set("command", list(start.command));
    node.set("args", arguments(serving, comment));
    node.set("env", engine_environment(serving));
    node.set("ports", list({map({{"name", "http"}, {"containerPort", start.port}})}));
  }
  node.set("resources", resources_of(serving));
  if (!start.engine.empty()) set_probes(node, serving, comment);
  Node mounts = list({map({{"name", kMemoryVolume}, {"mountPath", "/dev/shm"}})});
  if (serving.weights > Bytes(0))
    mounts.add(map({{"name", kWeightsVolume}, {"mountPath", kModelFolder}}));
  if (!start.configuration.empty())
    mounts.add(map({{"name", kConfigurationVolume}, {"mountPath", kConfigurationFolder}}));
  node.set("volumeMounts", std::move(mounts));
  return node;
}

Node pod_spec(const Serving& serving, std::string_view container_name) {
  const Commenter comment(serving.request);
  const Grant& grant = serving.grant;
  Node spec = Node::mapping();
  set_if(spec, "schedulerName", grant.scheduler);
  if (!grant.claim.empty()) {
    spec.set(
        "resourceClaims",
        list({map({{"name", kClaimOfPod},
                   {grant.is_claim_template ? "resourceClaimTemplateName" : "resourceClaimName",
                    grant.claim}})}));
  }
  Node selector = strings(grant.node_selector);
  if (grant.products.size() == 1) selector.set("nvidia.com/gpu.product", grant.products.front());
  set_if(spec, "nodeSelector", std::move(selector));
  if (grant.products.size() > 1) spec.set("affinity", product_affinity(grant.products));
  spec.set(
      "tolerations",
      list({map({{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}})}));
  spec.set("containers",
           comment.above(list({container(serving, container_name)}), topology_comment(serving)));
  spec.set("volumes", volumes(serving, comment));
  return spec;
}

}  // namespace gpushape::emit
