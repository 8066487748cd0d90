#include "inventory/cluster_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inventory/document_header.hpp"

namespace gpushape::inventory {

using document::Node;
using document::Reader;
using domain::Gpu;
using domain::GpuMode;
using domain::GpuUse;
using domain::PlacementRequest;

namespace {

constexpr document::IntegerBounds kGpusOfRequest{.least = 1, .most = 64};
constexpr document::IntegerBounds kNumaNodes{.least = 1, .most = 1024};
constexpr document::IntegerBounds kMostPerHost{.least = 1, .most = 1'000'000'000};
constexpr std::size_t kMostAllocations = 1024;

std::vector<GpuMode> read_modes(Reader& reader) {
  std::vector<GpuMode> modes;
  for (const std::string& word : reader.texts("modes")) {
    const auto mode = value_of<GpuMode>(word);
    if (!mode) {
      reader.complain(
          "modes", fmt::format("modes: '{}' is no mode of a GPU", word),
          suggestion(word, all_names<GpuMode>(),
                     fmt::format("expected some of {}", fmt::join(all_names<GpuMode>(), ", "))));
      continue;
    }
    modes.push_back(*mode);
  }
  const auto has = [&](GpuMode mode) { return std::ranges::find(modes, mode) != modes.end(); };
  if (has(GpuMode::SameSize) && has(GpuMode::MixedSize)) {
    reader.complain("modes", "modes: a GPU is set to same-size or to mixed-size, never to both",
                    "keep the one that the host is configured for");
  }
  return modes;
}

std::vector<domain::GpuAllocation> read_allocations(Reader& reader) {
  std::vector<domain::GpuAllocation> allocations;
  for (Reader& row : reader.mappings("allocations")) {
    if (allocations.size() == kMostAllocations) {
      row.complain(fmt::format("a GPU holds at most {} allocations", kMostAllocations));
      break;
    }
    domain::GpuAllocation allocation;
    allocation.vm = read_name(row, "vm");
    allocation.profile = row.text("profile").value_or("");
    allocation.start = static_cast<int>(row.integer("start", kAxis).value_or(0));
    allocation.size = static_cast<int>(row.required_integer("size", kAxis));
    row.finish();
    allocations.push_back(std::move(allocation));
  }
  return allocations;
}

std::vector<domain::SoftwareShare> read_shares(Reader& reader) {
  std::vector<domain::SoftwareShare> shares;
  for (Reader& row : reader.mappings("shares")) {
    if (shares.size() == kMostAllocations) {
      row.complain(fmt::format("a GPU holds at most {} shares", kMostAllocations));
      break;
    }
    domain::SoftwareShare share;
    share.holder = read_name(row, "holder");
    share.team = row.text("team").value_or("");
    share.memory_bytes = read_memory(row, "memoryBytes");
    share.fraction = row.number("fraction", {.least = 0, .most = 1});
    row.finish();
    shares.push_back(std::move(share));
  }
  return shares;
}

Node share_node(const domain::SoftwareShare& share) {
  Node node = Node::mapping();
  node.set("holder", share.holder);
  if (!share.team.empty()) node.set("team", share.team);
  if (share.memory_bytes) node.set("memoryBytes", *share.memory_bytes);
  if (share.fraction) node.set("fraction", *share.fraction);
  return node;
}

}  // namespace

Node texts_node(const std::vector<std::string>& texts) {
  Node node = Node::sequence();
  for (const std::string& text : texts) node.add(text);
  return node;
}

std::optional<std::int64_t> read_millicores(Reader& reader, std::string_view field) {
  const std::optional<double> cores = reader.number(field, kCores);
  if (!cores) return std::nullopt;
  return std::llround(*cores * static_cast<double>(domain::kMillicoresPerCore));
}

Node cores_node(std::int64_t millicores) {
  if (millicores % domain::kMillicoresPerCore == 0) {
    return millicores / domain::kMillicoresPerCore;
  }
  return static_cast<double>(millicores) / static_cast<double>(domain::kMillicoresPerCore);
}

std::optional<Bytes> read_memory(Reader& reader, std::string_view field) {
  const std::optional<Bytes> memory = reader.bytes(field);
  if (memory && *memory > kMostMemory) {
    reader.complain(field,
                    fmt::format("{}: {} bytes is no memory of a server", field, memory->count()),
                    fmt::format("write the bytes as an integer: 512 GiB is {}", gib(512).count()));
    return std::nullopt;
  }
  return memory;
}

PlacementRequest read_request(Reader& reader) {
  PlacementRequest request;
  if (!reader.has("use")) static_cast<void>(reader.required_text("use"));
  request.use = reader.choice<GpuUse>("use").value_or(request.use);
  request.profile = reader.text("profile").value_or("");
  if (request.use != GpuUse::Passthrough && request.profile.empty() && reader.has("use")) {
    reader.complain("use", fmt::format("profile is missing: {} needs one", name_of(request.use)),
                    "name one as the profile tables do, such as 40C or 3g.40gb");
  }
  request.gpus = reader.integer("gpus", kGpusOfRequest).value_or(1);
  request.needs_links = reader.boolean("links").value_or(false);
  request.millicores = read_millicores(reader, "cores").value_or(0);
  request.reserved_mhz = reader.integer("reservedMhz", kReservedMhz).value_or(0);
  request.memory_bytes = read_memory(reader, "memoryBytes").value_or(Bytes(0));
  request.devices = reader.texts("devices");
  request.label = reader.text("label");
  request.is_static = reader.boolean("static").value_or(false);
  request.pci_addresses = reader.texts("pciAddresses");
  if (auto address = reader.text("pciAddress")) request.pci_addresses = {std::move(*address)};
  request.numa_nodes = reader.integer("numaNodes", kNumaNodes).value_or(0);
  request.datastores = reader.texts("datastores");
  request.networks = reader.texts("networks");
  request.tenant = reader.text("tenant").value_or("");
  request.group = reader.text("group").value_or("");
  request.most_per_host = reader.integer("mostPerHost", kMostPerHost).value_or(0);
  reader.finish();
  return request;
}

Node request_node(const PlacementRequest& request) {
  Node node = Node::mapping();
  node.set("use", name_of(request.use));
  if (!request.profile.empty()) node.set("profile", request.profile);
  node.set("gpus", request.gpus);
  if (request.needs_links) node.set("links", true);
  node.set("cores", cores_node(request.millicores));
  if (request.reserved_mhz > 0) node.set("reservedMhz", request.reserved_mhz);
  node.set("memoryBytes", request.memory_bytes);
  if (!request.devices.empty()) node.set("devices", texts_node(request.devices));
  if (request.label) node.set("label", *request.label);
  if (request.is_static) node.set("static", true);
  if (request.pci_addresses.size() == 1) {
    node.set("pciAddress", request.pci_addresses.front());
  } else if (!request.pci_addresses.empty()) {
    node.set("pciAddresses", texts_node(request.pci_addresses));
  }
  if (request.numa_nodes > 0) node.set("numaNodes", request.numa_nodes);
  if (!request.datastores.empty()) node.set("datastores", texts_node(request.datastores));
  if (!request.networks.empty()) node.set("networks", texts_node(request.networks));
  if (!request.tenant.empty()) node.set("tenant", request.tenant);
  if (!request.group.empty()) node.set("group", request.group);
  if (request.most_per_host > 0) node.set("mostPerHost", request.most_per_host);
  return node;
}

Gpu read_gpu(Reader& reader) {
  Gpu gpu;
  gpu.id = reader.text("id").value_or("");
  gpu.device = read_name(reader, "device");
  gpu.allowed_modes = read_modes(reader);
  gpu.label = reader.text("label").value_or("");
  gpu.pci_address = reader.text("pciAddress").value_or("");
  gpu.uuid = reader.text("uuid").value_or("");
  if (const auto node = reader.integer("numaNode", {.least = 0, .most = 1023})) {
    gpu.numa_node = static_cast<int>(*node);
  }
  gpu.has_failed = reader.boolean("failed").value_or(false);
  gpu.mode = reader.choice<GpuMode>("mode");
  gpu.profile = reader.text("profile").value_or("");
  gpu.allocations = read_allocations(reader);
  gpu.shares = read_shares(reader);
  if (!gpu.allocations.empty() && !gpu.mode) {
    reader.complain(std::string("mode is missing: a GPU that holds a VM is in some mode"),
                    fmt::format("write one of {}", fmt::join(all_names<GpuMode>(), ", ")));
  }
  if (gpu.allocations.empty() && gpu.mode) {
    reader.complain("mode", "an empty GPU is in no mode: the first VM fixes it",
                    "leave the field out, or list what the GPU holds");
  }
  return gpu;
}

Node gpu_node(const Gpu& gpu) {
  Node node = Node::mapping();
  if (!gpu.id.empty()) node.set("id", gpu.id);
  node.set("device", gpu.device);
  if (!gpu.allowed_modes.empty()) {
    Node& modes = node.set("modes", Node::sequence());
    for (const GpuMode mode : gpu.allowed_modes) modes.add(name_of(mode));
  }
  if (!gpu.label.empty()) node.set("label", gpu.label);
  if (!gpu.pci_address.empty()) node.set("pciAddress", gpu.pci_address);
  if (!gpu.uuid.empty()) node.set("uuid", gpu.uuid);
  if (gpu.numa_node) node.set("numaNode", *gpu.numa_node);
  if (gpu.has_failed) node.set("failed", true);
  if (gpu.mode) node.set("mode", name_of(*gpu.mode));
  if (!gpu.profile.empty()) node.set("profile", gpu.profile);
  if (gpu.allocations.empty()) return node;
  Node& allocations = node.set("allocations", Node::sequence());
  for (const domain::GpuAllocation& allocation : gpu.allocations) {
    Node& row = allocations.add(Node::mapping());
    row.set("vm", allocation.vm);
    if (!allocation.profile.empty()) row.set("profile", allocation.profile);
    row.set("start", allocation.start);
    row.set("size", allocation.size);
  }
  if (gpu.shares.empty()) return node;
  Node& shares = node.set("shares", Node::sequence());
  for (const domain::SoftwareShare& share : gpu.shares) shares.add(share_node(share));
  return node;
}

}  // namespace gpushape::inventory
