// The target `volcano`: a deployment under Volcano, with a volcano_queue that has room for it.
// Resources of shares: volcano-sh/devices, vGPU device plugin.

#include <fmt/format.h>

#include "emit/deployments.hpp"

namespace gpushape::emit {

using document::Node;
using domain::Technology;

namespace {

Result<Grant> volcano_grant(const Serving& serving) {
  const domain::Shape& shape = serving.picked.shape;
  const bool is_mig = shape.technology == Technology::Mig;
  if (!is_mig && !is_software_share(shape))
    return usual_grant(serving.request, serving.picked, "volcano");
  const Share share = share_of(serving);
  Grant grant;
  grant.resources = {{"volcano.sh/vgpu-number", std::to_string(shape.count)},
                     {"volcano.sh/vgpu-memory", std::to_string(share.mebibytes)}};
  if (!is_mig)
    grant.resources.push_back({"volcano.sh/vgpu-cores", std::to_string(share.percent_of_cores)});
  grant.annotations = {{"volcano.sh/vgpu-mode", is_mig ? "mig" : "hami-core"}};
  return grant;
}

Node volcano_queue(const Serving& serving) {
  EmitRequest cluster_wide = serving.request;
  cluster_wide.name_space.clear();
  Node capability = map({{"cpu", std::to_string(serving.replicas * serving.cpus)},
                         {"memory", quantity_at_least(serving.memory * serving.replicas)}});
  for (const Label& resource : serving.grant.resources) {
    capability.set(resource.key, std::to_string(serving.replicas * std::stoll(resource.value)));
  }
  return map({{"apiVersion", "scheduling.volcano.sh/v1beta1"},
              {"kind", "Queue"},
              {"metadata", metadata(cluster_wide, serving.name, serving.picked)},
              {"spec", map({{"weight", 1}, {"capability", std::move(capability)}})}});
}

}  // namespace

Result<Emitted> emit_volcano(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "volcano");
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = volcano_grant(*serving);
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  serving->grant.scheduler = "volcano";
  serving->grant.annotations.push_back({"scheduling.volcano.sh/queue-name", serving->name});
  return deployed(*serving, {volcano_queue(*serving)}, {});
}

}  // namespace gpushape::emit
