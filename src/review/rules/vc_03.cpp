// VC-03: the 64-bit MMIO space holds the BARs of all devices. Broadcom KB 323402; what VM Service
// writes where the class is silent: VM Operator, PCI devices of a VM.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/mmio.hpp"
#include "review/edits.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

/// What VM Service writes for a VM with such devices, and what a VM has that was made without it.
constexpr std::int64_t kVmServiceDefaultGib = 512;
constexpr std::int64_t kPlainDefaultGib = 32;

struct Space {
  std::int64_t gib = 0;
  const document::Node* node = nullptr;   ///< nullptr: the platform's default
  const document::Node* value = nullptr;  ///< of the size; nullptr where none is written
};

/// Nothing where the size is no number: VC-04 speaks of that.
std::optional<Space> mmio_space(const VmClass& vm) {
  const ExtraOption* flag = vm.option("pciPassthru.use64bitMMIO");
  if (flag != nullptr && (flag->value == "FALSE" || flag->value == "false")) {
    return Space{0, flag->node};
  }
  const ExtraOption* size = vm.option("pciPassthru.64bitMMIOSizeGB");
  if (size == nullptr) {
    return Space{vm.source == VmSource::Class ? kVmServiceDefaultGib : kPlainDefaultGib, nullptr};
  }
  std::int64_t gib = 0;
  const char* const end = size->value.data() + size->value.size();
  const auto [rest, error] = std::from_chars(size->value.data(), end, gib);
  if (error != std::errc() || rest != end) return std::nullopt;
  return Space{gib, size->node, size->value_node};
}

}  // namespace

void vc_03(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    std::vector<const domain::Device*> products;
    for (const VmDevice& device : vm.devices) {
      if (device.product != nullptr) products.push_back(device.product);
    }
    const std::optional<Space> space = mmio_space(vm);
    if (products.empty() || !space) continue;
    const std::int64_t need = advise::mmio_need(products).gib;
    if (space->gib >= need) continue;
    const bool is_default = space->node == nullptr;
    report.add(*vm.document, is_default ? vm.place() : *space->node,
               {.message = fmt::format("{} has {} GB of MMIO space{}, and {} x {} "
                                       "needs {} GB",
                                       title_of(vm), space->gib, is_default ? " by default" : "",
                                       products.size(), products.front()->name, need),
                .fix = fmt::format("set pciPassthru.use64bitMMIO to TRUE and "
                                   "pciPassthru.64bitMMIOSizeGB to {}",
                                   need),
                .edits = space->value != nullptr && vm.source != VmSource::Export
                             ? replace_text(*vm.document, *space->value, std::to_string(need))
                             : Edits()});
  }
}

}  // namespace gpushape::review::rules_of
