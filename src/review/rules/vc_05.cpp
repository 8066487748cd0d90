// VC-05: the hardware version has what the class uses: 17 for PCI devices through VM Service, 20
// for a virtual topology or more than 32 devices, 21 for more than 64 (VM Operator; vSphere 8,
// Virtual NUMA Controls; Broadcom KB 309986).
#include <fmt/format.h>

#include <charconv>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct VersionNeed {
  int version = 0;
  std::string_view what;
};

VersionNeed version_need(const VmClass& vm) {
  if (vm.devices.size() > 64) return {21, "more than 64 PCI devices"};
  if (vm.devices.size() > 32) return {20, "more than 32 PCI devices"};
  if (vm.cores_per_node && vm.cores_per_node->value > 0) return {20, "a virtual NUMA topology"};
  if (!vm.devices.empty() && vm.source == VmSource::Class) return {17, "PCI devices"};
  return {};
}

}  // namespace

void vc_05(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const auto& stated = vm.hardware_version;
    if (!stated || !stated->value.starts_with("vmx-")) continue;
    int version = 0;
    const char* const first = stated->value.data() + 4;
    std::from_chars(first, stated->value.data() + stated->value.size(), version);
    const VersionNeed need = version_need(vm);
    if (version <= 0 || version >= need.version) continue;
    report.add(
        *vm.document, *stated->node,
        {.message =
             fmt::format("{} is of hardware version {}, and {} need{} {}", title_of(vm), version,
                         need.what, need.what.starts_with("a ") ? "s" : "", need.version),
         .fix = fmt::format("set version to vmx-{}", need.version),
         .edits = vm.source != VmSource::Export ? replace_text(*vm.document, *stated->node,
                                                               fmt::format("vmx-{}", need.version))
                                                : Edits()});
  }
}

}  // namespace gpushape::review::rules_of
