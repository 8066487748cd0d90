// Kinds that make pods from a form of their own: KAITO's Workspace, Argo's workflows.
//
// Sources: kaito-project/kaito, api/v1beta1/workspace_types.go and website/docs/presets.md
// (resource and inference stand beside metadata, a preset is served on all GPUs of the instance
// type, and the controller probes for the longest context that fits); argoproj/argo-workflows,
// docs/fields.md; Azure, "GPU-accelerated virtual machine sizes" (GPUs of an instance type).
#include <algorithm>
#include <array>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/pod_parts.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostWorkspaceNodes = 10'000;
constexpr std::string_view kInstanceTypeLabel = "node.kubernetes.io/instance-type";

struct InstanceRow {
  std::string_view type;
  double gpus;
};
constexpr auto kAzureInstances = std::to_array<InstanceRow>({
    {"Standard_NC24ads_A100_v4", 1},
    {"Standard_NC48ads_A100_v4", 2},
    {"Standard_NC96ads_A100_v4", 4},
    {"Standard_ND96asr_v4", 8},
    {"Standard_ND96amsr_A100_v4", 8},
    {"Standard_NC40ads_H100_v5", 1},
    {"Standard_NC80adis_H100_v5", 2},
    {"Standard_ND96isr_H100_v5", 8},
    {"Standard_ND96isr_H200_v5", 8},
});

/// A pod of the preset: all GPUs of its node. What it is started with is the controller's choice,
/// so nothing is said of an engine, and nothing is sized.
void take_preset(const Node& root, const Node& preset, PodRequest& pod) {
  const auto instance = text_at(root, {"resource", "instanceType"});
  Container container;
  container.node = &preset;
  container.name = word_at(preset, {"name"});
  const auto row = instance
                       ? std::ranges::find(kAzureInstances, instance->value, &InstanceRow::type)
                       : kAzureInstances.end();
  if (row != kAzureInstances.end()) {
    const ResourceAmount amount{"nvidia.com/gpu", row->gpus, instance->node,
                                instance->node->position()};
    container.limits.push_back(amount);
    container.requests.push_back(amount);
  }
  pod.containers.push_back(std::move(container));
}

/// `container`, `script`, `containerSet` of a template, and what stands beside the steps.
void read_workflow_template(const Object& object, const Node& spec, const Node& step,
                            Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  read_pod_spec(step, pod);  // volumes, selector, tolerations, deadline, init containers
  for (const std::string_view field : {"container", "script"}) {
    const Node* body = step.find(field);
    if (body != nullptr) pod.containers.push_back(read_container(*object.document, *body));
  }
  for (const Node* list : {at(step, {"containerSet", "containers"}), step.find("sidecars")}) {
    if (list == nullptr) continue;
    for (const Node& each : list->items()) {
      pod.containers.push_back(read_container(*object.document, each));
    }
  }
  if (pod.containers.empty()) return;  // steps, a dag: it names other templates
  pod.part = word_at(step, {"name"});
  pod.ends = true;
  if (pod.node_selector.empty()) pod.node_selector = named_texts(spec.find("nodeSelector"));
  if (pod.tolerations == nullptr) pod.tolerations = spec.find("tolerations");
  if (pod.affinity == nullptr) pod.affinity = spec.find("affinity");
  if (!pod.scheduler) pod.scheduler = text_at(spec, {"schedulerName"});
  if (!pod.deadline_seconds) pod.deadline_seconds = quantity_at(spec, {"activeDeadlineSeconds"});
  if (const Node* volumes = spec.find("volumes")) {
    for (const Node& each : volumes->items()) pod.volumes.push_back(read_volume(each));
  }
  deployment.pods.push_back(std::move(pod));
}

}  // namespace

void read_kaito(const Object& object, Deployment& deployment) {
  const Node& root = *object.root;
  PodRequest pod = begin_pod(*object.document, root);
  if (const auto count = integer_at(root, {"resource", "count"})) {
    pod.pods_per_replica = std::clamp<std::int64_t>(count->value, 1, kMostWorkspaceNodes);
  }
  const Node* pod_template = at(root, {"inference", "template"});
  const Node* preset = at(root, {"inference", "preset"});
  if (preset == nullptr) {
    preset = at(root, {"tuning", "preset"});
    pod.ends = preset != nullptr;
  }
  if (pod_template != nullptr) {
    read_pod_template(pod_template, pod);
  } else if (preset != nullptr) {
    take_preset(root, *preset, pod);
  } else {
    return;
  }
  const auto labels = named_texts(at(root, {"resource", "labelSelector", "matchLabels"}));
  pod.node_selector.insert(pod.node_selector.end(), labels.begin(), labels.end());
  if (const Node* type = at(root, {"resource", "instanceType"})) {
    pod.node_selector.push_back(
        {std::string(kInstanceTypeLabel), word_of(*type), type, type->position()});
  }
  deployment.pods.push_back(std::move(pod));
}

void read_workflow(const Object& object, Deployment& deployment) {
  const Node* spec = at(*object.root, {"spec", "workflowSpec"});  // of a CronWorkflow
  if (spec == nullptr) spec = object.root->find("spec");
  const Node* templates = at(spec, {"templates"});
  if (templates == nullptr) return;
  for (const Node& each : templates->items()) {
    read_workflow_template(object, *spec, each, deployment);
  }
}

}  // namespace gpushape::review
