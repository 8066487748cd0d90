// RV-04: a device is bound by what it is, not by where it sits. A static DirectPath address can
// restart on one host alone (F. Denneman, How vSphere DRS Makes GPU Placement Decisions, From
// Static Device Binding). LC-02.
#include <fmt/format.h>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void rv_04(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    std::optional<std::string> reason;
    for (const VmDevice& device : vm.devices) {
      if (device.address.empty()) continue;
      if (!reason) reason = reason_to_move(deployment, vm);
      report.add(
          *vm.document, *device.node,
          {.message =
               fmt::format("{} binds {} by its address {}: it starts on that host alone{}",
                           title_of(vm), device.product->id, device.address,
                           reason->empty() ? "" : ", and it is to move or restart: " + *reason),
           .severity = reason->empty() ? std::optional(domain::Severity::Warning) : std::nullopt});
    }
  }
  for (const StatedContract& stated : deployment.contracts) {
    const domain::ResourceContract& contract = stated.contract;
    if (contract.placement.pci_addresses.empty()) continue;
    const bool is_to_move = contract.needs_ha || contract.needs_live_migration;
    const document::Node* place = at(*stated.root, {"placement", "pciAddresses"});
    report.add(*stated.document, place != nullptr ? *place : *stated.root,
               {.message = fmt::format("contract {} is bound to {}: it starts on that host alone{}",
                                       contract.name, contract.placement.pci_addresses.front(),
                                       is_to_move ? ", and it is to move or restart" : ""),
                .severity = is_to_move ? std::nullopt : std::optional(domain::Severity::Warning)});
  }
}

}  // namespace gpushape::review::rules_of
