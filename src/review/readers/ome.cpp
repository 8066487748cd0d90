// OME's InferenceService, ServingRuntime and the base models that they name.
//
// Source: sgl-project/ome pkg/apis/ome/v1beta1 (inference_service.go, servingruntime_types.go:
// engineConfig.runner or .leader and .worker; MODEL_PATH names the model) and config/runtimes.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"
#include "review/readers/serving_runtimes.hpp"

namespace gpushape::review {

using document::Document;
using document::Node;

namespace {

/// What MODEL_PATH is in the container: the hub's name where a document tells it, else a path with
/// the name of the base model.
std::string model_path(const Node& service, const Deployment& deployment) {
  std::string name = word_at(service, {"spec", "model", "name"});
  if (name.empty()) name = word_at(service, {"spec", "predictor", "model", "baseModel"});
  if (name.empty()) return {};
  const auto stored = deployment.base_models.find(name);
  if (stored != deployment.base_models.end()) return stored->second;
  return "/models/" + name;
}

/// Where the engine stands: `engineConfig` or, in older runtimes, the spec itself.
const Node& engine_part(const Node& spec) {
  const Node* engine = spec.find("engineConfig");
  if (engine == nullptr) engine = spec.find("engine");
  return engine == nullptr ? spec : *engine;
}

void add_runner(const Document& document, const Node& part, const std::string& model,
                PodRequest& pod) {
  const Node* runner = part.find("runner");
  if (runner == nullptr) return;
  Container container = read_container(document, *runner);
  std::vector<ShellVariable> variables = variables_of(container.environment);
  if (!model.empty()) variables.push_back({"MODEL_PATH", model});
  container.commands =
      commands_of(document, runner->find("command"), runner->find("args"), variables);
  pod.containers.push_back(std::move(container));
}

/// The pods of one runtime or service: one, or a leader and its workers.
void take_engine_pods(const ServingRuntime& runtime, const Node& spec, const std::string& model,
                      const PodRequest& base, Deployment& deployment) {
  const Document& document = *runtime.document;
  const Node& engine = engine_part(spec);
  const Node* leader = engine.find("leader");
  const Node* worker = engine.find("worker");
  const auto size = worker == nullptr ? std::nullopt : integer_at(*worker, {"size"});
  const auto workers = std::clamp<std::int64_t>(size ? size->value : 1, 0, kMostServingReplicas);
  for (const Node* part :
       {leader == nullptr ? &engine : leader, leader == nullptr ? nullptr : worker}) {
    if (part == nullptr) continue;
    PodRequest pod = base;
    const Document* own = std::exchange(pod.document, &document);
    read_pod_spec(*part, pod);
    if (part != &engine && pod.volumes.empty()) {
      PodRequest shared;
      shared.document = &document;
      read_pod_spec(engine, shared);
      pod.volumes = std::move(shared.volumes);
    }
    add_runner(document, *part, model, pod);
    pod.document = own;
    if (leader != nullptr) pod.part = part == leader ? "leader" : "worker";
    if (part == leader) pod.pods_per_replica = 1;
    if (part == worker) pod.pods_per_replica = workers;
    deployment.pods.push_back(std::move(pod));
  }
}

}  // namespace

void read_ome_service(const Object& object, Deployment& deployment) {
  const ServingRuntime* runtime = runtime_of(*object.root, deployment);
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.is_partly_shown = true;
  if (const Node* engine = at(*object.root, {"spec", "engine"})) {
    take_serving_replicas(*engine, {"minReplicas"}, pod);
  } else if (const Node* predictor = at(*object.root, {"spec", "predictor"})) {
    take_serving_replicas(*predictor, {"minReplicas"}, pod);
  }
  const std::string model = model_path(*object.root, deployment);
  const ServingRuntime own{object.document, object.root, {}, {}, {}, true};
  const Node* spec = object.root->find("spec");
  const bool is_shown = runtime != nullptr &&
                        runtime->document->source == object.document->source &&
                        runtime->root->find("spec") != nullptr;
  if (is_shown) {
    take_engine_pods(*runtime, *runtime->root->find("spec"), model, pod, deployment);
  } else if (spec != nullptr) {
    take_engine_pods(own, *spec, model, pod, deployment);
  }
}

/// As for KServe: a template that no service of the documents names asks for nothing.
void read_ome_runtime(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr || !is_unused(object, deployment)) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.replicas = 0;
  pod.is_template = true;
  const ServingRuntime own{object.document, object.root, object.api_version, {}, {}, false};
  take_engine_pods(own, *spec, {}, pod, deployment);
}

}  // namespace gpushape::review
