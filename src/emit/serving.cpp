#include "emit/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

/// What a node's own services take of a contract (vm-contract.md 5.3): 1 CPU, and 5 % of memory or
/// 2 GiB.
constexpr std::int64_t kNodeCpus = 1;
constexpr std::int64_t kNodeMemoryPart = 20;
const Bytes kNodeMemory = gib(2);

/// The first start downloads the weights. Ours: a link of 1 Gb/s brings 100 MB a second.
constexpr std::int64_t kSlowestLoad = 100'000'000;
/// Ours: compiling, profiling and capturing graphs, whatever the size.
constexpr std::int64_t kSecondsBesideLoad = 600;
constexpr std::int64_t kProbePeriod = 10;

/// Temporary files of a download stand beside what is there already. Ours.
constexpr std::int64_t kVolumeRoomPercent = 120;

/// Ours; there is no engine to start where no model is named.
constexpr std::string_view kPlainImage = "nvcr.io/nvidia/cuda:13.0.0-base-ubuntu24.04";

constexpr std::string_view kNameLabel = "app.kubernetes.io/name";
constexpr std::string_view kWeightsVolume = "weights";
constexpr std::string_view kMemoryVolume = "shm";
constexpr std::string_view kClaimOfPod = "gpus";

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
    return {sanitized(guest_product(*profile))};
  std::vector<std::string> labels;
  for (const std::string& name : device.product_names) labels.push_back(sanitized(name));
  return labels;
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
  if (device.vendor == "amd") return "amd.com/gpu";
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
    grant.resources = {{plugin_resource(shape, device), std::to_string(shape.count)}};
    if (device.vendor == "nvidia") grant.products = product_labels(request, shape);
    grant.why = shape.count > 1 ? fmt::format("tensor {} x pipeline {}", shape.parallelism.tensor,
                                              shape.parallelism.pipeline)
                                : std::string();
  }
  if (is_written(request, "vks-cluster"))
    grant.node_selector = {{std::string(kNodeClassLabel), document_names(request).front()}};
  return grant;
}

Result<Serving> serving_of(const EmitRequest& request, std::string_view target) {
  if (Diagnostics diagnostics = check_names(request); !diagnostics.empty())
    return failure(std::move(diagnostics));
  const RankedShape& picked = *request.picked.front();
  Result<EngineStart> start = engine_start(request, picked);
  if (!start) return failure(std::move(start.error()));
  const ResourceContract& contract = picked.contract;
  Serving serving{.request = request,
                  .picked = picked,
                  .name = document_names(request).front(),
                  .start = std::move(*start),
                  .grant = {},
                  .replicas = std::max<std::int64_t>(1, contract.replicas),
                  .cpus = std::max<std::int64_t>(1, contract.vcpus - kNodeCpus),
                  .memory = contract.memory_bytes -
                            std::max(kNodeMemory, contract.memory_bytes / kNodeMemoryPart),
                  .weights = {},
                  .notes = {}};
  serving.weights = weights_of(picked, serving.start);
  serving.notes = serving.start.notes;
  for (std::size_t i = 1; i < request.picked.size(); ++i) {
    serving.notes.push_back(fmt::format("{} is for the first wish; {} has flags of its own: --pick",
                                        target, shape_label(request.picked[i]->shape)));
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
                                                 contract.vcpus, kNodeCpus)));
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
    node.set("env", list({map({{"name", "HF_HOME"}, {"value", kModelFolder}})}));
    node.set("ports", list({map({{"name", "http"}, {"containerPort", start.port}})}));
  }
  node.set("resources", resources_of(serving));
  if (!start.engine.empty()) set_probes(node, serving, comment);
  Node mounts = list({map({{"name", kMemoryVolume}, {"mountPath", "/dev/shm"}})});
  if (serving.weights > Bytes(0))
    mounts.add(map({{"name", kWeightsVolume}, {"mountPath", kModelFolder}}));
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

Node pod_metadata(const Serving& serving) {
  std::vector<Label> labels = {{std::string(kNameLabel), serving.name}};
  labels.insert(labels.end(), serving.grant.labels.begin(), serving.grant.labels.end());
  Node node = map({{"labels", strings(labels)}});
  set_if(node, "annotations", strings(serving.grant.annotations));
  return node;
}

std::string weights_claim_name(const Serving& serving) {
  return fitted_label(serving.name + "-weights");
}

std::string weights_room(const Serving& serving) {
  return quantity_at_least(round_up(serving.weights * kVolumeRoomPercent / 100, gib(1)));
}

Node weights_volume_claim(const Serving& serving) {
  const Commenter comment(serving.request);
  return map(
      {{"apiVersion", comment.above(Node("v1"), "the weights of " + serving.picked.contract.model)},
       {"kind", "PersistentVolumeClaim"},
       {"metadata", metadata(serving.request, weights_claim_name(serving), serving.picked)},
       {"spec",
        map({{"accessModes", list(std::vector<std::string>{
                                 serving.replicas > 1 ? "ReadWriteMany" : "ReadWriteOnce"})},
             {"resources",
              map({{"requests",
                    map({{"storage",
                          comment.behind(
                              Node(weights_room(serving)),
                              fmt::format("{} GB, and a fifth for a download's "
                                          "temporary files",
                                          serving.weights.count() / 1'000'000'000))}})}})}})}});
}

Node deployment(const Serving& serving, const std::vector<Label>& further_labels) {
  const Commenter comment(serving.request);
  Node strategy = map({{"type", "Recreate"}});
  if (serving.replicas > 1) {
    strategy = map({{"type", "RollingUpdate"},
                    {"rollingUpdate", map({{"maxSurge", 0}, {"maxUnavailable", 1}})}});
  }
  const Node selector = map({{std::string(kNameLabel), serving.name}});
  std::vector<Label> labels = {{std::string(kNameLabel), serving.name}};
  labels.insert(labels.end(), further_labels.begin(), further_labels.end());
  return map({{"apiVersion", comment.above(Node("apps/v1"), headline(serving.picked))},
              {"kind", "Deployment"},
              {"metadata", metadata(serving.request, serving.name, serving.picked, labels, {})},
              {"spec",
               map({{"replicas", serving.replicas},
                    {"strategy", comment.above(std::move(strategy),
                                               "no spare slot is known: the old pod goes before "
                                               "the new one comes")},
                    {"progressDeadlineSeconds", start_seconds(serving) + kSecondsBesideLoad},
                    {"selector", map({{"matchLabels", selector}})},
                    {"template",
                     map({{"metadata", pod_metadata(serving)},
                          {"spec", pod_spec(serving, serving.start.engine.empty()
                                                         ? std::string("workload")
                                                         : label_of(serving.start.engine))}})}})}});
}

Emitted emitted_of(const Serving& serving, std::vector<Node> documents) {
  const Commenter comment(serving.request);
  Emitted emitted;
  emitted.documents = std::move(documents);
  for (Node& root : emitted.documents) comment.close(root, serving.request);
  emitted.notes = serving.notes;
  return emitted;
}

}  // namespace gpushape::emit
