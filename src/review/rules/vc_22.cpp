// VC-22: under the static CPU policy a GPU pod is Guaranteed and takes whole CPUs: any other shares
// them with the rest of the node (Kubernetes, CPU Manager).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_22(const Deployment& deployment, Report& report) {
  const bool is_static = std::ranges::any_of(deployment.objects, [](const Object& object) {
    return object.kind == "KubeletConfiguration" &&
           word_at(*object.root, {"cpuManagerPolicy"}) == "static";
  });
  if (!is_static) return;
  for (const PodRequest& pod : deployment.pods) {
    if (pod.gpus.empty() || pod.source != PodSource::Kubernetes) continue;
    for (const Container& container : pod.containers) {
      if (container.is_init || container.node == nullptr) continue;
      const ResourceAmount* limit = container.limit("cpu");
      const ResourceAmount* request = container.request("cpu");
      const ResourceAmount* memory = container.limit("memory");
      const ResourceAmount* asked = container.request("memory");
      const bool is_guaranteed = limit != nullptr && memory != nullptr && limit->amount &&
                                 memory->amount &&
                                 (request == nullptr || request->amount == limit->amount) &&
                                 (asked == nullptr || asked->amount == memory->amount);
      const bool is_whole =
          limit != nullptr && limit->amount && std::floor(*limit->amount) == *limit->amount;
      if (is_guaranteed && is_whole) continue;
      report.add(
          *pod.document, limit != nullptr ? *limit->node : *container.node,
          {.message = fmt::format("container {} of {} {}, and the static CPU policy gives it "
                                  "no CPUs of its own",
                                  container.name, pod.title(),
                                  is_guaranteed ? "asks for part of a CPU" : "is not Guaranteed")});
    }
  }
}

}  // namespace gpushape::review::rules_of
