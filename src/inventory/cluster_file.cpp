#include "inventory/cluster_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inventory/cluster_fields.hpp"
#include "inventory/document_header.hpp"

namespace gpushape::inventory {

using document::Node;
using document::Reader;
using domain::Cluster;
using domain::ClusterHost;
using domain::Gpu;
using domain::VirtualMachine;

namespace {

constexpr std::string_view kClusterKind = "Cluster";
constexpr document::IntegerBounds kHostsInRow{.least = 1, .most = kMostHosts};
constexpr document::IntegerBounds kGpusInRow{.least = 1, .most = kMostGpusOfHost};
constexpr document::IntegerBounds kNodes{.least = 1, .most = 1024};
constexpr std::size_t kMostVms = 2'000'000;

/// Sets of at least two positions among `gpus`, each position once in a set.
std::vector<domain::LinkDomain> read_link_domains(Reader& reader, std::size_t gpus) {
  const Node* const node = reader.node("linkDomains");
  if (node == nullptr) return {};
  std::vector<domain::LinkDomain> domains;
  const auto complain = [&] {
    reader.complain(
        "linkDomains",
        fmt::format("linkDomains: expected up to {} lists of two or more GPU positions, "
                    "each from 0 to {} and once in a list",
                    kMostLinkDomains, gpus == 0 ? 0 : gpus - 1),
        "write [[0, 1], [2, 3]] for two bridged pairs");
  };
  if (!node->is(Node::Kind::Sequence) || node->items().size() > kMostLinkDomains) {
    complain();
    return {};
  }
  for (const Node& item : node->items()) {
    std::set<int> positions;
    for (const Node& position : item.items()) {
      const bool is_position = position.is(Node::Kind::Integer) && position.integer() >= 0 &&
                               std::cmp_less(position.integer(), gpus);
      if (!is_position || !positions.insert(static_cast<int>(position.integer())).second) {
        complain();
        return {};
      }
    }
    if (positions.size() < 2) {
      complain();
      return {};
    }
    domains.push_back({.gpus = {positions.begin(), positions.end()}});
  }
  return domains;
}

std::optional<domain::NumaLayout> read_numa(Reader& reader) {
  auto mapping = reader.mapping("numa");
  if (!mapping) return std::nullopt;
  domain::NumaLayout numa;
  numa.nodes = static_cast<int>(mapping->required_integer("nodes", kNodes));
  numa.millicores_per_node = read_millicores(*mapping, "coresPerNode").value_or(0);
  numa.memory_per_node = read_memory(*mapping, "memoryPerNodeBytes").value_or(Bytes(0));
  mapping->finish();
  return numa;
}

std::optional<domain::Host> read_hardware(Reader& reader) {
  auto mapping = reader.mapping("hardware");
  if (!mapping) return std::nullopt;
  domain::Host host;
  host.sockets = static_cast<int>(mapping->required_integer("sockets", kSockets));
  host.cores_per_socket =
      static_cast<int>(mapping->required_integer("coresPerSocket", kCoresPerSocket));
  host.threads_per_core =
      static_cast<int>(mapping->integer("threadsPerCore", kThreadsPerCore).value_or(1));
  host.base_mhz = static_cast<int>(mapping->required_integer("baseMHz", kMegahertz));
  host.numa_nodes_per_socket =
      static_cast<int>(mapping->integer("numaNodesPerSocket", kNodesPerSocket).value_or(1));
  static_cast<void>(mapping->required_bytes("memoryBytes"));
  host.memory_bytes = read_memory(*mapping, "memoryBytes").value_or(Bytes(0));
  host.release = mapping->text("release").value_or("");
  host.hardware_version =
      static_cast<int>(mapping->integer("hardwareVersion", kHardwareVersion).value_or(0));
  host.vmotion_gigabits_per_second = mapping->number("vmotionGbps", kGigabitsPerSecond).value_or(0);
  mapping->finish();
  return host;
}

void read_gpus(Reader& reader, ClusterHost& host) {
  std::set<std::string> ids;
  for (Reader& row : reader.mappings("gpus")) {
    const Gpu gpu = read_gpu(row);
    const std::int64_t count = row.integer("count", kGpusInRow).value_or(1);
    row.finish();
    if (count > 1 && (!gpu.id.empty() || !gpu.pci_address.empty() || !gpu.allocations.empty())) {
      row.complain("count", "one id, PCI address or allocation cannot stand for several GPUs",
                   "write such a GPU in a row of its own");
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (host.gpus.size() == kMostGpusOfHost) {
        row.complain(fmt::format("a host has at most {} GPUs", kMostGpusOfHost));
        return;
      }
      Gpu one = gpu;
      if (one.id.empty()) one.id = fmt::format("gpu{}", host.gpus.size());
      if (!ids.insert(one.id).second) {
        row.complain(fmt::format("the id '{}' is given to two GPUs", one.id),
                     "give each its own id");
      }
      host.gpus.push_back(std::move(one));
    }
  }
}

ClusterHost read_cluster_host(Reader& reader) {
  ClusterHost host;
  host.name = read_name(reader, "name");
  host.state = reader.choice<domain::HostState>("state").value_or(domain::HostState::Up);
  host.hardware = read_hardware(reader);
  const bool needs_figures = !host.hardware;
  if (needs_figures && !reader.has("cores")) {
    static_cast<void>(reader.required_number("cores"));
  }
  host.millicores = read_millicores(reader, "cores").value_or(0);
  host.used_millicores = read_millicores(reader, "usedCores").value_or(0);
  host.mhz = reader.integer("mhz", kReservedMhz);
  host.used_mhz = reader.integer("usedMhz", kReservedMhz).value_or(0);
  if (needs_figures && !reader.has("memoryBytes")) {
    static_cast<void>(reader.required_bytes("memoryBytes"));
  }
  host.memory_bytes = read_memory(reader, "memoryBytes").value_or(Bytes(0));
  host.used_memory_bytes = read_memory(reader, "usedMemoryBytes").value_or(Bytes(0));
  host.numa = read_numa(reader);
  host.board = reader.text("board").value_or("");
  read_gpus(reader, host);
  host.link_domains = read_link_domains(reader, host.gpus.size());
  host.knows_datastores = reader.has("datastores");
  host.datastores = reader.texts("datastores");
  host.knows_networks = reader.has("networks");
  host.networks = reader.texts("networks");
  host.tenants = reader.texts("tenants");
  host.server = reader.text("server").value_or("");
  return host;
}

void read_hosts(Reader& reader, Cluster& cluster) {
  std::set<std::string> names;
  for (Reader& row : reader.mappings("hosts")) {
    ClusterHost host = read_cluster_host(row);
    const std::int64_t count = row.integer("count", kHostsInRow).value_or(1);
    row.finish();
    const std::string name = host.name;
    for (std::int64_t i = 0; i < count; ++i) {
      if (cluster.hosts.size() == kMostHosts) {
        row.complain(fmt::format("a cluster has at most {} hosts", kMostHosts));
        return;
      }
      host.name = count == 1 ? name : fmt::format("{}-{}", name, i + 1);
      if (!names.insert(host.name).second) {
        row.complain(std::string_view("name"), fmt::format("two hosts are named '{}'", host.name),
                     "give each its own name");
      }
      cluster.hosts.push_back(host);
    }
  }
}

void read_vms(Reader& reader, Cluster& cluster) {
  std::map<std::string, const ClusterHost*> hosts;
  for (const ClusterHost& host : cluster.hosts) hosts.emplace(host.name, &host);
  std::vector<std::string> host_names;
  std::set<std::string> names;
  for (Reader& row : reader.mappings("vms")) {
    if (cluster.vms.size() == kMostVms) {
      row.complain(fmt::format("a cluster has at most {} VMs", kMostVms));
      return;
    }
    VirtualMachine vm;
    vm.name = read_name(row, "name");
    vm.host = read_name(row, "host");
    for (const std::int64_t gpu : row.integers("gpus", kPosition)) {
      vm.gpus.push_back(static_cast<int>(gpu));
    }
    vm.start = static_cast<int>(row.integer("start", kAxis).value_or(0));
    if (auto request = row.required_mapping("request")) vm.request = read_request(*request);
    vm.team = row.text("team").value_or("");
    vm.can_move = row.boolean("canMove").value_or(true);
    vm.pause_seconds = row.number("pauseSeconds", {.least = 0, .most = 1e6});
    row.finish();
    const auto host = hosts.find(vm.host);
    if (host == hosts.end()) {
      if (host_names.empty()) {
        for (const auto& [name, ignored] : hosts) host_names.push_back(name);
      }
      row.complain(std::string_view("host"), fmt::format("there is no host '{}'", vm.host),
                   suggestion(vm.host, host_names, "name one of `hosts`"));
    } else if (std::ranges::any_of(vm.gpus, [&](int gpu) {
                 return std::cmp_greater_equal(gpu, host->second->gpus.size());
               })) {
      row.complain(
          "gpus", fmt::format("{} has {} GPUs, counted from 0", vm.host, host->second->gpus.size()),
          "");
    }
    if (!names.insert(vm.name).second) {
      row.complain(std::string_view("name"), fmt::format("two VMs are named '{}'", vm.name),
                   "give each its own name");
    }
    cluster.vms.push_back(std::move(vm));
  }
}

Node positions_node(const std::vector<int>& positions) {
  Node node = Node::sequence();
  for (const int position : positions) node.add(position);
  return node;
}

Node hardware_node(const domain::Host& hardware) {
  Node node = Node::mapping();
  node.set("sockets", hardware.sockets);
  node.set("coresPerSocket", hardware.cores_per_socket);
  node.set("threadsPerCore", hardware.threads_per_core);
  node.set("baseMHz", hardware.base_mhz);
  node.set("numaNodesPerSocket", hardware.numa_nodes_per_socket);
  node.set("memoryBytes", hardware.memory_bytes);
  if (!hardware.release.empty()) node.set("release", hardware.release);
  if (hardware.hardware_version > 0) node.set("hardwareVersion", hardware.hardware_version);
  if (hardware.vmotion_gigabits_per_second > 0) {
    node.set("vmotionGbps", hardware.vmotion_gigabits_per_second);
  }
  return node;
}

Node host_node(const ClusterHost& host) {
  Node node = Node::mapping();
  node.set("name", host.name);
  node.set("state", name_of(host.state));
  if (host.hardware) node.set("hardware", hardware_node(*host.hardware));
  // Figures that are left open follow from the hardware.
  if (host.millicores > 0 || !host.hardware) node.set("cores", cores_node(host.millicores));
  if (host.used_millicores > 0) node.set("usedCores", cores_node(host.used_millicores));
  if (host.mhz) node.set("mhz", *host.mhz);
  if (host.used_mhz > 0) node.set("usedMhz", host.used_mhz);
  if (host.memory_bytes > Bytes(0) || !host.hardware) {
    node.set("memoryBytes", host.memory_bytes);
  }
  if (host.used_memory_bytes > Bytes(0)) node.set("usedMemoryBytes", host.used_memory_bytes);
  if (host.numa) {
    Node& numa = node.set("numa", Node::mapping());
    numa.set("nodes", host.numa->nodes);
    numa.set("coresPerNode", cores_node(host.numa->millicores_per_node));
    numa.set("memoryPerNodeBytes", host.numa->memory_per_node);
  }
  if (!host.board.empty()) node.set("board", host.board);
  Node& gpus = node.set("gpus", Node::sequence());
  for (const Gpu& gpu : host.gpus) gpus.add(gpu_node(gpu));
  if (!host.link_domains.empty()) {
    Node& domains = node.set("linkDomains", Node::sequence());
    for (const domain::LinkDomain& domain : host.link_domains) {
      domains.add(positions_node(domain.gpus));
    }
  }
  if (host.knows_datastores) node.set("datastores", texts_node(host.datastores));
  if (host.knows_networks) node.set("networks", texts_node(host.networks));
  if (!host.tenants.empty()) node.set("tenants", texts_node(host.tenants));
  if (!host.server.empty()) node.set("server", host.server);
  return node;
}

Node vm_node(const VirtualMachine& vm) {
  Node node = Node::mapping();
  node.set("name", vm.name);
  node.set("host", vm.host);
  node.set("gpus", positions_node(vm.gpus));
  node.set("start", vm.start);
  node.set("request", request_node(vm.request));
  if (!vm.team.empty()) node.set("team", vm.team);
  if (!vm.can_move) node.set("canMove", false);
  if (vm.pause_seconds) node.set("pauseSeconds", *vm.pause_seconds);
  return node;
}

}  // namespace

Result<Cluster> read_cluster(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "cluster");
  static_cast<void>(read_header(reader, kClusterKind));
  Cluster cluster;
  cluster.name = reader.text("name").value_or("");
  read_hosts(reader, cluster);
  if (cluster.hosts.empty() && diagnostics.empty()) {
    reader.complain(std::string("hosts is missing: a cluster has at least one host"),
                    "list the hosts");
  }
  read_vms(reader, cluster);
  reader.finish();
  cluster.source = document.source->file;
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return cluster;
}

Node to_node(const Cluster& cluster) {
  Node node = new_document(kClusterKind);
  if (!cluster.name.empty()) node.set("name", cluster.name);
  Node& hosts = node.set("hosts", Node::sequence());
  for (const ClusterHost& host : cluster.hosts) hosts.add(host_node(host));
  if (!cluster.vms.empty()) {
    Node& vms = node.set("vms", Node::sequence());
    for (const VirtualMachine& vm : cluster.vms) vms.add(vm_node(vm));
  }
  return node;
}

}  // namespace gpushape::inventory
