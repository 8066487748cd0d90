// MF-14: what a VM class says has an effect. A configSpec that is not empty switches
// hardware.devices off, hardware.cpus and hardware.memory win over it, and a field that vSphere
// does not know is dropped (VM Operator, class_configspec_from_name.go and its test; vim25
// VirtualMachineConfigSpec).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/edit_distance.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// govmomi vim25/types, VirtualMachineConfigSpec.
constexpr auto kConfigFields = std::to_array<std::string_view>({"_typeName",
                                                                "changeVersion",
                                                                "name",
                                                                "version",
                                                                "createDate",
                                                                "uuid",
                                                                "instanceUuid",
                                                                "npivNodeWorldWideName",
                                                                "npivPortWorldWideName",
                                                                "npivWorldWideNameType",
                                                                "npivDesiredNodeWwns",
                                                                "npivDesiredPortWwns",
                                                                "npivTemporaryDisabled",
                                                                "npivOnNonRdmDisks",
                                                                "npivWorldWideNameOp",
                                                                "locationId",
                                                                "guestId",
                                                                "alternateGuestName",
                                                                "annotation",
                                                                "files",
                                                                "tools",
                                                                "flags",
                                                                "consolePreferences",
                                                                "powerOpInfo",
                                                                "rebootPowerOff",
                                                                "numCPUs",
                                                                "vcpuConfig",
                                                                "numCoresPerSocket",
                                                                "memoryMB",
                                                                "memoryHotAddEnabled",
                                                                "cpuHotAddEnabled",
                                                                "cpuHotRemoveEnabled",
                                                                "virtualICH7MPresent",
                                                                "virtualSMCPresent",
                                                                "deviceChange",
                                                                "cpuAllocation",
                                                                "memoryAllocation",
                                                                "latencySensitivity",
                                                                "cpuAffinity",
                                                                "memoryAffinity",
                                                                "networkShaper",
                                                                "cpuFeatureMask",
                                                                "extraConfig",
                                                                "swapPlacement",
                                                                "bootOptions",
                                                                "vAppConfig",
                                                                "ftInfo",
                                                                "repConfig",
                                                                "vAppConfigRemoved",
                                                                "vAssertsEnabled",
                                                                "changeTrackingEnabled",
                                                                "firmware",
                                                                "maxMksConnections",
                                                                "guestAutoLockEnabled",
                                                                "managedBy",
                                                                "memoryReservationLockedToMax",
                                                                "nestedHVEnabled",
                                                                "vPMCEnabled",
                                                                "scheduledHardwareUpgradeInfo",
                                                                "vmProfile",
                                                                "messageBusTunnelEnabled",
                                                                "crypto",
                                                                "migrateEncryption",
                                                                "sgxInfo",
                                                                "ftEncryptionMode",
                                                                "guestMonitoringModeInfo",
                                                                "sevEnabled",
                                                                "virtualNuma",
                                                                "motherboardLayout",
                                                                "pmemFailoverEnabled",
                                                                "vmxStatsCollectionEnabled",
                                                                "vmOpNotificationToAppEnabled",
                                                                "vmOpNotificationTimeout",
                                                                "virtualDeviceSwap",
                                                                "pmem",
                                                                "deviceGroups",
                                                                "fixedPassthruHotPlugEnabled",
                                                                "metroFtEnabled",
                                                                "metroFtHostGroup",
                                                                "tdxEnabled",
                                                                "sevSnpEnabled",
                                                                "cryptoIntegrity"});

void check_devices(const VmClass& vm, const document::Node& hardware, Report& report) {
  const document::Node* listed = hardware.find("devices");
  const bool is_listed =
      listed != nullptr && std::ranges::any_of(listed->entries(), [](const auto& entry) {
        return !entry.value.items().empty();
      });
  if (!is_listed) return;
  report.add(
      *vm.document, *listed,
      {.message = fmt::format("hardware.devices of VM class '{}' does nothing beside its "
                              "configSpec{}",
                              vm.name, vm.devices.empty() ? ": the VM gets no GPU" : ""),
       .fix = "put the devices into configSpec.deviceChange, or leave the configSpec out",
       .severity = vm.devices.empty() ? domain::Severity::Error : domain::Severity::Warning});
}

void check_override(const VmClass& vm, const document::Node& config, const document::Node& hardware,
                    Report& report) {
  const auto cpus = integer_at(config, {"numCPUs"});
  const auto memory = integer_at(config, {"memoryMB"});
  const auto own_cpus = integer_at(hardware, {"cpus"});
  const auto own_memory = quantity_at(hardware, {"memory"});
  constexpr double kMib = 1024.0 * 1024;
  if (cpus && own_cpus && cpus->value != own_cpus->value) {
    report.add(*vm.document, *cpus->node,
               {.message = fmt::format("numCPUs {} of VM class '{}' does nothing: hardware.cpus is "
                                       "{}",
                                       cpus->value, vm.name, own_cpus->value),
                .fix = "write the vCPU in hardware.cpus alone"});
  }
  if (memory && own_memory && static_cast<double>(memory->value) * kMib != own_memory->value) {
    report.add(*vm.document, *memory->node,
               {.message = fmt::format("memoryMB {} of VM class '{}' does nothing: hardware.memory "
                                       "is {}",
                                       memory->value, vm.name, quantity_text(own_memory->value)),
                .fix = "write the memory in hardware.memory alone"});
  }
}

}  // namespace

void mf_14(const Deployment& deployment, Report& report) {
  const std::vector<std::string> known(kConfigFields.begin(), kConfigFields.end());
  for (const VmClass& vm : deployment.vm_classes) {
    const document::Node* config = at(*vm.root, {"spec", "configSpec"});
    const document::Node* hardware = at(*vm.root, {"spec", "hardware"});
    if (config == nullptr || config->entries().empty()) continue;
    for (const document::Node::Entry& entry : config->entries()) {
      if (std::ranges::find(known, entry.name) != known.end()) continue;
      report.add(
          *vm.document, entry.position,
          {.message = fmt::format("configSpec of VM class '{}' has no field {}: it is dropped",
                                  vm.name, entry.name),
           .fix =
               suggestion(entry.name, known, "see VirtualMachineConfigSpec of the vSphere API")});
    }
    if (hardware == nullptr) continue;
    check_devices(vm, *hardware, report);
    check_override(vm, *config, *hardware, report);
  }
}

}  // namespace gpushape::review::rules_of
