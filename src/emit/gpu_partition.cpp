#include "emit/gpu_partition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emit/deployments.hpp"
#include "emit/labels.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

using document::Node;
using domain::RankedShape;
using domain::Shape;
using domain::Technology;

namespace {

/// One card is cut alike all over, into as many of the shape as it holds.
std::int64_t copies(const RankedShape& picked) {
  return std::max<std::int64_t>(1, picked.per_device);
}

/// "0x233010DE": device and vendor, as nvidia-smi prints PCI ids.
Node device_filter(const domain::Device& device) {
  Node filter = Node::sequence();
  for (const std::string& id : device.pci_devices) {
    std::string text = id + device.pci_vendor;
    std::ranges::transform(text, text.begin(), [](char c) {
      return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    filter.add("0x" + text);
  }
  return filter;
}

Node entry_for(const EmitRequest& request, const RankedShape& picked) {
  Node entry = Node::mapping();
  if (request.picked.size() > 1)
    set_if(entry, "device-filter", device_filter(device_of(request, picked.shape)));
  entry.set("devices", "all");
  return entry;
}

std::string partition_name(const EmitRequest& request) {
  if (!request.name.empty()) return request.name;
  return request.picked.size() == 1 ? shape_label(request.picked.front()->shape)
                                    : shared_name(request);
}

Diagnostic refusal(std::string_view target, const Shape& shape, std::string_view why,
                   std::string_view help) {
  return complaint(fmt::format("{} cannot express {} on {}: {}", target,
                               shape.profile.empty() ? std::string(name_of(shape.technology))
                                                     : "profile " + shape.profile,
                               shape.device, why),
                   std::string(help));
}

}  // namespace

Result<Partition> mig_parted(const EmitRequest& request) {
  const Commenter comment(request);
  Node entries = Node::sequence();
  for (const RankedShape* picked : request.picked) {
    const Shape& shape = picked->shape;
    if (shape.technology != Technology::Mig) {
      return failure({refusal("mig-parted", shape, "it cuts cards into MIG instances only",
                              "`-o device-plugin-config` or `-o vgpu-device-manager` can, or ask "
                              "for --isolation hard on a GPU with MIG")});
    }
    Node entry = entry_for(request, *picked);
    entry.set("mig-enabled", true);
    entry.set(
        "mig-devices",
        map({{shape.profile, comment.behind(Node(copies(*picked)), "as many as a card holds")}}));
    entries.add(std::move(entry));
  }
  const std::string name = partition_name(request);
  return Partition{name,
                   map({{"version", comment.above(Node("v1"), headline(*request.picked.front()))},
                        {"mig-configs", map({{name, std::move(entries)}})}})};
}

Result<Partition> vgpu_devices(const EmitRequest& request) {
  const Commenter comment(request);
  Node entries = Node::sequence();
  for (const RankedShape* picked : request.picked) {
    const Shape& shape = picked->shape;
    const domain::Profile* profile = profile_of(device_of(request, shape), shape);
    if (profile == nullptr || shape.technology == Technology::Mig) {
      return failure({refusal("vgpu-device-manager", shape, "it makes vGPUs of a driver's types",
                              "`-o mig-parted` makes MIG instances, `-o gpu-operator` hands whole "
                              "cards out; or ask for --platform vsphere")});
    }
    Node entry = entry_for(request, *picked);
    entry.set(
        "vgpu-devices",
        map({{profile->type, comment.behind(Node(copies(*picked)), "as many as a card holds")}}));
    entries.add(std::move(entry));
  }
  const std::string name = partition_name(request);
  return Partition{name,
                   map({{"version", comment.above(Node("v1"), headline(*request.picked.front()))},
                        {"vgpu-configs", map({{name, std::move(entries)}})}})};
}

Result<Partition> device_plugin(const EmitRequest& request) {
  const Commenter comment(request);
  const RankedShape& picked = *request.picked.front();
  const Shape& shape = picked.shape;
  const domain::Device& device = device_of(request, shape);
  if (device.vendor != "nvidia") {
    return failure(
        {refusal("device-plugin-config", shape, "it is NVIDIA's plugin", "`-o deployment` can")});
  }
  const bool is_mig = shape.technology == Technology::Mig;
  Node root = map({{"version", comment.above(Node("v1"), headline(picked))},
                   {"flags", map({{"migStrategy", is_mig ? "mixed" : "none"}})}});
  if (is_software_share(shape)) {
    const Node rows = list({map(
        {{"name", "nvidia.com/gpu"}, {"replicas", std::max<std::int64_t>(2, copies(picked))}})});
    if (shape.technology == Technology::Mps) {
      root.set("sharing", map({{"mps", map({{"renameByDefault", true}, {"resources", rows}})}}));
    } else {
      root.set("sharing", map({{"timeSlicing", map({{"renameByDefault", true},
                                                    {"failRequestsGreaterThanOne", true},
                                                    {"resources", rows}})}}));
    }
  }
  return Partition{partition_name(request), std::move(root)};
}

namespace {

Result<Emitted> alone(const EmitRequest& request, Result<Partition> partition,
                      std::string_view label) {
  if (Diagnostics faults = check_names(request); !faults.empty()) return failure(std::move(faults));
  if (!partition) return failure(std::move(partition.error()));
  Commenter(request).close(partition->document, request, request.picked);
  Emitted emitted;
  emitted.notes.push_back(fmt::format("nodes take it by a label: kubectl label node NODE {}={}",
                                      label, partition->name));
  emitted.documents.push_back(std::move(partition->document));
  return emitted;
}

}  // namespace

Result<Emitted> emit_mig_parted(const EmitRequest& request) {
  return alone(request, mig_parted(request), "nvidia.com/mig.config");
}
Result<Emitted> emit_vgpu_device_manager(const EmitRequest& request) {
  return alone(request, vgpu_devices(request), "nvidia.com/vgpu.config");
}
Result<Emitted> emit_device_plugin_config(const EmitRequest& request) {
  return alone(request, device_plugin(request), "nvidia.com/device-plugin.config");
}

}  // namespace gpushape::emit
