#include "review/readers/serving_runtimes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "review/model_names.hpp"

namespace gpushape::review {

using document::Document;
using document::Node;

namespace {

constexpr std::size_t kMostRuntimes = 1000;  // ours: of one input

bool is_serving_api(std::string_view api_version) {
  return api_version.starts_with("serving.kserve.io/") || api_version.starts_with("ome.io/");
}

std::string_view group_of(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

/// The field that names the runtime: KServe's is a text, OME's a mapping with a name.
const Node* runtime_field(const Node& service) {
  const Node* field = at(service, {"spec", "predictor", "model", "runtime"});
  if (field == nullptr) field = at(service, {"spec", "runtime", "name"});
  return field;
}

bool supports(const ServingRuntime& runtime, std::string_view format) {
  const Node* formats = at(*runtime.root, {"spec", "supportedModelFormats"});
  return formats != nullptr && std::ranges::any_of(formats->items(), [format](const Node& row) {
           return word_at(row, {"name"}) == format && is_set(row, {"autoSelect"});
         });
}

bool is_within(const ServingRuntime& runtime, std::string_view api_version,
               std::string_view name_space) {
  return group_of(runtime.api_version) == group_of(api_version) &&
         (runtime.name_space.empty() || name_space.empty() || runtime.name_space == name_space);
}

void collect_from(const Document& document, const Node& root, Deployment& deployment,
                  std::vector<const Node*>& services) {
  const std::string kind = word_at(root, {"kind"});
  if (const Node* items = listed_objects(root)) {
    for (const Node& item : items->items()) collect_from(document, item, deployment, services);
    return;
  }
  std::string api_version = word_at(root, {"apiVersion"});
  if (!is_serving_api(api_version)) return;
  if (kind == "InferenceService") services.push_back(&root);
  if (kind.ends_with("BaseModel")) {
    const std::string hub = hub_name_in(word_at(root, {"spec", "storage", "storageUri"}));
    if (!hub.empty()) deployment.base_models.emplace(word_at(root, {"metadata", "name"}), hub);
  }
  if (!kind.ends_with("ServingRuntime") || deployment.runtimes.size() >= kMostRuntimes) return;
  deployment.runtimes.push_back({&document, &root, std::move(api_version),
                                 word_at(root, {"metadata", "name"}),
                                 word_at(root, {"metadata", "namespace"})});
}

}  // namespace

void collect_serving_runtimes(std::span<const Document> documents, Deployment& deployment) {
  std::vector<const Node*> services;
  for (const Document& document : documents) {
    collect_from(document, document.root, deployment, services);
  }
  for (const Node* service : services) {
    const ServingRuntime* found = runtime_of(*service, deployment);
    if (found == nullptr) continue;
    deployment.runtimes[static_cast<std::size_t>(found - deployment.runtimes.data())].is_used =
        true;
  }
}

const ServingRuntime* runtime_of(const Node& service, const Deployment& deployment) {
  const Node* field = runtime_field(service);
  const std::string format =
      word_at(service, {"spec", "predictor", "model", "modelFormat", "name"});
  if (field == nullptr && format.empty()) return nullptr;
  const std::string name = field == nullptr ? std::string() : word_of(*field);
  const std::string api_version = word_at(service, {"apiVersion"});
  const std::string name_space = word_at(service, {"metadata", "namespace"});
  const ServingRuntime* found = nullptr;
  for (const ServingRuntime& runtime : deployment.runtimes) {
    if (!is_within(runtime, api_version, name_space)) continue;
    if (field != nullptr && runtime.name == name) return &runtime;
    if (field != nullptr || !supports(runtime, format)) continue;
    if (found != nullptr) return nullptr;  // priorities decide, and others of the cluster
    found = &runtime;
  }
  return found;
}

bool is_unused(const Object& object, const Deployment& deployment) {
  return std::ranges::none_of(deployment.runtimes, [&](const ServingRuntime& runtime) {
    return runtime.root == object.root && runtime.is_used;
  });
}

void fill_in_placeholders(std::string_view name, Container& container) {
  constexpr std::string_view kName = "{{.Name}}";
  for (Command& command : container.commands) {
    for (Word& word : command) {
      const std::size_t at = word.text.find(kName);
      if (at != std::string::npos) word.text.replace(at, kName.size(), name);
    }
  }
}

void place_at(const Node& node, Container& container) {
  container.node = &node;
  for (Command& command : container.commands) {
    for (Word& word : command) {
      word.position = node.position();
      word.is_field = true;
    }
  }
  for (auto* rows : {&container.requests, &container.limits}) {
    for (ResourceAmount& row : *rows) {
      row.node = &node;
      row.name_position = node.position();
    }
  }
  for (EnvironmentVariable& row : container.environment) row.node = &node;
  for (VolumeMount& row : container.mounts) row.node = &node;
  for (ClaimUse& row : container.claims) row.node = &node;
  if (container.image) container.image->node = &node;
  for (auto* probe : {&container.startup, &container.liveness, &container.readiness}) {
    if (*probe) (*probe)->node = &node;
  }
}

}  // namespace gpushape::review
