// The documents around the pods of an engine: the claim for its weights, its configuration, the
// deployment and the service in front of it.

#include <fmt/format.h>

#include <utility>

#include "document/text_format.hpp"
#include "emit/labels.hpp"
#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

/// Temporary files of a download stand beside what is there already. Ours.
constexpr std::int64_t kVolumeRoomPercent = 120;

}  // namespace

std::string configuration_name(const Serving& serving) {
  return fitted_label(serving.name + "-engine");
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
       {"spec", map({{"accessModes", list(std::vector<std::string>{
                                         serving.replicas > 1 || serving.picked.shape.nodes > 1
                                             ? "ReadWriteMany"
                                             : "ReadWriteOnce"})},
                     {"resources",
                      map({{"requests",
                            map({{"storage",
                                  comment.behind(Node(weights_room(serving)),
                                                 fmt::format("{} GB, and a fifth for a download's "
                                                             "temporary files",
                                                             serving.weights.count() /
                                                                 1'000'000'000))}})}})}})}});
}

std::vector<Node> documents_beside(const Serving& serving) {
  const Commenter comment(serving.request);
  std::vector<Node> documents;
  if (serving.weights > Bytes(0)) documents.push_back(weights_volume_claim(serving));
  if (serving.start.configuration.empty()) return documents;
  const Node content = configuration_of(serving.start, comment);
  const std::string file(kConfigurationFile.substr(kConfigurationFolder.size() + 1));
  documents.push_back(
      map({{"apiVersion", comment.above(Node("v1"), "what the engine has no flags for")},
           {"kind", "ConfigMap"},
           {"metadata", metadata(serving.request, configuration_name(serving), serving.picked)},
           {"data", map({{file, document::write_yaml(content)}})}}));
  return documents;
}

Node engine_service(const Serving& serving) {
  const Commenter comment(serving.request);
  // A service's name begins with a letter (RFC 1035), unlike any other.
  const bool has_letter = serving.name.front() >= 'a' && serving.name.front() <= 'z';
  const std::string name = has_letter ? serving.name : fitted_label("s-" + serving.name);
  return map(
      {{"apiVersion", comment.above(Node("v1"), "where the replicas answer inside the cluster")},
       {"kind", "Service"},
       {"metadata", metadata(serving.request, name, serving.picked)},
       {"spec", map({{"selector", map({{std::string(kNameLabel), serving.name}})},
                     {"ports", list({map({{"name", "http"},
                                          {"port", serving.start.port},
                                          {"targetPort", "http"}})})}})}});
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

Emitted values_of(const Serving& serving, std::vector<Node> documents) {
  const Commenter comment(serving.request);
  Emitted emitted = emitted_of(serving, std::move(documents));
  for (Node& root : emitted.documents) comment.close(root, serving.request, {&serving.picked});
  return emitted;
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
