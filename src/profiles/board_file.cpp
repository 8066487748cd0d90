#include "profiles/board_file.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "document/reader.hpp"

namespace gpushape::profiles {
namespace {

using document::Node;
using document::Reader;

constexpr document::IntegerBounds kGpus = {.least = 1, .most = 1024};
constexpr document::IntegerBounds kSockets = {.least = 1, .most = 64};

int small(std::int64_t value) { return static_cast<int>(value); }

std::vector<int> small_all(const std::vector<std::int64_t>& values) {
  std::vector<int> result;
  result.reserve(values.size());
  for (const std::int64_t value : values) result.push_back(small(value));
  return result;
}

/// A sequence of sequences of board positions; a position stands in one domain only.
std::vector<domain::LinkDomain> read_link_domains(Reader& reader, int gpus) {
  const Node* node = reader.node("linkDomains");
  if (node == nullptr) return {};
  std::vector<domain::LinkDomain> domains;
  std::set<std::int64_t> seen;
  for (const Node& item : node->items()) {
    domain::LinkDomain domain;
    for (const Node& position : item.items()) {
      const std::int64_t gpu = position.is(Node::Kind::Integer) ? position.integer() : -1;
      if (gpu < 0 || gpu >= gpus || !seen.insert(gpu).second) {
        reader.complain("linkDomains",
                        "link domains hold each position of the board, 0 to " +
                            std::to_string(gpus - 1) + ", at most once",
                        "");
        return {};
      }
      domain.gpus.push_back(small(gpu));
    }
    domains.push_back(std::move(domain));
  }
  return domains;
}

/// Fabric partitions: sets of positions, which may lie within each other.
std::vector<domain::LinkDomain> read_partitions(Reader& reader, int gpus) {
  const Node* node = reader.node("partitions");
  if (node == nullptr) return {};
  std::vector<domain::LinkDomain> partitions;
  for (const Node& item : node->items()) {
    domain::LinkDomain partition;
    for (const Node& position : item.items()) {
      const std::int64_t gpu = position.is(Node::Kind::Integer) ? position.integer() : -1;
      if (gpu < 0 || gpu >= gpus ||
          std::ranges::find(partition.gpus, gpu) != partition.gpus.end()) {
        reader.complain("partitions",
                        "a partition holds positions of the board, 0 to " +
                            std::to_string(gpus - 1) + ", each once",
                        "");
        return {};
      }
      partition.gpus.push_back(small(gpu));
    }
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

}  // namespace

Result<domain::Board> read_board(const document::Document& document, const SourceTable& sources) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "board");
  domain::Board board;
  board.id = reader.required_text("id");
  board.gpus = small(reader.required_integer("gpus", kGpus));
  board.interconnect = reader.required_text("interconnect");
  board.gigabytes_per_second = reader.number("gigabytesPerSecond", {.least = 0, .most = 1e9});
  board.link_domains = read_link_domains(reader, board.gpus);
  board.partition_sizes = small_all(reader.integers("partitionSizes", kGpus));
  board.partitions = read_partitions(reader, board.gpus);
  board.device_group_sizes = small_all(reader.integers("deviceGroupSizes", kGpus));
  board.sockets = small(reader.integer("sockets", kSockets).value_or(0));
  board.gpus_per_socket = small(reader.integer("gpusPerSocket", kGpus).value_or(0));
  board.devices = reader.texts("devices");
  board.source = sources.text_of(reader, "source");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return board;
}

Result<Server> read_server(const document::Document& document, const SourceTable& sources) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "server");
  Server server;
  reader.required_text("id");
  server.gpus = small(reader.required_integer("gpus", kGpus));
  server.devices = reader.texts("devices");
  domain::Host& host = server.host;
  host.name = reader.required_text("name");
  host.sockets = small(reader.required_integer("sockets", kSockets));
  host.cores_per_socket =
      small(reader.required_integer("coresPerSocket", {.least = 1, .most = 4096}));
  host.threads_per_core =
      small(reader.integer("threadsPerCore", {.least = 1, .most = 16}).value_or(1));
  host.base_mhz = small(reader.required_integer("baseMhz", {.least = 100, .most = 20'000}));
  host.numa_nodes_per_socket =
      small(reader.integer("numaNodesPerSocket", {.least = 1, .most = 64}).value_or(1));
  host.memory_bytes = gib(reader.required_integer("memoryGib", {.least = 1, .most = 1 << 20}));
  host.release = reader.text("release").value_or("");
  host.hardware_version =
      small(reader.integer("hardwareVersion", {.least = 1, .most = 999}).value_or(0));
  host.vmotion_gigabits_per_second =
      reader.number("vmotionGbps", {.least = 0, .most = 100'000}).value_or(0);
  host.source = sources.text_of(reader, "source");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return server;
}

domain::Host host_with(const Server& server, const domain::Device& device) {
  domain::Host host = server.host;
  const int per_socket = std::max(1, (server.gpus + host.sockets - 1) / host.sockets);
  for (int position = 0; position < server.gpus; ++position) {
    const int socket = std::min(position / per_socket, host.sockets - 1);
    host.gpus.push_back({.id = "gpu" + std::to_string(position),
                         .device = device.id,
                         .numa_node = socket * host.numa_nodes_per_socket,
                         .link_domain = -1,
                         .pcie_switch = {}});
  }
  if (device.boards.empty()) return host;
  const auto& domains = device.boards.front().link_domains;
  for (std::size_t domain = 0; domain < domains.size(); ++domain) {
    for (const int position : domains[domain].gpus) {
      if (position >= server.gpus) continue;
      host.gpus[static_cast<std::size_t>(position)].link_domain = static_cast<int>(domain);
    }
  }
  return host;
}

}  // namespace gpushape::profiles
