// VC-08: a VM wider in memory than a NUMA node has a topology. Virtual nodes follow the vCPU, never
// the memory: a VM whose vCPU fit one node is shown one, and what lies behind the other socket is
// remote without the guest's knowing (F. Denneman, vSphere 8 CPU Topology for Large Memory
// Footprint VMs Exceeding NUMA Boundaries).
#include <fmt/format.h>

#include <cmath>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_08(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.memory_bytes || !vm.cpus || vm.cores_per_node || vm.cpus->value < 1) continue;
    const domain::ClusterHost* widest = nullptr;
    bool is_wider = true;
    for (const domain::ClusterHost* host : hosts_for(deployment, vm)) {
      const auto& numa = host->numa;
      // More vCPU than a node has cores: the platform itself splits the VM.
      is_wider = is_wider && numa && numa->nodes > 1 && numa->memory_per_node > Bytes(0) &&
                 vm.memory_bytes->value > static_cast<double>(numa->memory_per_node.count()) &&
                 vm.cpus->value * domain::kMillicoresPerCore <= numa->millicores_per_node;
      if (!is_wider) break;
      if (widest == nullptr || numa->memory_per_node > widest->numa->memory_per_node) widest = host;
    }
    if (!is_wider || widest == nullptr) continue;
    const auto node = static_cast<double>(widest->numa->memory_per_node.count());
    const auto nodes = static_cast<std::int64_t>(std::ceil(vm.memory_bytes->value / node));
    const std::int64_t cores = (vm.cpus->value + nodes - 1) / nodes;
    report.add(
        *vm.document, *vm.memory_bytes->node,
        {.message = fmt::format("{} has {} of memory and no virtual topology, and a NUMA node of "
                                "{} has {} for VMs: {} are remote, and the guest sees one node",
                                title_of(vm), gib_text(vm.memory_bytes->value), widest->name,
                                gib_text(node), gib_text(vm.memory_bytes->value - node)),
         .fix = fmt::format("set numCoresPerSocket and virtualNuma.coresPerNumaNode to {} with {} "
                            "vCPU, or give it {} or less",
                            cores, cores * nodes, gib_text(node))});
  }
}

}  // namespace gpushape::review::rules_of
