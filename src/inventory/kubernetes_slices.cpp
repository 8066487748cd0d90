// ResourceSlices and ResourceClaims of the NVIDIA DRA driver. Source of the attribute names:
// kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin (deviceinfo.go, partitions.go).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "inventory/kubernetes.hpp"
#include "inventory/kubernetes_fields.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::GpuMode;

namespace {

constexpr std::string_view kDriver = "gpu.nvidia.com";
constexpr std::string_view kStandard = "resource.kubernetes.io/";

/// v1 has `attributes` in the device, v1beta1 below `basic`.
const Node& body_of(const Node& device) {
  const Node* const basic = device.find("basic");
  return basic == nullptr ? device : *basic;
}

std::string attribute_of(const Node& device, std::string_view name) {
  const Node* const attributes = body_of(device).find("attributes");
  const Node* const attribute = attributes == nullptr ? nullptr : attributes->find(name);
  if (attribute == nullptr) return {};
  for (const std::string_view kind : {"string", "int", "version", "bool"}) {
    if (const Node* const value = attribute->find(kind)) return text_of(value);
  }
  return {};
}

std::string standard_attribute_of(const Node& device, std::string_view name) {
  return attribute_of(device, std::string(kStandard) + std::string(name));
}

std::optional<int> slice_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && error == std::errc() &&
                         end == text.data() + text.size() && value >= 0 && value < 1024;
  return is_number ? std::optional(value) : std::nullopt;
}

/// The lowest memory slice that the instance takes: `memory-slice-4` among the counters it
/// consumes, `memorySlice4` among its capacity in older drivers.
std::optional<int> start_of(const Node& device) {
  std::optional<int> start;
  const auto look = [&](const Node* names, std::string_view prefix) {
    if (names == nullptr) return;
    for (const Node::Entry& entry : names->entries()) {
      const std::string_view name = entry.name;
      if (!name.starts_with(prefix)) continue;
      const auto slice = slice_number(name.substr(prefix.size()));
      if (slice && (!start || *slice < *start)) start = slice;
    }
  };
  const Node& body = body_of(device);
  if (const Node* const sets = body.find("consumesCounters")) {
    for (const Node& set : sets->items()) look(set.find("counters"), "memory-slice-");
  }
  look(body.find("capacity"), "memorySlice");
  return start;
}

SeenGpu& gpu_of(SeenHost& host, const std::string& uuid) {
  const auto known = std::ranges::find(host.gpus, uuid, &SeenGpu::uuid);
  if (known != host.gpus.end()) return *known;
  host.gpus.emplace_back().uuid = uuid;
  return host.gpus.back();
}

void add_mode(SeenGpu& gpu, GpuMode mode) {
  if (std::ranges::find(gpu.modes, mode) == gpu.modes.end()) gpu.modes.push_back(mode);
}

void read_device(const Node& device, const SourceSpan& span, SeenHost& host, Seen& seen) {
  const std::string name = text_at(device, "name");
  const std::string type = attribute_of(device, "type");
  const bool is_part = type == "mig";
  if (type != "gpu" && type != "vfio" && !is_part) return;
  std::string uuid = attribute_of(device, is_part ? "parentUUID" : "uuid");
  if (uuid.empty()) uuid = name;
  SeenGpu& gpu = gpu_of(host, uuid);
  gpu.span = span;
  if (!is_part && gpu.name.empty()) gpu.name = name;
  if (gpu.product.empty()) gpu.product = attribute_of(device, "productName");
  if (gpu.pci_address.empty()) {
    gpu.pci_address = pci_address_of(standard_attribute_of(device, "pciBusID"));
  }
  for (const std::string& node :
       {standard_attribute_of(device, "numaNode"), attribute_of(device, "numa")}) {
    if (!gpu.numa_node) gpu.numa_node = slice_number(node);
  }
  add_mode(gpu, is_part ? GpuMode::Mig : GpuMode::Passthrough);
  if (attribute_of(device, "brand") == "NvidiaVCS") {
    gpu.kept_out = fmt::format("'{}' is a vGPU: its device is on the server below", gpu.product);
  }
  seen.parts.push_back({.host = host.name,
                        .name = name,
                        .gpu = uuid,
                        .profile = is_part ? attribute_of(device, "profile") : std::string(),
                        .start = is_part ? start_of(device) : std::nullopt});
}

}  // namespace

void read_resource_slice(const Node& object, const document::Source& source, Seen& seen) {
  const std::string driver = text_at(object, "spec.driver");
  if (driver != kDriver) {
    if (driver.starts_with("gpu.")) {
      seen.note(fmt::format("left out: the devices of driver {}, which is not read", driver),
                source.span(object.position()));
    }
    return;
  }
  SeenHost host;
  host.name = text_at(object, "spec.nodeName");
  host.span = source.span(object.position());
  const Node* const devices = at(object, "spec.devices");
  if (host.name.empty() || devices == nullptr) return;
  host.gpus_are_complete = true;
  for (const Node& device : devices->items()) {
    read_device(device, source.span(device.position()), host, seen);
  }
  // A slice of counters alone, or one among several of a node: they add up.
  const auto same = std::ranges::find_if(seen.hosts, [&](const SeenHost& other) {
    return other.name == host.name && other.gpus_are_complete;
  });
  if (same == seen.hosts.end()) {
    seen.hosts.push_back(std::move(host));
    return;
  }
  for (SeenGpu& gpu : host.gpus) {
    if (std::ranges::find(same->gpus, gpu.uuid, &SeenGpu::uuid) == same->gpus.end()) {
      same->gpus.push_back(std::move(gpu));
    }
  }
}

void read_resource_claim(const Node& object, const document::Source& source, Seen& seen) {
  const Node* const results = at(object, "status.allocation.devices.results");
  if (results == nullptr) return;
  SeenWorkload workload;
  workload.team = text_at(object, "metadata.namespace");
  workload.name = fmt::format("{}/{}", workload.team, text_at(object, "metadata.name"));
  workload.can_move = false;
  workload.span = source.span(object.position());
  if (const Node* const holders = at(object, "status.reservedFor")) {
    for (const Node& holder : holders->items()) {
      if (text_at(holder, "resource") != "pods") continue;
      workload.name = fmt::format("{}/{}", workload.team, text_at(holder, "name"));
      break;
    }
  }
  for (const Node& result : results->items()) {
    if (text_at(result, "driver") != kDriver) continue;
    workload.host = text_at(result, "pool");  // the driver names its pools after the nodes
    workload.holdings.push_back({.gpu = text_at(result, "device")});
  }
  if (!workload.holdings.empty()) seen.workloads.push_back(std::move(workload));
}

}  // namespace gpushape::inventory
