// NVIDIA's inference microservices: the operator's NIMService, and the values of the charts.
//
// Sources: NVIDIA/k8s-nim-operator api/apps/v1alpha1; docs.nvidia.com/nim, "Helm" (the nim-llm
// chart).
#include <algorithm>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

/// NVIDIA's `draResources`: claims that the operator makes, in the form of any other claim.
void take_nim_claims(const Object& object, const Node& spec, PodRequest& pod, Container& container,
                     Deployment& deployment) {
  const Node* rows = spec.find("draResources");
  if (rows == nullptr) return;
  std::size_t number = 0;
  for (const Node& row : rows->items()) {
    const std::string name = "dra-" + std::to_string(number++);
    PodClaim use;
    use.node = &row;
    use.name = name;
    use.claim = text_at(row, {"resourceClaimName"});
    use.claim_template = text_at(row, {"resourceClaimTemplateName"});
    if (const Node* devices = at(row, {"claimCreationSpec", "devices"})) {
      Claim claim;
      claim.document = object.document;
      claim.root = object.root;
      claim.is_template = true;
      claim.version = "v1";
      claim.name = object.name + "-" + name;
      claim.name_space = object.name_space;
      for (const Node& device : devices->items()) {
        ClaimRequest request;
        request.node = &device;
        request.exactly = &device;
        request.name = word_at(device, {"name"});
        request.device_class = text_at(device, {"deviceClassName"});
        if (const auto count = integer_at(device, {"count"})) {
          request.count = std::clamp<std::int64_t>(count->value, 0, kMostServingReplicas);
          request.count_node = count->node;
        }
        if (const Node* expressions = device.find("celExpressions")) {
          for (const Node& each : expressions->items()) {
            request.selectors.push_back({word_of(each), &each});
          }
        }
        claim.requests.push_back(std::move(request));
      }
      use.claim_template = Located<std::string>{claim.name, &row};
      deployment.claims.push_back(std::move(claim));
    }
    container.claims.push_back({name, {}, &row});
    pod.claims.push_back(std::move(use));
  }
}

/// "nvcr.io/nim/meta/llama3-8b-instruct"
bool is_nim_image(std::string_view repository) {
  return repository.starts_with("nvcr.io/nim/") || repository.contains("/nim/");
}

bool is_nim_part(const Node& values) {
  return is_nim_image(word_at(values, {"image", "repository"}));
}

void read_nim_part(const Object& object, const Node& values, std::string name,
                   Deployment& deployment) {
  PodRequest pod;
  pod.document = object.document;
  pod.root = &values;
  pod.source = PodSource::Chart;
  pod.kind = object.kind;
  pod.name = std::move(name);
  pod.is_partly_shown = true;
  take_serving_replicas(values, {"replicaCount"}, pod);
  pod.annotations = named_texts(values.find("podAnnotations"));
  pod.node_selector = named_texts(values.find("nodeSelector"));
  pod.tolerations = values.find("tolerations");
  pod.affinity = values.find("affinity");
  if (is_set(values, {"multiNode", "enabled"})) {
    if (const auto workers = integer_at(values, {"multiNode", "workers"})) {
      pod.pods_per_replica = std::clamp<std::int64_t>(workers->value, 1, kMostServingReplicas);
    }
  }
  Container container = read_container(*object.document, values);
  container.name = "nim";
  std::string image = word_at(values, {"image", "repository"});
  const std::string tag = word_at(values, {"image", "tag"});
  if (!tag.empty()) image += ":" + tag;
  container.image = Located<std::string>{std::move(image), at(values, {"image", "repository"})};
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace

/// Those of the chart itself, or of a blueprint that brings several along by name.
bool is_nim_values(const Node& root) {
  if (root.find("kind") != nullptr || root.find("services") != nullptr) return false;
  return is_nim_part(root) || std::ranges::any_of(root.entries(), [](const Node::Entry& entry) {
           return is_nim_part(entry.value);
         });
}

void read_nim_values(const Object& object, Deployment& deployment) {
  if (is_nim_part(*object.root)) read_nim_part(object, *object.root, {}, deployment);
  for (const Node::Entry& entry : object.root->entries()) {
    const auto enabled = flag_at(entry.value, {"enabled"});
    if (enabled && !enabled->value) continue;
    if (is_nim_part(entry.value)) read_nim_part(object, entry.value, entry.name, deployment);
  }
}

void read_nim_service(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  take_serving_replicas(*spec, {"replicas"}, pod);
  pod.node_selector = named_texts(spec->find("nodeSelector"));
  pod.tolerations = spec->find("tolerations");
  pod.scheduler = text_at(*spec, {"schedulerName"});
  pod.runtime_class = text_at(*spec, {"runtimeClassName"});
  Container container = read_container(*object.document, *spec);
  container.name = "nim";
  container.image = text_at(*spec, {"image", "repository"});
  if (container.image) {
    const std::string tag = word_at(*spec, {"image", "tag"});
    if (!tag.empty()) container.image->value += ":" + tag;
  }
  for (const auto& [field, probe] :
       {std::pair{"startupProbe", &container.startup}, {"livenessProbe", &container.liveness}}) {
    const Node* own = at(*spec, {field, "probe"});
    if (probe->has_value() && own == nullptr) probe->reset();  // a switch alone: the operator's own
    if (own != nullptr) *probe = Probe{own};
    if (own == nullptr) continue;
    if (const auto value = quantity_at(*own, {"periodSeconds"})) (*probe)->period = value->value;
    if (const auto value = integer_at(*own, {"failureThreshold"}))
      (*probe)->failures = value->value;
    if (const auto value = quantity_at(*own, {"initialDelaySeconds"})) {
      (*probe)->initial_delay = value->value;
    }
  }
  const EnvironmentVariable* path = container.variable("NIM_MODEL_PATH");
  if (path == nullptr) path = container.variable("NIM_MODEL_NAME");
  if (path != nullptr && container.variable("NIM_PASSTHROUGH_ARGS") != nullptr) {
    put_command(*object.document, begin_command("vllm", path->node, *spec), container);
  }
  if (const auto stages = integer_at(*spec, {"multiNode", "parallelism", "pipeline"})) {
    // One pod a pipeline stage.
    pod.pods_per_replica = std::clamp<std::int64_t>(stages->value, 1, kMostServingReplicas);
  }
  take_nim_claims(object, *spec, pod, container, deployment);
  pod.containers.push_back(std::move(container));
  add_shared_memory(*spec, quantity_at(*spec, {"storage", "sharedMemorySizeLimit"}), pod);
  const std::string weights = word_at(*spec, {"storage", "pvc", "name"});
  if (!weights.empty()) {
    Volume volume;
    volume.node = at(*spec, {"storage", "pvc"});
    volume.name = "model-store";
    volume.kind = VolumeKind::PersistentClaim;
    volume.claim = weights;
    volume.limit_bytes = quantity_at(*spec, {"storage", "pvc", "size"});
    pod.volumes.push_back(std::move(volume));
  }
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
