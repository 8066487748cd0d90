// VC-15: high latency sensitivity needs all of CPU and memory reserved: the VM does not power on
// else (vSphere, Configure Latency Sensitivity; VM Operator's webhook).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_15(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const auto level = text_at(*vm.root, {"spec", "configSpec", "latencySensitivity", "level"});
    if (!level || level->value != "high") continue;
    const auto cpu = quantity_at(*vm.root, {"spec", "policies", "resources", "requests", "cpu"});
    const auto mhz = quantity_at(*vm.root, {"spec", "configSpec", "cpuAllocation", "reservation"});
    const bool has_cpu =
        mhz || (cpu && vm.cpus && cpu->value >= static_cast<double>(vm.cpus->value));
    const bool has_memory =
        vm.memory_is_locked || (vm.memory_request_bytes && vm.memory_bytes &&
                                vm.memory_request_bytes->value >= vm.memory_bytes->value);
    if (has_cpu && has_memory) continue;
    report.add(
        *vm.document, *level->node,
        {.message = fmt::format("VM class '{}' wants high latency sensitivity without all of "
                                "its {} reserved",
                                vm.name,
                                has_cpu      ? "memory"
                                : has_memory ? "CPU"
                                             : "CPU and memory")});
  }
}

}  // namespace gpushape::review::rules_of
