// VC-23: a pod that needs several NUMA nodes is not refused by the topology manager.
// single-numa-node admits what one node holds; eight GPUs of one server stand on two (board
// tables); more than eight nodes need an option (Kubernetes, Topology Manager).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// The most GPUs of one socket among the usual boards: 4 of 8.
constexpr double kMostOnNode = 4;

}  // namespace

void vc_23(const Deployment& deployment, Report& report) {
  for (const Object& object : deployment.objects) {
    if (object.kind != "KubeletConfiguration") continue;
    const auto policy = text_at(*object.root, {"topologyManagerPolicy"});
    if (!policy || policy->value != "single-numa-node") continue;
    for (const PodRequest& pod : deployment.pods) {
      const auto gpus = counted_gpus(pod, nullptr);
      if (!gpus || *gpus <= kMostOnNode || pod.gpus.front().kind != GrantKind::Plugin) continue;
      report.add(*object.document, *policy->node,
                 {.message = fmt::format("topologyManagerPolicy single-numa-node refuses {}, whose "
                                         "{:g} GPUs stand on several NUMA nodes",
                                         pod.title(), *gpus)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
