// Helm values of Ollama's chart, on their own or below the name of a chart that brings it along
// (Open WebUI).
//
// Source: otwld/ollama-helm values.yaml and templates/deployment.yaml.
#include <algorithm>
#include <string>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::string_view kChartImage = "ollama/ollama";

/// `models.pull` and its like, or the plain list of older charts beside `gpu`.
bool is_of_chart(const Node& inner) {
  const Node* gpu = inner.find("gpu");
  const bool has_gpu = gpu != nullptr && gpu->is(Node::Kind::Mapping);
  const Node* models = inner.find("models");
  if (models == nullptr || !models->is(Node::Kind::Mapping)) return has_gpu;
  return models->find("pull") != nullptr || models->find("run") != nullptr ||
         models->find("create") != nullptr || has_gpu;
}

/// The chart's own values.
const Node* chart_values(const Node& root) {
  for (const Node* values : {&root, root.find("ollama")}) {
    const Node* inner = values == nullptr ? nullptr : values->find("ollama");
    if (inner != nullptr && inner->is(Node::Kind::Mapping) && is_of_chart(*inner)) return values;
  }
  return nullptr;
}

/// `models` was a plain list before it had `pull` and `run`.
void take_listed_models(const Node* models, Container& container) {
  if (models == nullptr) return;
  const auto take = [&container](const Node* list, std::string_view verb) {
    if (list == nullptr) return;
    for (const Node& each : list->items()) {
      const auto word = [&each](std::string_view text) {
        return Word{std::string(text), each.position(), true};
      };
      container.commands.push_back({word("ollama"), word(verb), word(word_of(each))});
    }
  };
  take(models, "pull");
  take(models->find("pull"), "pull");
  take(models->find("run"), "run");
}

void add_amount(std::string resource, double count, const Node& node, Container& container) {
  const ResourceAmount amount{std::move(resource), count, &node, node.position()};
  container.limits.push_back(amount);
  container.requests.push_back(amount);
}

/// The chart writes them into the limits.
void take_ollama_gpus(const Node* gpu, Container& container) {
  if (gpu == nullptr || !is_set(*gpu, {"enabled"}) || is_set(*gpu, {"draEnabled"})) return;
  const Node* devices = at(gpu, {"mig", "devices"});
  if (is_set(*gpu, {"mig", "enabled"}) && devices != nullptr) {
    for (const Node::Entry& row : devices->entries()) {
      const auto count = row.value.is(Node::Kind::Integer) ? row.value.number() : 1;
      add_amount("nvidia.com/mig-" + row.name, count, row.value, container);
    }
    return;
  }
  const auto number = integer_at(*gpu, {"number"});
  std::string resource = word_at(*gpu, {"nvidiaResource"});
  if (resource.empty()) resource = "nvidia.com/gpu";
  if (word_at(*gpu, {"type"}) == "amd") resource = "amd.com/gpu";
  if (container.limit(resource) != nullptr) return;
  add_amount(std::move(resource), number ? static_cast<double>(number->value) : 1,
             number ? *number->node : *gpu, container);
}

}  // namespace

bool is_ollama_values(const Node& root) {
  return root.find("kind") == nullptr && root.find("services") == nullptr &&
         chart_values(root) != nullptr;
}

void read_ollama_values(const Object& object, Deployment& deployment) {
  const Node& values = *chart_values(*object.root);
  const Node& ollama = *values.find("ollama");
  PodRequest pod;
  pod.document = object.document;
  pod.root = &values;
  pod.source = PodSource::Chart;
  pod.kind = object.kind;
  take_serving_replicas(values, {"replicaCount"}, pod);
  pod.annotations = named_texts(values.find("podAnnotations"));
  pod.node_selector = named_texts(values.find("nodeSelector"));
  pod.tolerations = values.find("tolerations");
  pod.affinity = values.find("affinity");
  Container container;
  container.node = &ollama;
  container.name = "ollama";
  const Node* repository = at(values, {"image", "repository"});
  std::string image = repository == nullptr ? std::string(kChartImage) : word_of(*repository);
  const std::string tag = word_at(values, {"image", "tag"});
  if (!tag.empty()) image += ":" + tag;
  container.image =
      Located<std::string>{std::move(image), repository == nullptr ? &ollama : repository};
  container.environment = environment_of(values.find("extraEnv"));
  container.requests = amounts_of(at(values, {"resources", "requests"}));
  container.limits = amounts_of(at(values, {"resources", "limits"}));
  take_listed_models(ollama.find("models"), container);
  take_ollama_gpus(ollama.find("gpu"), container);
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
