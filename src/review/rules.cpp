#include "review/rules.hpp"

#include <algorithm>
#include <array>

#include "review/rules/contract_rows.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/manifest_rows.hpp"
#include "review/rules/memory_rows.hpp"
#include "review/rules/platform_rows.hpp"

namespace gpushape::review {

using enum domain::Severity;

namespace {

constexpr auto kMachineRows = std::to_array<RuleRow>({
    {"VC-01", Error, "A GPU VM reserves all of its memory",
     "Devices reach guest memory directly, so none of it may be swapped or ballooned: power-on "
     "fails with less than a full reservation",
     "set configSpec.memoryReservationLockedToMax to true, or request as much memory as the VM has",
     "F. Denneman, ESXi Host BIOS, VM, and vCenter Settings; bosh-vsphere-cpi-release 372",
     rules_of::vc_01},
    {"VC-02", Error, "Large BARs need EFI",
     "BIOS firmware cannot map a BAR above 256 MB, and it is what a VM gets when VM, image and "
     "class are silent",
     "set configSpec.firmware to efi, and take an image that boots by EFI: the image wins over "
     "the class",
     "Dell KB 000199172; VM Operator, firmware of a class", rules_of::vc_02},
    {"VC-03", Error, "The MMIO space holds the BARs of all devices",
     "The VM does not power on when the BARs of its devices do not fit; too much costs next to "
     "nothing",
     "set pciPassthru.use64bitMMIO to TRUE and pciPassthru.64bitMMIOSizeGB to the need",
     "Broadcom KB 323402", rules_of::vc_03},
    {"VC-04", Error, "The MMIO keys are spelled right and set together",
     "An unknown key is kept and does nothing, and each of the two keys has no effect alone",
     "set both pciPassthru.use64bitMMIO = TRUE and pciPassthru.64bitMMIOSizeGB = a number of GB",
     "Broadcom KB 323402", rules_of::vc_04},
    {"VC-05", Error, "The hardware version has what the class uses",
     "An older version does not know the feature: power-on fails, or the setting is left out",
     "raise configSpec.version; it takes effect at the next power-off",
     "VM Operator, minHardwareVersion; Broadcom KB 309986", rules_of::vc_05},
    {"VC-06", Warning, "CPU hot-add hides the virtual NUMA nodes",
     "With CPU hot-add on, the guest is shown one NUMA node, whatever the topology says",
     "set configSpec.cpuHotAddEnabled to false", "Broadcom KB 2040375", rules_of::vc_06},
    {"VC-07", Error, "The virtual topology divides evenly",
     "vCPU are spread over virtual sockets and nodes in equal parts; a rest has nowhere to go",
     "make the vCPU a multiple of the cores per node, and cores per node and per socket multiples "
     "of each other",
     "vSphere 8, Virtual NUMA Controls; VM Operator's webhook", rules_of::vc_07},
    {"VC-08", Warning, "A VM wider than a NUMA node in memory has a topology",
     "Virtual nodes follow the vCPU, never the memory: the guest sees one node, and a part of its "
     "memory is remote",
     "split the VM over virtual nodes, or shrink it to one",
     "F. Denneman, vSphere 8 CPU Topology for Large Memory Footprint VMs Exceeding NUMA Boundaries",
     rules_of::vc_08},
    {"VC-09", Warning, "A VM that fits a NUMA node stays within it",
     "A few vCPU more than a node has spread the VM over two, and its GPU is local to one",
     "take as many vCPU as the node has cores, or fewer",
     "vSphere Resource Management, Using NUMA Systems with ESXi", rules_of::vc_09},
    {"VC-10", Warning, "GPUs on several NUMA nodes are each given to one",
     "Without it the guest sees all of them at one distance, and takes memory of the wrong node",
     "set the virtual topology, and numaNode on each device",
     "F. Denneman, vSphere 8 CPU Topology Device Assignment", rules_of::vc_10},
    {"VC-11", Error, "A profile stands once in vgpuDevices",
     "From v1alpha2 on vgpuDevices is a map keyed by profileName: the API server refuses the same "
     "profile twice",
     "add the devices in configSpec.deviceChange, as a device group where they talk to each other",
     "VM Operator, config/crd/bases, VirtualMachineClass", rules_of::vc_11},
});

constexpr auto kLastRows = std::to_array<RuleRow>({
    {"PL-01", Error, "What is asked for can be placed now",
     "A request that no host can take waits until something else leaves",
     "ask for a smaller shape or fewer replicas, or let 'gpushape inventory defragment' say what "
     "would have to move",
     "ours: the decision of the placement core", rules_of::pl_01},
    {"PL-02", Note, "What runs on a host finds a place when it fails",
     "Without a matching device, group or slot on another host a restart waits for the repair",
     "keep one slot of that shape free: 'gpushape place --reserve-failover' does",
     "VMware, GPU workloads and HA; consumption rule LC-03", rules_of::pl_02},
    {"PL-03", Note, "A placement leaves slots for the next request",
     "The cluster has memory left and no place for the next request of that shape",
     "compare policies: 'gpushape place --policy least-fragmentation-touch'",
     "consumption rule RV-11", rules_of::pl_03},
    {"IG-01", Warning, "An ignore says which rule and why",
     "An answer without a reason cannot be looked at again when the reason is gone; without one it "
     "answers nothing",
     "write the rule and the reason: # gpushape: ignore VC-01 the image locks its memory",
     "ours, after the suppressions of other linters", rules_of::ig_01},
    // The last: it looks at what all others found.
    {"IG-02", Note, "An ignore has something to ignore",
     "The finding is gone, and the comment would hide the next one of that rule",
     "take the comment out", "ours, after the unused suppressions of other linters",
     rules_of::ig_02},
});

/// All tables one behind the other.
template <std::size_t... Sizes>
constexpr auto joined_rows(const std::array<RuleRow, Sizes>&... tables) {
  std::array<RuleRow, (Sizes + ...)> all{};
  auto next = all.begin();
  ((next = std::ranges::copy(tables, next).out), ...);
  return all;
}

constexpr auto kRules =
    joined_rows(kMachineRows, kContractRows, kManifestRows, kMemoryRows, kPlatformRows, kLastRows);

}  // namespace

std::span<const RuleRow> rules() { return kRules; }

}  // namespace gpushape::review
