#include "inventory/host_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "document/reader.hpp"
#include "inventory/document_header.hpp"

namespace gpushape::inventory {

using document::IntegerBounds;
using document::Node;
using document::Reader;
using domain::Host;
using domain::HostGpu;
using domain::HostNic;

namespace {

constexpr std::string_view kHostKind = "Host";

// Limits are ours, as those of document_header.hpp.
constexpr IntegerBounds kGpusInRowOfHost{.least = 1, .most = 64};
constexpr std::size_t kMostGpusInHostFile = 64;
constexpr std::size_t kMostNics = 256;
constexpr IntegerBounds kLinkDomain{.least = 0, .most = 1023};
constexpr IntegerBounds kVgpusPerVm{.least = 1, .most = 1024};
constexpr Bytes kLeastMemory = gib(1);

int required_int(Reader& reader, std::string_view field, IntegerBounds bounds) {
  return static_cast<int>(reader.required_integer(field, bounds));
}

int optional_int(Reader& reader, std::string_view field, IntegerBounds bounds, int otherwise) {
  return static_cast<int>(reader.integer(field, bounds).value_or(otherwise));
}

Bytes read_memory(Reader& reader) {
  const std::size_t before = reader.diagnostics().size();
  const Bytes memory = reader.required_bytes("memoryBytes");
  if (!reader.has("memoryBytes") || reader.diagnostics().size() != before) return memory;
  if (memory < kLeastMemory || memory > kMostMemory) {
    reader.complain("memoryBytes",
                    fmt::format("memoryBytes: {} bytes is no memory of a server", memory.count()),
                    fmt::format("write the bytes as an integer: 512 GiB is {}", gib(512).count()));
  }
  return memory;
}

/// A NUMA node that the host has.
int read_numa_node(Reader& reader, int nodes) {
  const std::size_t before = reader.diagnostics().size();
  const auto node = reader.required_integer("numaNode", {.least = 0, .most = 1023});
  if (reader.diagnostics().size() == before && nodes > 0 && node >= nodes) {
    reader.complain("numaNode",
                    fmt::format("numaNode: the host has {} NUMA nodes, 0 to {}, and no node {}",
                                nodes, nodes - 1, node),
                    "nodes are sockets times numaNodesPerSocket");
  }
  return static_cast<int>(node);
}

void complain_of_repeated_id(Reader& reader, std::set<std::string>& ids, const std::string& id) {
  if (!ids.insert(id).second) {
    reader.complain("id", fmt::format("the id '{}' is given twice", id), "give each its own id");
  }
}

/// One row stands for `count` equal GPUs; GPUs without an id are named by their position.
void read_gpu_row(Reader& row, int nodes, std::set<std::string>& ids, std::vector<HostGpu>& gpus) {
  const std::optional<std::string> id = row.filled_text("id");
  HostGpu gpu;
  gpu.device = read_name(row, "device");
  gpu.numa_node = read_numa_node(row, nodes);
  gpu.link_domain = optional_int(row, "linkDomain", kLinkDomain, -1);
  gpu.pcie_switch = row.filled_text("pcieSwitch").value_or("");
  const std::int64_t count = row.integer("count", kGpusInRowOfHost).value_or(1);
  if (id && count > 1) {
    row.complain("id", fmt::format("one id cannot name {} GPUs", count),
                 "leave out the id or the count");
  }
  row.finish();
  for (std::int64_t i = 0; i < count && gpus.size() < kMostGpusInHostFile; ++i) {
    gpu.id = id.value_or(fmt::format("gpu{}", gpus.size()));
    if (count == 1 || i == 0) complain_of_repeated_id(row, ids, gpu.id);
    gpus.push_back(gpu);
  }
}

std::vector<HostGpu> read_gpus(Reader& reader, int nodes) {
  std::vector<HostGpu> gpus;
  std::set<std::string> ids;
  for (Reader& row : reader.mappings("gpus")) {
    if (gpus.size() == kMostGpusInHostFile) {
      row.complain(fmt::format("a host has at most {} GPUs", kMostGpusInHostFile));
      break;
    }
    read_gpu_row(row, nodes, ids, gpus);
  }
  return gpus;
}

std::vector<HostNic> read_nics(Reader& reader, int nodes) {
  std::vector<HostNic> nics;
  std::set<std::string> ids;
  for (Reader& row : reader.mappings("nics")) {
    if (nics.size() == kMostNics) {
      row.complain(fmt::format("a host has at most {} NICs", kMostNics));
      break;
    }
    HostNic nic;
    nic.id = read_name(row, "id");
    nic.gigabits_per_second = row.required_number("gbps", kGigabitsPerSecond);
    nic.numa_node = read_numa_node(row, nodes);
    nic.pcie_switch = row.filled_text("pcieSwitch").value_or("");
    row.finish();
    complain_of_repeated_id(row, ids, nic.id);
    nics.push_back(std::move(nic));
  }
  return nics;
}

void read_platform(Reader& reader, Host& host) {
  std::optional<Reader> platform = reader.mapping("platform");
  if (!platform) return;
  host.release = platform->filled_text("release").value_or("");
  host.hardware_version = optional_int(*platform, "hardwareVersion", kHardwareVersion, 0);
  host.vmotion_gigabits_per_second =
      platform->number("vmotionGbps", kGigabitsPerSecond).value_or(0);
  if (const auto vgpus = platform->integer("vgpusPerVm", kVgpusPerVm)) {
    host.vgpus_per_vm = static_cast<int>(*vgpus);
  }
  platform->finish();
}

Node gpu_node(const HostGpu& gpu) {
  Node node = Node::mapping();
  node.set("id", gpu.id);
  node.set("device", gpu.device);
  node.set("numaNode", gpu.numa_node);
  if (gpu.link_domain >= 0) node.set("linkDomain", gpu.link_domain);
  if (!gpu.pcie_switch.empty()) node.set("pcieSwitch", gpu.pcie_switch);
  return node;
}

Node nic_node(const HostNic& nic) {
  Node node = Node::mapping();
  node.set("id", nic.id);
  node.set("gbps", nic.gigabits_per_second);
  node.set("numaNode", nic.numa_node);
  if (!nic.pcie_switch.empty()) node.set("pcieSwitch", nic.pcie_switch);
  return node;
}

Node platform_node(const Host& host) {
  Node node = Node::mapping();
  if (!host.release.empty()) node.set("release", host.release);
  if (host.hardware_version > 0) node.set("hardwareVersion", host.hardware_version);
  if (host.vmotion_gigabits_per_second > 0) {
    node.set("vmotionGbps", host.vmotion_gigabits_per_second);
  }
  if (host.vgpus_per_vm) node.set("vgpusPerVm", *host.vgpus_per_vm);
  return node;
}

}  // namespace

Result<Host> read_host(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "host");
  if (!read_header(reader, kHostKind)) return failure(std::move(diagnostics));
  Host host;
  host.name = read_name(reader, "name");
  host.sockets = required_int(reader, "sockets", kSockets);
  host.cores_per_socket = required_int(reader, "coresPerSocket", kCoresPerSocket);
  host.threads_per_core = optional_int(reader, "threadsPerCore", kThreadsPerCore, 1);
  host.base_mhz = required_int(reader, "baseMHz", kMegahertz);
  host.numa_nodes_per_socket = optional_int(reader, "numaNodesPerSocket", kNodesPerSocket, 1);
  host.memory_bytes = read_memory(reader);
  // With a faulty figure above, the nodes are not known and not held against the devices.
  const int nodes = diagnostics.empty() ? host.sockets * host.numa_nodes_per_socket : 0;
  host.gpus = read_gpus(reader, nodes);
  host.nics = read_nics(reader, nodes);
  read_platform(reader, host);
  reader.finish();
  host.source = document.source->file;
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return host;
}

Node to_node(const Host& host) {
  Node node = new_document(kHostKind);
  node.set("name", host.name);
  node.set("sockets", host.sockets);
  node.set("coresPerSocket", host.cores_per_socket);
  node.set("threadsPerCore", host.threads_per_core);
  node.set("baseMHz", host.base_mhz);
  node.set("numaNodesPerSocket", host.numa_nodes_per_socket);
  node.set("memoryBytes", host.memory_bytes);
  if (!host.gpus.empty()) {
    Node& gpus = node.set("gpus", Node::sequence());
    for (const HostGpu& gpu : host.gpus) gpus.add(gpu_node(gpu));
  }
  if (!host.nics.empty()) {
    Node& nics = node.set("nics", Node::sequence());
    for (const HostNic& nic : host.nics) nics.add(nic_node(nic));
  }
  if (Node platform = platform_node(host); !platform.entries().empty()) {
    node.set("platform", std::move(platform));
  }
  return node;
}

}  // namespace gpushape::inventory
