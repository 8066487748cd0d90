// VC-06: CPU hot-add switches virtual NUMA off unless it is exposed all the same. Broadcom KB
// 2040375; vSphere 8, exposeVnumaOnCpuHotadd.
#include <fmt/format.h>

#include <cstdint>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Up to here a VM is shown one node anyway (numa.vcpu.min is 9).
constexpr std::int64_t kShownAsOneNode = 8;

}  // namespace

void vc_06(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.cpu_hot_add || !vm.cpu_hot_add->value || vm.nodes_shown_on_hot_add) continue;
    if (vm.cores_per_node) {
      report.add(*vm.document, *vm.cpu_hot_add->node,
                 {.message = fmt::format("{} sets {} cores per virtual node, and its "
                                         "CPU hot-add hides the nodes",
                                         title_of(vm), vm.cores_per_node->value),
                  .severity = domain::Severity::Error,
                  .edits = replace_value(*vm.document, *vm.cpu_hot_add->node, "false")});
    } else if (vm.cpus && vm.cpus->value > kShownAsOneNode) {
      report.add(*vm.document, *vm.cpu_hot_add->node,
                 {.message = fmt::format("{} has {} vCPU, and its CPU hot-add shows "
                                         "the guest one NUMA node",
                                         title_of(vm), vm.cpus->value),
                  .edits = replace_value(*vm.document, *vm.cpu_hot_add->node, "false")});
    }
  }
}

}  // namespace gpushape::review::rules_of
