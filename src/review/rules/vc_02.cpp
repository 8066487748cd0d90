// VC-02: a BAR above 256 MB needs EFI firmware. Dell KB 000199172; a VM whose image and class are
// silent gets BIOS (VM Operator).
#include <fmt/format.h>

#include <algorithm>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Nothing is said of a device that the tables do not know.
const VmDevice* device_with_large_bar(const VmClass& vm) {
  const auto is_large = [](const VmDevice& device) {
    if (device.product == nullptr) return false;
    // A whole GiB is more than 256 MB; a vendor that asks for MMIO space asks for large BARs.
    const auto bar = device.product->bar1_gib ? device.product->bar1_gib : device.product->mmio_gib;
    return bar.value_or(0) >= 1;
  };
  const auto found = std::ranges::find_if(vm.devices, is_large);
  return found == vm.devices.end() ? nullptr : &*found;
}

/// A class of Terraform's provider has no field for it: the image decides.
bool can_say(const VmClass& vm) { return vm.source != VmSource::Class || !vm.version.empty(); }

}  // namespace

void vc_02(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const VmDevice* device = device_with_large_bar(vm);
    if (device == nullptr || !can_say(vm) || (vm.firmware && vm.firmware->value == "efi")) continue;
    if (vm.firmware) {
      report.add(*vm.document, *vm.firmware->node,
                 {.message = fmt::format("{} boots by {} with {}, whose BAR exceeds "
                                         "256 MB",
                                         title_of(vm), vm.firmware->value, device->product->name),
                  .label = "not efi",
                  .edits = replace_value(*vm.document, *vm.firmware->node, "efi")});
    } else {
      report.add(*vm.document, *device->node,
                 {.message = fmt::format("{} says nothing of firmware and has {}, "
                                         "whose BAR exceeds 256 MB",
                                         title_of(vm), device->product->name),
                  .edits = config_field(vm, "firmware: efi")});
    }
  }
}

}  // namespace gpushape::review::rules_of
