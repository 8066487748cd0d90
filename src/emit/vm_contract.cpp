#include "emit/vm_contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/edit_distance.hpp"

namespace gpushape::emit {

using document::Node;
using domain::RankedShape;
using domain::ResourceContract;
using domain::Shape;
using domain::Technology;

namespace {

struct Release {
  std::string_view vcenter;
  std::string_view version;  ///< the newest class API it serves
};
/// VM Operator release branches, config/crd/bases.
constexpr auto kVmOperatorReleases = std::to_array<Release>({
    {"8.0.3", "v1alpha2"},
    {"9.0.0", "v1alpha3"},
    {"9.0.1", "v1alpha4"},
    {"9.1.0", "v1alpha5"},
});
constexpr std::string_view kServedEverywhere = "v1alpha2";  // by every release from 8.0.3 on

/// Device groups and 128 devices; vSphere 8.0 U2 and later (KB 309986).
constexpr std::int64_t kHardwareVersion = 21;
constexpr int kFirstDeviceKey = -200;  // negative: a device that is still to be made
constexpr int kFirstGroupKey = -1;

Node typed(std::string_view type) {
  Node node = Node::mapping();
  node.set("_typeName", type);
  return node;
}

/// Why a shape has no VM class; nothing where it has one.
std::optional<Diagnostic> refusal(const Shape& shape, const domain::Device& device,
                                  std::string_view target) {
  const auto refuse = [&](std::string_view why) {
    return complaint(fmt::format("{} cannot express {} on {}: {}", target,
                                 shape.profile.empty() ? std::string(name_of(shape.technology))
                                                       : "profile " + shape.profile,
                                 shape.device, why),
                     "resource-claim can: add `-o resource-claim`, or pick another shape (--pick)");
  };
  switch (shape.technology) {
    case Technology::TimeSliced:
    case Technology::FullVgpu:
    case Technology::MigBackedVgpu:
      return std::nullopt;
    case Technology::Passthrough:
      if (device.pci_vendor.empty() || device.pci_devices.empty()) {
        return complaint(fmt::format("{} cannot express passthrough of {}: its PCI ids are "
                                     "not known",
                                     target, shape.device),
                         "give them in an overlay profile (--profiles-dir)");
      }
      return std::nullopt;
    case Technology::Mig:
      return refuse("vSphere delivers a MIG instance as a MIG-backed vGPU only");
    case Technology::Partition:
      return refuse("its partitions are made on the host's driver, and ESXi hands out none");
    case Technology::WholeGpu:
      return refuse("a whole GPU without a VM has no class; in a VM it is passthrough");
    case Technology::Mps:
    case Technology::SoftwareShare:
      return complaint(fmt::format("{} cannot express {} on {}: the share is made by "
                                   "processes of one guest, not by vSphere",
                                   target, name_of(shape.technology), shape.device),
                       "`-o contract` can, or ask for a vGPU (--technology time-sliced)");
  }
  return std::nullopt;
}

std::int64_t decimal_of(std::string_view hexadecimal) {
  std::int64_t value = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), value, 16);
  return value;
}

Node backing(const ResourceContract& contract, const domain::Device& device) {
  if (contract.shape.technology != Technology::Passthrough) {
    Node node = typed("VirtualPCIPassthroughVmiopBackingInfo");
    node.set("vgpu", contract.shape.profile);
    return node;
  }
  Node node = typed("VirtualPCIPassthroughDynamicBackingInfo");
  Node allowed = Node::sequence();
  for (const std::string& id : device.pci_devices) {
    Node row = typed("VirtualPCIPassthroughAllowedDevice");
    row.set("vendorId", decimal_of(device.pci_vendor));
    row.set("deviceId", decimal_of(id));
    allowed.add(std::move(row));
  }
  node.set("allowedDevice", std::move(allowed));
  if (!contract.hardware_label.empty()) node.set("customLabel", contract.hardware_label);
  return node;
}

/// Devices of one device group: the 2 of "Nvidia:2@nvidia_h100xm-80c%NVLink".
std::int64_t group_size(const Shape& shape) {
  const std::size_t colon = shape.device_group.find(':');
  std::int64_t size = 0;
  if (colon != std::string::npos) {
    const std::string_view digits = std::string_view(shape.device_group).substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
  }
  return size > 0 && shape.count % size == 0 ? size : shape.count;
}

Node device_groups(const Shape& shape) {
  Node rows = Node::sequence();
  for (std::int64_t group = 0; group < shape.count / group_size(shape); ++group) {
    Node row = typed("VirtualMachineVirtualDeviceGroupsVendorDeviceGroup");
    row.set("groupInstanceKey", kFirstGroupKey - group);
    row.set("deviceGroupName", shape.device_group);
    rows.add(std::move(row));
  }
  Node node = typed("VirtualMachineVirtualDeviceGroups");
  node.set("deviceGroup", std::move(rows));
  return node;
}

std::optional<std::int64_t> node_of_device(const ResourceContract& contract, std::int64_t device) {
  if (!contract.numa) return std::nullopt;
  const auto& devices = contract.numa->devices;
  const auto row = std::ranges::find(devices, device, &domain::DeviceNode::device);
  return row == devices.end() ? std::nullopt : std::optional(row->node);
}

Node device_changes(const ResourceContract& contract, const domain::Device& device) {
  const Shape& shape = contract.shape;
  Node changes = Node::sequence();
  for (std::int64_t i = 0; i < shape.count; ++i) {
    Node pci = typed("VirtualPCIPassthrough");
    pci.set("key", kFirstDeviceKey - i);
    if (!shape.device_group.empty()) {
      Node member = typed("VirtualDeviceDeviceGroupInfo");
      member.set("groupInstanceKey", kFirstGroupKey - i / group_size(shape));
      member.set("sequenceId", i % group_size(shape));
      pci.set("deviceGroupInfo", std::move(member));
    }
    if (const auto numa_node = node_of_device(contract, i)) pci.set("numaNode", *numa_node);
    pci.set("backing", backing(contract, device));
    Node change = typed("VirtualDeviceConfigSpec");
    change.set("operation", "add");
    change.set("device", std::move(pci));
    changes.add(std::move(change));
  }
  return changes;
}

/// extraConfig values are of an interface type: a number or a flag goes in as a typed string.
Node option(std::string_view key, std::string value) {
  Node any = typed("string");
  any.set("_value", std::move(value));
  Node node = typed("OptionValue");
  node.set("key", key);
  node.set("value", std::move(any));
  return node;
}

Node extra_config(const ResourceContract& contract) {
  Node options = Node::sequence();
  options.add(option("pciPassthru.use64bitMMIO", "TRUE"));
  options.add(option("pciPassthru.64bitMMIOSizeGB",
                     std::to_string(std::max(contract.mmio_gib, kDefaultMmioGib))));
  if (contract.numa && contract.numa->shown_from_vcpus) {
    options.add(option("numa.vcpu.min", std::to_string(*contract.numa->shown_from_vcpus)));
  }
  return options;
}

std::string mmio_comment(const ResourceContract& contract) {
  std::string need =
      note_or(contract, "step-4", fmt::format("needs {} GB of 64-bit MMIO", contract.mmio_gib));
  if (contract.mmio_gib >= kDefaultMmioGib) return need;
  return fmt::format("{}\nVC-03: the platform's default of {} is never lowered", need,
                     kDefaultMmioGib);
}

Node topology_fields(Node spec, const ResourceContract& contract, const Commenter& comment) {
  if (!contract.numa) return spec;
  const domain::VirtualNuma& numa = *contract.numa;
  spec.set("numCoresPerSocket",
           comment.above(Node(numa.cores_per_socket),
                         note_or(contract, "step-3",
                                 fmt::format("{} vCPU in {} virtual NUMA nodes", contract.vcpus,
                                             numa.nodes))));
  Node node = typed("VirtualMachineVirtualNuma");
  node.set("coresPerNumaNode", numa.cores_per_node);
  spec.set("virtualNuma", std::move(node));
  return spec;
}

}  // namespace

std::int64_t hardware_version(const ResourceContract& contract) {
  if (contract.hardware_version == 0) return kHardwareVersion;
  return std::max(std::min(kHardwareVersion, contract.hardware_version),
                  contract.least_hardware_version);
}

Node config_spec(const ResourceContract& contract, const domain::Device& device,
                 const Commenter& comment) {
  const Shape& shape = contract.shape;
  Node spec = typed("VirtualMachineConfigSpec");
  spec.set("version", fmt::format("vmx-{}", hardware_version(contract)));
  if (contract.needs_efi) {
    spec.set("firmware", comment.behind("efi", "VC-02; the image must be EFI too"));
  }
  spec.set("cpuHotAddEnabled", comment.behind(false, "VC-06: hot-add switches vNUMA off"));
  spec.set("memoryReservationLockedToMax", comment.behind(true, "VC-01"));
  spec = topology_fields(std::move(spec), contract, comment);
  if (contract.latency_sensitive) {
    Node latency = typed("LatencySensitivity");
    latency.set("level", "high");
    spec.set("latencySensitivity",
             comment.above(std::move(latency), "VC-15: every vCPU and all memory is reserved"));
  }
  if (!shape.device_group.empty()) {
    spec.set("deviceGroups",
             comment.above(device_groups(shape),
                           "MG-02; device group through configSpec: check on your release"));
  }
  spec.set("deviceChange", device_changes(contract, device));
  spec.set("extraConfig", comment.above(extra_config(contract), mmio_comment(contract)));
  return spec;
}

Result<std::string_view> served_version(const std::string& release) {
  if (release.empty()) return kServedEverywhere;
  const std::string_view vcenter =
      std::string_view(release).substr(release.starts_with("vc-") ? 3 : 0);
  std::vector<std::string> known;
  for (const Release& row : kVmOperatorReleases) {
    if (row.vcenter == vcenter) return row.version;
    known.emplace_back(row.vcenter);
  }
  return failure(fmt::format("no VM Operator release '{}' that serves these classes", release),
                 suggestion(vcenter, known, "known are 8.0.3, 9.0.0, 9.0.1 and 9.1.0"));
}

Diagnostics check_vm_request(const EmitRequest& request, std::string_view target) {
  Diagnostics diagnostics = check_names(request);
  for (const RankedShape* picked : request.picked) {
    const Shape& shape = picked->contract.shape;
    if (shape.nodes > 1) {
      diagnostics.push_back(
          complaint(fmt::format("{} cannot express {} nodes: a VM has one", target, shape.nodes),
                    "`-o leader-worker-set` can, on Kubernetes"));
      continue;
    }
    if (auto complaint = refusal(shape, device_of(request, shape), target)) {
      diagnostics.push_back(std::move(*complaint));
    }
  }
  return diagnostics;
}

}  // namespace gpushape::emit
