// MF-18: a KubeVirt VM with devices by VFIO fits its memory cgroup. All guest memory is pinned, and
// what the host keeps beside it counts, too (https://github.com/kubevirt/kubevirt/issues/8472,
// https://github.com/harvester/harvester/issues/7223).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mf_18(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (!pod.guest_memory_bytes || pod.root == nullptr) continue;
    const document::Node* domain = at(*pod.root, {"spec", "template", "spec", "domain"});
    if (domain == nullptr) domain = at(*pod.root, {"spec", "domain"});
    if (domain == nullptr) continue;
    const bool has_devices =
        is_set(*domain, {"devices", "gpus"}) || is_set(*domain, {"devices", "hostDevices"});
    const document::Node* gpus = at(*domain, {"devices", "gpus"});
    const document::Node* devices = at(*domain, {"devices", "hostDevices"});
    if (!has_devices && (gpus == nullptr || gpus->items().empty()) &&
        (devices == nullptr || devices->items().empty())) {
      continue;
    }
    const auto request = quantity_at(*domain, {"resources", "requests", "memory"});
    const auto limit = quantity_at(*domain, {"resources", "limits", "memory"});
    if (request && limit && request->value != limit->value) {
      report.add(
          *pod.document, *limit->node,
          {.message = fmt::format("{} requests {} of memory with a limit of {}: pinned guest "
                                  "memory needs both equal",
                                  pod.title(), gib_text(request->value), gib_text(limit->value)),
           .fix = "set requests.memory and limits.memory to one value"});
    } else if (limit && limit->value <= pod.guest_memory_bytes->value) {
      report.add(*pod.document, *limit->node,
                 {.message = fmt::format(
                      "{} may take {} and promises the guest {}: nothing is left "
                      "for what KubeVirt keeps beside it, and the VM is killed",
                      pod.title(), gib_text(limit->value), gib_text(pod.guest_memory_bytes->value)),
                  .fix = "leave limits.memory out, or set it some GiB above memory.guest"});
    }
  }
}

}  // namespace gpushape::review::rules_of
