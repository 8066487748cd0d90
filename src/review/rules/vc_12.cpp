// VC-12: the release takes that many devices: 16 vGPUs a VM from 8.0 U2 on, 8 before (hardware
// version 21 came with U2), 128 passed-through devices (Broadcom KB 309986).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::ptrdiff_t kMostVgpus = 16;
constexpr std::ptrdiff_t kMostVgpusBefore = 8;
constexpr std::ptrdiff_t kMostPassedThrough = 128;

}  // namespace

void vc_12(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const auto vgpus = std::ranges::count_if(
        vm.devices, [](const VmDevice& device) { return !device.profile.empty(); });
    const auto passed = static_cast<std::ptrdiff_t>(vm.devices.size()) - vgpus;
    const std::string version = vm.hardware_version ? vm.hardware_version->value : std::string();
    const bool is_old =
        version == "vmx-17" || version == "vmx-18" || version == "vmx-19" || version == "vmx-20";
    const std::ptrdiff_t most = is_old ? kMostVgpusBefore : kMostVgpus;
    if (vgpus > most) {
      report.add(*vm.document, vm.place(),
                 {.message = fmt::format("{} has {} vGPUs, and a VM {}takes {}", title_of(vm),
                                         vgpus, is_old ? "of that hardware version " : "", most)});
    }
    if (passed > kMostPassedThrough) {
      report.add(*vm.document, vm.place(),
                 {.message = fmt::format("{} passes {} devices through, and a VM takes {}",
                                         title_of(vm), passed, kMostPassedThrough)});
    }
  }
}

}  // namespace gpushape::review::rules_of
