// MF-18: a KubeVirt VM with devices by VFIO fits its memory cgroup. All guest memory is pinned, so
// it has to be requested, and with a limit both have to be equal
// (https://github.com/kubevirt/kubevirt/issues/8472,
// https://github.com/kubevirt/kubevirt/pull/10672). KubeVirt adds its own overhead to a stated
// request and limit, 1 GiB of it for VFIO, once and not for each device (virt-controller,
// renderresources.go: WithMemoryOverhead; GetMemoryOverhead): a limit that equals the guest's
// memory is right, and three GPUs or more outgrow that one GiB
// (https://github.com/harvester/harvester/issues/7223).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Passed through by VFIO: GPUs and other host devices.
std::size_t passed_devices(const document::Node& domain) {
  std::size_t count = 0;
  for (const std::string_view list : {"gpus", "hostDevices"}) {
    if (const document::Node* rows = at(domain, {"devices", list})) count += rows->items().size();
  }
  return count;
}

/// What was seen to work with the overhead that KubeVirt adds.
constexpr std::size_t kMostWithinOverhead = 2;
constexpr double kBesideEachDevice =
    1 << 30;  ///< beside the guest for each device, where more are passed

}  // namespace

void mf_18(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (!pod.guest_memory_bytes || pod.root == nullptr) continue;
    const document::Node* domain = at(*pod.root, {"spec", "template", "spec", "domain"});
    if (domain == nullptr) domain = at(*pod.root, {"spec", "domain"});
    const std::size_t devices = domain == nullptr ? 0 : passed_devices(*domain);
    if (devices == 0) continue;
    const auto request = quantity_at(*domain, {"resources", "requests", "memory"});
    const auto limit = quantity_at(*domain, {"resources", "limits", "memory"});
    const double guest = pod.guest_memory_bytes->value;
    if (request && limit && request->value != limit->value) {
      report.add(
          *pod.document, *limit->node,
          {.message = fmt::format("{} requests {} of memory with a limit of {}: pinned guest "
                                  "memory needs both equal",
                                  pod.title(), gib_text(request->value), gib_text(limit->value)),
           .fix = "set requests.memory and limits.memory to one value"});
    } else if (const auto& least = limit ? limit : request; least && least->value < guest) {
      report.add(
          *pod.document, *least->node,
          {.message = fmt::format("{} promises its guest {} of memory and {} {}: all of it "
                                  "is pinned",
                                  pod.title(), gib_text(guest),
                                  limit ? "limits itself to" : "requests", gib_text(least->value)),
           .fix = "leave requests and limits of memory out, or give both at least as much as "
                  "memory.guest"});
    } else if (limit && devices > kMostWithinOverhead &&
               limit->value - guest < static_cast<double>(devices) * kBesideEachDevice &&
               at(*domain, {"memory", "reservedOverhead"}) == nullptr) {
      report.add(*pod.document, *limit->node,
                 {.message = fmt::format("{} passes {} devices through under a memory limit, and "
                                         "KubeVirt adds 1 GiB for all of them: VMs with three GPUs "
                                         "were killed there",
                                         pod.title(), devices),
                  .fix = "leave limits.memory out, or raise it some GiB above memory.guest with "
                         "requests.memory",
                  .severity = domain::Severity::Warning});
    }
  }
}

}  // namespace gpushape::review::rules_of
