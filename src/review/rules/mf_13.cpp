// MF-13: what a VM says itself does not keep it from powering on. Its annotation wins over the
// class's MMIO space, and its firmware over the class's (VM Operator, docs: PCI devices; firmware).
#include <fmt/format.h>

#include <charconv>

#include "advise/mmio.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kMmioAnnotation = "vmoperator.vmware.com/pci-passthru-64bit-mmio-size";

}  // namespace

void mf_13(const Deployment& deployment, Report& report) {
  for (const VirtualMachine& vm : deployment.vms) {
    const VmClass* vm_class = vm.vm_class ? deployment.find_vm_class(vm.vm_class->value) : nullptr;
    if (vm_class == nullptr || vm_class->devices.empty()) continue;
    const auto firmware = text_at(*vm.root, {"spec", "bootOptions", "firmware"});
    if (firmware && firmware->value != "efi" && firmware->value != "EFI") {
      report.add(*vm.document, *firmware->node,
                 {.message = fmt::format("VM {} boots by {}, and the GPUs of class {} need EFI",
                                         vm.name, firmware->value, vm_class->name),
                  .fix = "set bootOptions.firmware to efi"});
    }
    std::vector<const domain::Device*> products;
    for (const VmDevice& device : vm_class->devices) {
      if (device.product != nullptr) products.push_back(device.product);
    }
    const NamedText* size = find_name(vm.annotations, kMmioAnnotation);
    if (size == nullptr || products.empty()) continue;
    std::int64_t gib = -1;
    std::from_chars(size->value.data(), size->value.data() + size->value.size(), gib);
    const std::int64_t need = advise::mmio_need(products).gib;
    if (gib < 0 || gib >= need) continue;
    report.add(*vm.document, *size->node,
               {.message = fmt::format("VM {} has {} GB of MMIO space by annotation, and {} x {} "
                                       "need{} {} GB",
                                       vm.name, gib, products.size(), products.front()->name,
                                       products.size() == 1 ? "s" : "", need),
                .fix = fmt::format("set {} to \"{}\"", kMmioAnnotation, need)});
  }
}

}  // namespace gpushape::review::rules_of
