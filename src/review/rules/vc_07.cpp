// VC-07: vCPU, cores per virtual node and cores per socket divide evenly. vSphere 8, Virtual NUMA
// Controls; VM Operator's webhook (vnumaNodeCount).
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

void check_division(const VmClass& vm, const Located<std::int64_t>& part, std::string_view name,
                    Report& report) {
  if (part.value > 0 && vm.cpus->value % part.value == 0) return;
  report.add(*vm.document, *part.node,
             {.message = fmt::format("{} has {} vCPU, which {} {} does not divide", title_of(vm),
                                     vm.cpus->value, name, part.value)});
}

}  // namespace

void vc_07(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.cpus) continue;
    // 0 leaves it to the platform.
    const bool has_nodes = vm.cores_per_node && vm.cores_per_node->value != 0;
    const bool has_sockets = vm.cores_per_socket && vm.cores_per_socket->value != 0;
    if (has_nodes) check_division(vm, *vm.cores_per_node, "coresPerNumaNode", report);
    if (has_sockets) check_division(vm, *vm.cores_per_socket, "numCoresPerSocket", report);
    if (!has_nodes || !has_sockets) continue;
    const std::int64_t node = vm.cores_per_node->value;
    const std::int64_t socket = vm.cores_per_socket->value;
    if (node < 0 || socket < 0) continue;  // they divide nothing, and that is said above
    if (node % socket == 0 || socket % node == 0) continue;
    report.add(*vm.document, *vm.cores_per_node->node,
               {.message = fmt::format("{} has {} cores per virtual node and {} per "
                                       "socket, neither a multiple of the other",
                                       title_of(vm), node, socket)});
  }
}

}  // namespace gpushape::review::rules_of
