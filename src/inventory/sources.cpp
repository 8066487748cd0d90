#include "inventory/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "inventory/cluster_file.hpp"
#include "inventory/host_file.hpp"

namespace gpushape::inventory {

using document::Node;

namespace {

bool is_kind(const Node& root, std::string_view kind) {
  const Node* const node = root.find("kind");
  return node != nullptr && node->is(Node::Kind::String) && node->text() == kind;
}

bool is_cluster(const Node& root) { return is_kind(root, "Cluster"); }
bool is_host(const Node& root) { return is_kind(root, "Host"); }

/// A host profile as a cluster of one empty host. Its figures follow from the hardware.
Result<domain::Cluster> read_host_as_cluster(const document::Document& document) {
  const Result<domain::Host> read = read_host(document);
  if (!read) return std::unexpected(read.error());
  domain::Cluster cluster = domain::cluster_of(*read);
  cluster.source = read->source;
  return cluster;
}

constexpr auto kSources = std::to_array<SourceRow>({
    {"cluster", "our own Cluster document", is_cluster, read_cluster},
    {"host", "a Host document, as a cluster of one empty host", is_host, read_host_as_cluster},
});

}  // namespace

std::span<const SourceRow> sources() { return kSources; }

Result<domain::Cluster> read_inventory(const document::Document& document) {
  const auto row = std::ranges::find_if(
      kSources, [&](const SourceRow& source) { return source.recognises(document.root); });
  if (row != kSources.end()) return row->read(document);
  std::vector<std::string_view> names;
  names.reserve(kSources.size());
  for (const SourceRow& source : kSources) names.push_back(source.description);
  return failure(document.source->diagnostic(
      document.root.position(), "this is no inventory that gpushape reads",
      fmt::format("it reads {}; and what 'inventory import' reads", fmt::join(names, "; "))));
}

Result<domain::Host> read_server(const document::Document& document) {
  if (!is_cluster(document.root)) return read_host(document);
  const Result<domain::Cluster> cluster = read_cluster(document);
  if (!cluster) return std::unexpected(cluster.error());
  const domain::ClusterHost& first = cluster->hosts.front();
  const bool is_one_kind = std::ranges::all_of(cluster->hosts, [&](const auto& host) {
    return host.hardware.has_value() && host.hardware == first.hardware &&
           std::ranges::equal(host.gpus, first.gpus, {}, &domain::Gpu::device,
                              &domain::Gpu::device);
  });
  if (!is_one_kind) {
    return failure(document.source->diagnostic(
        document.root.position(), "the cluster's hosts are not all of one known server model",
        "give `hardware` for every host, or name a Host document"));
  }
  domain::Host host = *first.hardware;
  host.name = first.name;
  host.source = cluster->source;
  for (const domain::Gpu& gpu : first.gpus) {
    host.gpus.push_back({.id = gpu.id,
                         .device = gpu.device,
                         .numa_node = gpu.numa_node.value_or(0),
                         .link_domain = -1,
                         .pcie_switch = {}});
  }
  return host;
}

}  // namespace gpushape::inventory
