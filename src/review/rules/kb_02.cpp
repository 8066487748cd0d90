// KB-02: the topology manager and a claim do not work against each other. A claim's devices are
// chosen by the scheduler, which knows no NUMA; the topology manager of the node does not see them
// before it admits the pod (KEP-4381, KEP-6072; Kubernetes, Topology Manager).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void kb_02(const Deployment& deployment, Report& report) {
  const auto claimed = std::ranges::find_if(deployment.pods, [](const PodRequest& pod) {
    return std::ranges::any_of(pod.gpus, [](const GpuAsk& ask) {
      return ask.kind == GrantKind::Claim && ask.claim != nullptr && ask.count > 0;
    });
  });
  if (claimed == deployment.pods.end()) return;
  for (const Object& object : deployment.objects) {
    if (object.kind != "KubeletConfiguration") continue;
    const auto policy = text_at(*object.root, {"topologyManagerPolicy"});
    if (!policy || (policy->value != "single-numa-node" && policy->value != "restricted")) continue;
    report.add(
        *object.document, *policy->node,
        {.message = fmt::format("topologyManagerPolicy {} aligns CPUs and memory, and not the "
                                "GPUs that {} takes by claim",
                                policy->value, claimed->title())});
  }
}

}  // namespace gpushape::review::rules_of
