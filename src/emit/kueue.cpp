// The target `kueue`: flavor, cluster queue and local queue with the quota that the replicas take,
// and the deployment that waits in them. With a claim template beside it the GPUs are counted by a
// name that the manager's Configuration maps to the device class (Kueue 0.20, DRA).

#include <fmt/format.h>

#include "emit/claims.hpp"
#include "emit/deployments.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

constexpr std::string_view kApi = "kueue.x-k8s.io/v1beta2";
constexpr std::string_view kMappedName = "nvidia-gpus";  // of deviceClassMappings

Node quota(std::string_view name, std::string amount) {
  return map({{"name", name}, {"nominalQuota", std::move(amount)}});
}

std::vector<Node> queues(const Serving& serving) {
  EmitRequest cluster_wide = serving.request;
  cluster_wide.name_space.clear();
  std::vector<Label> node_labels;
  if (serving.grant.products.size() == 1)
    node_labels.push_back({"nvidia.com/gpu.product", serving.grant.products.front()});
  Node flavor_spec = Node::mapping();
  set_if(flavor_spec, "nodeLabels", strings(node_labels));
  Node flavor = map({{"apiVersion", kApi},
                     {"kind", "ResourceFlavor"},
                     {"metadata", metadata(cluster_wide, serving.name, serving.picked)}});
  set_if(flavor, "spec", std::move(flavor_spec));

  Node covered = list(std::vector<std::string>{"cpu", "memory"});
  Node quotas = list({quota("cpu", std::to_string(serving.replicas * serving.cpus)),
                      quota("memory", quantity_at_least(serving.memory * serving.replicas))});
  for (const Label& resource : serving.grant.resources) {
    covered.add(resource.key);
    quotas.add(quota(resource.key, std::to_string(serving.replicas * std::stoll(resource.value))));
  }
  if (!serving.grant.claim.empty()) {
    covered.add(kMappedName);
    quotas.add(quota(kMappedName, std::to_string(serving.replicas * serving.picked.shape.count)));
  }
  Node queue =
      map({{"apiVersion", kApi},
           {"kind", "ClusterQueue"},
           {"metadata", metadata(cluster_wide, serving.name, serving.picked)},
           {"spec",
            map({{"namespaceSelector", Node::mapping()},
                 {"resourceGroups",
                  list({map({{"coveredResources", std::move(covered)},
                             {"flavors", list({map({{"name", serving.name},
                                                    {"resources", std::move(quotas)}})})}})})}})}});
  Node local = map({{"apiVersion", kApi},
                    {"kind", "LocalQueue"},
                    {"metadata", metadata(serving.request, serving.name, serving.picked)},
                    {"spec", map({{"clusterQueue", serving.name}})}});
  return {std::move(flavor), std::move(queue), std::move(local)};
}

}  // namespace

Result<Emitted> emit_kueue(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "kueue");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = usual_grant(request, serving->picked, "kueue");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  if (!serving->grant.claim.empty() && !serving->grant.is_claim_template) {
    return failure("kueue counts claim templates, not claims",
                   "use `-o resource-claim-template` beside it");
  }
  if (!serving->grant.claim.empty()) {
    serving->notes.push_back(
        fmt::format("{}: deviceClassMappings of Kueue's Configuration has to "
                    "map the claim's device class to {}",
                    serving->name, kMappedName));
  }
  const Label queue_label = {"kueue.x-k8s.io/queue-name", serving->name};
  return deployed(*serving, queues(*serving), {queue_label});
}

}  // namespace gpushape::emit
