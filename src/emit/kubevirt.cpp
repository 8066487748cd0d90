// The target `kubevirt`: a VirtualMachine with the card handed through, by the device plugin, or by
// DRA where a claim template is written beside it (KubeVirt 1.9, GPUsWithDRA).

#include <fmt/format.h>

#include <algorithm>

#include "domain/profile_memory.hpp"
#include "emit/claims.hpp"
#include "emit/labels.hpp"
#include "emit/published_device.hpp"
#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;
using domain::Technology;

namespace {

/// Ours: page tables, the emulator and what VFIO pins beside the guest (kubevirt issue 8472).
const Bytes kOverhead = gib(2);
/// KubeVirt adds 1 GiB for all cards together; with three a VM outgrew it
/// (https://github.com/harvester/harvester/issues/7223).
const Bytes kOverheadOfCard = gib(1);

std::string device_name(const domain::Device& device) {
  std::string name = label_of(device.id);
  std::ranges::transform(name, name.begin(), [](char c) {
    if (c == '-') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return "nvidia.com/" + name;
}

std::string vgpu_name(const domain::Profile& profile) {
  std::string name = domain::guest_product(profile);
  std::ranges::replace(name, ' ', '_');
  return "nvidia.com/" + name;
}

Node gpus(const EmitRequest& request, const domain::Shape& shape, bool has_claim) {
  const domain::Device& device = device_of(request, shape);
  const domain::Profile* profile = profile_of(device, shape);
  Node rows = Node::sequence();
  const std::vector<std::string> names = request_names(request, shape);
  for (std::int64_t i = 0; i < shape.count; ++i) {
    Node row = map({{"name", fmt::format("gpu{}", i)}});
    if (has_claim) {
      row.set("claimName", "gpus");
      row.set("requestName", names[static_cast<std::size_t>(i)]);
    } else {
      row.set("deviceName", profile == nullptr ? device_name(device) : vgpu_name(*profile));
    }
    rows.add(std::move(row));
  }
  return rows;
}

Node domain_of(const EmitRequest& request, const domain::RankedShape& picked, bool has_claim) {
  const Commenter comment(request);
  const domain::ResourceContract& contract = picked.contract;
  const std::string guest = quantity_at_least(contract.memory_bytes);
  const Bytes beside = std::max(kOverhead, kOverheadOfCard * picked.shape.count);
  const std::string pinned = quantity_at_least(contract.memory_bytes + beside);
  Node cpu = map({{"cores", Node(contract.vcpus)},
                  {"dedicatedCpuPlacement", contract.qos == domain::Qos::Guaranteed}});
  if (contract.numa && contract.qos == domain::Qos::Guaranteed)
    cpu.set("numa", map({{"guestMappingPassthrough", Node::mapping()}}));
  Node memory = map({{"guest", guest}});
  if (contract.numa && contract.qos == domain::Qos::Guaranteed)
    memory.set("hugepages", map({{"pageSize", "1Gi"}}));
  Node amounts = map({{"memory", pinned}});
  Node requests =
      map({{"memory", comment.behind(Node(pinned), fmt::format("VFIO pins the guest; {} beside it",
                                                               quantity_at_least(beside)))}});
  return map(
      {{"cpu", std::move(cpu)},
       {"memory", std::move(memory)},
       {"resources", map({{"requests", std::move(requests)}, {"limits", std::move(amounts)}})},
       {"firmware", map({{"bootloader", map({{"efi", map({{"secureBoot", false}})}})}})},
       {"devices",
        map({{"gpus", gpus(request, picked.shape, has_claim)},
             {"disks", list({map({{"name", "root"}, {"disk", map({{"bus", "virtio"}})}})})}})}});
}

Diagnostics refusal(const domain::Shape& shape) {
  if (shape.nodes > 1) {
    return {complaint(fmt::format("kubevirt cannot express {} nodes: a VM has one", shape.nodes),
                      "`-o leader-worker-set` can")};
  }
  if (shape.technology == Technology::Mig || shape.technology == Technology::SoftwareShare ||
      shape.technology == Technology::Partition || shape.technology == Technology::Mps) {
    return {complaint(fmt::format("kubevirt cannot express {} on {}: a VM takes whole cards or "
                                  "vGPUs",
                                  name_of(shape.technology), shape.device),
                      shape.technology == Technology::Mig
                          ? "`-o pod` and `-o resource-claim-template` can, or --pick a whole GPU"
                          : "`-o hami` and `-o kai` can, or --pick a whole GPU")};
  }
  return {};
}

}  // namespace

Result<Emitted> emit_kubevirt(const EmitRequest& request) {
  Diagnostics faults = check_names(request);
  const domain::RankedShape& picked = *request.picked.front();
  for (Diagnostic& fault : refusal(picked.shape)) faults.push_back(std::move(fault));
  if (is_in_guest(request)) {
    faults.push_back(complaint(
        fmt::format("kubevirt cannot express {} on {}: its VMs run on nodes that own their cards, "
                    "not inside guests",
                    shape_label(picked.shape), name_of(request.advice->platform)),
        "`-o vm-class` and `-o vm` can, or ask for --platform kubernetes"));
  }
  const bool has_claim = is_written(request, "resource-claim-template");
  if (!faults.empty()) return failure(std::move(faults));
  const Commenter comment(request);
  const std::string name = document_names(request).front();
  Node spec = Node::mapping();
  if (has_claim) {
    spec.set("resourceClaims",
             list({map({{"name", "gpus"}, {"resourceClaimTemplateName", claim_name(request)}})}));
  }
  spec.set("domain", domain_of(request, picked, has_claim));
  spec.set("volumes",
           list({map({{"name", "root"},
                      {"containerDisk",
                       map({{"image", comment.behind(Node("quay.io/containerdisks/ubuntu:24.04"),
                                                     "your image with the driver")}})}})}));
  const std::int64_t replicas = std::max<std::int64_t>(1, picked.contract.replicas);
  Emitted emitted;
  for (std::int64_t i = 1; i <= replicas; ++i) {
    const std::string own = replicas > 1 ? fitted_label(fmt::format("{}-{}", name, i)) : name;
    Node root = map(
        {{"apiVersion", comment.above(Node("kubevirt.io/v1"), headline(picked))},
         {"kind", "VirtualMachine"},
         {"metadata", metadata(request, own, picked)},
         {"spec",
          map({{"runStrategy", "Always"},
               {"template", map({{"metadata", map({{"labels", map({{"kubevirt.io/vm", own}})}})},
                                 {"spec", spec}})}})}});
    comment.close(root, request);
    emitted.documents.push_back(std::move(root));
  }
  if (!has_claim) {
    const domain::Device& device = device_of(request, picked.shape);
    emitted.notes.push_back(fmt::format(
        "{}: permittedHostDevices of the KubeVirt resource has to give the device that name "
        "(pciVendorSelector {}:{})",
        name, device.pci_vendor, device.pci_devices.empty() ? "?" : device.pci_devices.front()));
  }
  return emitted;
}

}  // namespace gpushape::emit
