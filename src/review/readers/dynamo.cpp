// NVIDIA Dynamo's graphs.
//
// Source: ai-dynamo/dynamo deploy/operator/api.
#include <algorithm>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

/// How a backend of Dynamo is started where the component does not say it.
std::string_view dynamo_engine(std::string_view backend) {
  if (backend == "sglang") return "sglang";
  if (backend == "trtllm") return "tensorrt-llm";
  return "vllm";
}

void finish_dynamo(const Object& object, std::string_view backend, const Node& component,
                   std::optional<Located<double>> shared, PodRequest pod, Deployment& deployment) {
  const std::string type = word_at(component, {"type"}) + word_at(component, {"componentType"});
  const bool is_engine = type != "frontend" && type != "planner" && type != "epp";
  if (Container* main = find_container(pod, "main"); main != nullptr && is_engine) {
    if (!main->has_command) {
      put_command(*object.document, begin_command(dynamo_engine(backend), nullptr, component),
                  *main);
    }
    if (main->mount_at("/dev/shm") == nullptr) add_shared_memory(component, shared, pod);
  }
  deployment.pods.push_back(std::move(pod));
}

void read_dynamo_component(const Object& object, std::string_view backend, const Node& component,
                           Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = word_at(component, {"name"});
  take_serving_replicas(component, {"replicas"}, pod);
  if (const auto nodes = integer_at(component, {"multinode", "nodeCount"})) {
    pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostServingReplicas);
  }
  read_pod_template(component.find("podTemplate"), pod);
  finish_dynamo(object, backend, component, quantity_at(component, {"sharedMemorySize"}),
                std::move(pod), deployment);
}

/// v1alpha1: services by name, resources as bare counts, the container in extraPodSpec.
void read_dynamo_service(const Object& object, std::string_view backend, const Node::Entry& entry,
                         Deployment& deployment) {
  const Node& service = entry.value;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = entry.name;
  take_serving_replicas(service, {"replicas"}, pod);
  if (const auto nodes = integer_at(service, {"multinode", "nodeCount"})) {
    pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostServingReplicas);
  }
  const Node* extra = service.find("extraPodSpec");
  if (extra != nullptr) read_pod_spec(*extra, pod);
  const Node* inner = at(extra, {"mainContainer"});
  Container main;
  if (inner != nullptr) main = read_container(*object.document, *inner);
  if (main.node == nullptr) main.node = &service;
  main.name = "main";
  for (const std::string_view list : {"requests", "limits"}) {
    const Node* amounts = at(service, {"resources", list});
    if (amounts == nullptr) continue;
    auto& rows = list == "limits" ? main.limits : main.requests;
    for (ResourceAmount& row : amounts_of(amounts)) {
      if (row.name == "gpu") row.name = "nvidia.com/gpu";
      rows.push_back(std::move(row));
    }
  }
  pod.containers.push_back(std::move(main));
  finish_dynamo(object, backend, service, quantity_at(service, {"sharedMemory", "size"}),
                std::move(pod), deployment);
}

}  // namespace

void read_dynamo(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  const std::string backend = word_at(*spec, {"backendFramework"});
  if (const Node* components = spec->find("components")) {
    for (const Node& each : components->items()) {
      read_dynamo_component(object, backend, each, deployment);
    }
  }
  if (const Node* services = spec->find("services")) {
    for (const Node::Entry& entry : services->entries()) {
      read_dynamo_service(object, backend, entry, deployment);
    }
  }
}

}  // namespace gpushape::review
