// VC-01: a VM with PCI devices reserves all of its memory. F. Denneman, ESXi Host BIOS, VM, and
// vCenter Settings; cloudfoundry/bosh-vsphere-cpi-release 372 (the message of a refused power-on).
#include <fmt/format.h>

#include <algorithm>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr double kMebibyte = 1024.0 * 1024;
constexpr double kGibibyte = kMebibyte * 1024;

double reserved_bytes(const VmClass& vm) {
  const double requested = vm.memory_request_bytes ? vm.memory_request_bytes->value : 0;
  const double allocated = vm.memory_reservation_mib ? vm.memory_reservation_mib->value : 0;
  return std::max(requested, allocated * kMebibyte);
}

}  // namespace

void vc_01(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.devices.empty() || vm.memory_is_locked || !vm.memory_bytes) continue;
    const double reserved = reserved_bytes(vm);
    if (reserved >= vm.memory_bytes->value) continue;
    const document::Node* place =
        vm.memory_request_bytes ? vm.memory_request_bytes->node : vm.memory_bytes->node;
    report.add(*vm.document, *place,
               {.message = fmt::format("{} has a GPU and reserves {:.4g} of {:.4g} GiB "
                                       "of memory",
                                       title_of(vm), reserved / kGibibyte,
                                       vm.memory_bytes->value / kGibibyte),
                .label = "less than 100 %",
                .edits = config_field(vm, "memoryReservationLockedToMax: true")});
  }
}

}  // namespace gpushape::review::rules_of
