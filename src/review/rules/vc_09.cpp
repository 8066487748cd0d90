// VC-09: a VM that fits a NUMA node does not spread over two for a few vCPU more (vm-contract,
// step 3: fit first, widen only when forced; F. Denneman, sizing VMs and NUMA).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// What an engine on all of its GPUs runs on at the least: API server, engine core, a worker for
/// each GPU, and two for the system; eight on whole devices (NVIDIA NIM for LLMs, x86 with at least
/// 8 cores), four on a share.
std::int64_t least_vcpus(const VmClass& vm) {
  const std::int64_t gpus = gpus_of(vm);
  const bool is_whole = std::ranges::all_of(vm.devices, is_whole_device);
  return std::max<std::int64_t>(gpus + 4, is_whole ? 8 : 4);
}

}  // namespace

void vc_09(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    // A topology that somebody wrote is meant.
    if (!vm.cpus || !vm.memory_bytes || vm.cores_per_node || vm.devices.empty()) continue;
    const domain::ClusterHost* widest = nullptr;
    bool is_wider = true;
    for (const domain::ClusterHost* host : hosts_for(deployment, vm)) {
      const auto& numa = host->numa;
      const auto together = gpus_of(vm) == 1 ? std::optional<std::int64_t>(1)
                                             : most_on_one_node(*host, *product_of(vm));
      is_wider = is_wider && numa && numa->nodes > 1 && together && *together >= gpus_of(vm) &&
                 vm.cpus->value * domain::kMillicoresPerCore > numa->millicores_per_node &&
                 least_vcpus(vm) * domain::kMillicoresPerCore <= numa->millicores_per_node &&
                 vm.memory_bytes->value <= static_cast<double>(numa->memory_per_node.count());
      if (!is_wider) break;
      if (widest == nullptr || numa->millicores_per_node > widest->numa->millicores_per_node) {
        widest = host;
      }
    }
    if (!is_wider || widest == nullptr) continue;
    const std::int64_t cores = widest->numa->millicores_per_node / domain::kMillicoresPerCore;
    report.add(
        *vm.document, *vm.cpus->node,
        {.message = fmt::format("{} has {} vCPU, and the NUMA node of {} that has its GPU{} has {} "
                                "cores for VMs: it is spread over two nodes, and an engine there "
                                "needs {} vCPU",
                                title_of(vm), vm.cpus->value, widest->name,
                                gpus_of(vm) == 1 ? "" : "s", cores, least_vcpus(vm)),
         .fix = fmt::format("take {} vCPU or fewer", cores / 2 * 2)});
  }
}

}  // namespace gpushape::review::rules_of
