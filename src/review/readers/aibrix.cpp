// AIBrix: StormService and RoleSet, whose roles are pod templates.
//
// Source: vllm-project/aibrix api/orchestration/v1alpha1 (stormservice_types.go, roleset_types.go:
// podGroupSize pods hold one instance).
#include <algorithm>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

std::int64_t count_or_one(const Node& holder, std::string_view field) {
  const auto count = integer_at(holder, {field});
  return count ? std::clamp<std::int64_t>(count->value, 0, kMostServingReplicas) : 1;
}

}  // namespace

void read_role_set(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  const Node* roles = spec->find("roles");
  if (roles == nullptr) roles = at(*spec, {"template", "spec", "roles"});
  if (roles == nullptr) return;
  const std::int64_t sets = count_or_one(*spec, "replicas");
  for (const Node& role : roles->items()) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.part = word_at(role, {"name"});
    take_serving_replicas(role, {"replicas"}, pod);
    pod.replicas = std::min(pod.replicas * sets, kMostServingReplicas);
    pod.pods_per_replica = std::max<std::int64_t>(count_or_one(role, "podGroupSize"), 1);
    read_pod_template(role.find("template"), pod);
    deployment.pods.push_back(std::move(pod));
  }
}

}  // namespace gpushape::review
