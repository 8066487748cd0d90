// VC-13: affinity ends NUMA management: the scheduler may neither place nor balance what is pinned
// (vSphere, Using NUMA Systems with ESXi: associating VMs with specified NUMA nodes).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_13(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    for (const std::string_view key : {"sched.cpu.affinity", "sched.mem.affinity"}) {
      const ExtraOption* option = vm.option(key);
      if (option == nullptr || option->value == "all" || option->value.empty()) continue;
      report.add(*vm.document, *option->node,
                 {.message = fmt::format("VM class '{}' pins by {} to {}", vm.name, option->key,
                                         option->value)});
    }
    for (const std::string_view field : {"cpuAffinity", "memoryAffinity"}) {
      const document::Node* node = at(*vm.root, {"spec", "configSpec", field});
      if (node == nullptr) continue;
      report.add(*vm.document, *node,
                 {.message = fmt::format("VM class '{}' pins by {}", vm.name, field)});
    }
  }
}

}  // namespace gpushape::review::rules_of
