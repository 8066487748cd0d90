// The target `deployment`: the replicas of an engine, and what every scheduler's deployment has in
// common.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emit/deployments.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

/// Ours: a day to read its log before the Job and its pods go.
constexpr std::int64_t kSecondsAfterFinished = 86'400;

/// Whether it is work with an end and no service.
bool ends_by_itself(const Serving& serving) {
  const auto role = role_of(serving);
  return role == domain::Role::Notebook || role == domain::Role::Ci;
}

Node job(const Serving& serving, const std::vector<Label>& further_labels) {
  const Commenter comment(serving.request);
  std::vector<Label> labels = {{"app.kubernetes.io/name", serving.name}};
  labels.insert(labels.end(), further_labels.begin(), further_labels.end());
  Node pod = pod_spec(serving, serving.start.engine.empty() ? "workload" : "engine");
  pod.set("restartPolicy", "Never");
  return map(
      {{"apiVersion", comment.above(Node("batch/v1"), headline(serving.picked))},
       {"kind", comment.behind(Node("Job"), fmt::format("a {} ends, and a Deployment does not",
                                                        name_of(*role_of(serving))))},
       {"metadata", metadata(serving.request, serving.name, serving.picked, labels, {})},
       {"spec",
        map({{"parallelism", serving.replicas},
             {"completions", serving.replicas},
             {"backoffLimit", 0},
             {"activeDeadlineSeconds", comment.behind(Node(*serving.request.lifetime_seconds),
                                                      "--lifetime: the cards are "
                                                      "free again by then")},
             {"ttlSecondsAfterFinished",
              comment.behind(Node(kSecondsAfterFinished), "a day to read the log")},
             {"template",
              map({{"metadata", pod_metadata(serving)}, {"spec", std::move(pod)}})}})}});
}

}  // namespace

Emitted deployed(Serving& serving, std::vector<Node> before,
                 const std::vector<Label>& further_labels) {
  std::ranges::move(documents_beside(serving), std::back_inserter(before));
  if (serving.request.lifetime_seconds && ends_by_itself(serving)) {
    before.push_back(job(serving, further_labels));
    return emitted_of(serving, std::move(before));
  }
  before.push_back(deployment(serving, further_labels));
  if (!serving.start.engine.empty()) before.push_back(engine_service(serving));
  if (serving.request.lifetime_seconds) {
    serving.notes.push_back(
        fmt::format("{}: a Deployment has no end of its own; gpushape.dev/"
                    "expires says when, and `-o pod` ends by itself",
                    serving.name));
  }
  return emitted_of(serving, std::move(before));
}

Result<Emitted> deploy(const EmitRequest& request, std::string_view target,
                       const GrantFunction& grant_of) {
  Result<Serving> serving = serving_of(request, target);
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = grant_of(*serving);
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  return deployed(*serving, {}, {});
}

Share share_of(const Serving& serving) {
  const domain::Shape& shape = serving.picked.shape;
  constexpr int kPercent = 100;
  return {.mebibytes = shape.memory_bytes / mib(1),
          .percent_of_cores = std::max<std::int64_t>(
              1, static_cast<std::int64_t>(shape.compute_share * kPercent + 0.5))};
}

bool is_software_share(const domain::Shape& shape) {
  return shape.technology == domain::Technology::SoftwareShare ||
         shape.technology == domain::Technology::Mps;
}

Result<Emitted> emit_deployment(const EmitRequest& request) {
  return deploy(request, "deployment", [](const Serving& serving) {
    return usual_grant(serving.request, serving.picked, "deployment");
  });
}

}  // namespace gpushape::emit
