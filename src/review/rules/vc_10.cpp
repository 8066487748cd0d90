// VC-10: GPUs that lie on several NUMA nodes are each given to a virtual node. Without it the guest
// sees all of them at one distance, and every process takes memory of the wrong node (F. Denneman,
// vSphere 8 CPU Topology Device Assignment).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_10(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const std::int64_t gpus = gpus_of(vm);
    if (gpus < 2) continue;
    const domain::ClusterHost* closest = nullptr;
    std::int64_t most = 0;
    bool spans = true;
    for (const domain::ClusterHost* host : hosts_for(deployment, vm)) {
      const auto together = most_on_one_node(*host, *product_of(vm));
      spans = spans && together && *together < gpus;
      if (!spans) break;
      if (closest == nullptr || *together > most) {
        closest = host;
        most = *together;
      }
    }
    if (!spans || closest == nullptr) continue;
    const auto unassigned = std::ranges::find_if(
        vm.devices, [](const VmDevice& device) { return !device.numa_node.has_value(); });
    if (vm.cores_per_node && unassigned == vm.devices.end()) continue;
    const document::Node& place = vm.cores_per_node ? *unassigned->node : vm.place();
    report.add(*vm.document, place,
               {.message = fmt::format("{} takes {} GPUs, and a NUMA node of {} has {} of them: {}",
                                       title_of(vm), gpus, closest->name, most,
                                       vm.cores_per_node
                                           ? "a device without numaNode is shown at one distance "
                                             "from all virtual nodes"
                                           : "without a virtual topology the guest sees them all "
                                             "at one distance"),
                .fix = fmt::format("set virtualNuma.coresPerNumaNode for {} virtual nodes, and "
                                   "numaNode on each device",
                                   (gpus + most - 1) / most)});
  }
}

}  // namespace gpushape::review::rules_of
