// The target `pod`: one instance of the engine, with the volume that keeps its weights. What a
// notebook or a CI job is given ends by itself where a lifetime is stated.

#include <fmt/format.h>

#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

Result<Emitted> emit_pod(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "pod");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = usual_grant(request, serving->picked, "pod");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  if (serving->replicas > 1) {
    serving->notes.push_back(
        fmt::format("{}: one pod of the {} replicas; `-o deployment` holds all", serving->name,
                    serving->replicas));
    serving->replicas = 1;
  }
  const Commenter comment(request);
  Node spec = pod_spec(*serving, serving->start.engine.empty() ? "workload" : "engine");
  if (serving->start.engine.empty()) spec.set("restartPolicy", "Never");
  if (request.lifetime_seconds) {
    spec.set("activeDeadlineSeconds",
             comment.behind(Node(*request.lifetime_seconds), "--lifetime: it ends by itself"));
  }
  const Node pods = pod_metadata(*serving);
  std::vector<Label> labels = {{"app.kubernetes.io/name", serving->name}};
  Node root = map({{"apiVersion", comment.above(Node("v1"), headline(serving->picked))},
                   {"kind", "Pod"},
                   {"metadata", metadata(request, serving->name, serving->picked, labels, {})},
                   {"spec", std::move(spec)}});
  std::vector<Node> documents = documents_beside(*serving);
  documents.push_back(std::move(root));
  return emitted_of(*serving, std::move(documents));
}

}  // namespace gpushape::emit
