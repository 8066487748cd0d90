#include "inventory/cluster_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "document/text_format.hpp"
#include "inventory/sources.hpp"

using namespace gpushape;

namespace {

Result<domain::Cluster> cluster_of(const std::string& text) {
  auto documents = document::read_any(text, "cluster.yaml");
  if (!documents) return failure(documents.error());
  return inventory::read_inventory(documents->front());
}

const std::string kHead = "apiVersion: gpushape.dev/v1\nkind: Cluster\n";

const std::string kWhole = kHead + R"(name: lab
hosts:
- name: esx1
  state: maintenance
  cores: 100
  usedCores: 1.5
  mhz: 200000
  memoryBytes: 1099511627776
  usedMemoryBytes: 34359738368
  numa: {nodes: 2, coresPerNode: 50, memoryPerNodeBytes: 549755813888}
  gpus:
  - id: gpu0
    device: h100-sxm-80
    modes: [same-size, mig]
    label: inference
    pciAddress: "0000:0f:00.0"
    numaNode: 0
    mode: same-size
    profile: 20C
    allocations:
    - {vm: chat, profile: 20C, start: 0, size: 20}
  - {device: h100-sxm-80, failed: true}
  linkDomains: [[0, 1]]
  datastores: [fast]
  networks: []
  tenants: [red]
- {name: node, cores: 8, memoryBytes: 17179869184, count: 2}
vms:
- name: chat
  host: esx1
  gpus: [0]
  start: 0
  request: {use: time-sliced, profile: 20C, cores: 1.5, memoryBytes: 34359738368}
  team: red
  canMove: false
  pauseSeconds: 4.5
)";

/// The complaint that a document with one change gets.
std::string complaint_of(const std::string& from, const std::string& to) {
  std::string text = kWhole;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto cluster = cluster_of(text);
  REQUIRE_FALSE(cluster.has_value());
  return to_text(cluster.error());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("a Cluster document tells hosts, GPUs, links and VMs") {
    const auto cluster = cluster_of(kWhole);
    REQUIRE(cluster.has_value());
    REQUIRE(cluster->hosts.size() == 3);
    const domain::ClusterHost& host = cluster->hosts.front();
    CHECK(host.state == domain::HostState::Maintenance);
    CHECK(host.millicores == 100'000);
    CHECK(host.used_millicores == 1'500);
    CHECK(host.mhz == 200'000);
    CHECK(host.memory_bytes == gib(1024));
    REQUIRE(host.gpus.size() == 2);
    CHECK(host.gpus[0].mode == domain::GpuMode::SameSize);
    CHECK(host.gpus[0].allocations.front().size == 20);
    CHECK(host.gpus[1].id == "gpu1");
    CHECK(host.gpus[1].has_failed);
    CHECK(host.link_domains.front().gpus == std::vector<int>{0, 1});
    CHECK(host.knows_networks);
    CHECK(host.networks.empty());
    CHECK(cluster->hosts[1].name == "node-1");
    CHECK(cluster->hosts[2].name == "node-2");
    CHECK_FALSE(cluster->hosts[1].knows_datastores);
    CHECK(cluster->vms.front().request.millicores == 1'500);
    CHECK_FALSE(cluster->vms.front().can_move);
  }

  TEST_CASE("writing a cluster and reading it back gives an equal one") {
    const auto cluster = cluster_of(kWhole);
    REQUIRE(cluster.has_value());
    for (const std::string& text : {document::write_yaml(inventory::to_node(*cluster)),
                                    document::write_json(inventory::to_node(*cluster))}) {
      auto again = cluster_of(text);
      REQUIRE(again.has_value());
      again->source = cluster->source;
      CHECK(*again == *cluster);
    }
  }

  TEST_CASE("what contradicts itself in a Cluster document is named with its place") {
    CHECK(contains(complaint_of("mode: same-size", "label2: x"), "label2"));
    CHECK(contains(complaint_of("    mode: same-size\n", ""), "mode is missing"));
    CHECK(contains(complaint_of("failed: true", "mode: mig"), "an empty GPU is in no mode"));
    CHECK(contains(complaint_of("[same-size, mig]", "[same-size, mixed-size]"), "never to both"));
    CHECK(contains(complaint_of("[same-size, mig]", "[same-sized]"), "same-size"));
    CHECK(contains(complaint_of("[[0, 1]]", "[[0, 2]]"), "each from 0 to 1"));
    CHECK(contains(complaint_of("host: esx1", "host: esx2"), "there is no host 'esx2'"));
    CHECK(contains(complaint_of("gpus: [0]", "gpus: [7]"), "counted from 0"));
    CHECK(contains(complaint_of("{name: node, cores: 8, memoryBytes: 17179869184, count: 2}",
                                "{name: esx1, cores: 8, memoryBytes: 17179869184}"),
                   "two hosts are named 'esx1'"));
    CHECK(contains(complaint_of("cores: 100", "cores: -1"), "cores"));
    CHECK(contains(complaint_of("profile: 20C, cores", "cores"), "profile is missing"));
  }

  TEST_CASE("a Host document is a cluster of one empty host") {
    const auto text = document::read_file(GPUSHAPE_SOURCE_DIR "/examples/hosts/h1.yaml");
    REQUIRE(text.has_value());
    const auto cluster = cluster_of(*text);
    REQUIRE(cluster.has_value());
    REQUIRE(cluster->hosts.size() == 1);
    CHECK(cluster->hosts.front().gpus.size() == 8);
    CHECK(cluster->hosts.front().hardware->cores_per_socket == 52);
  }

  TEST_CASE("a document that no source recognises is answered with what is read") {
    const auto cluster = cluster_of("kind: Pod\n");
    REQUIRE_FALSE(cluster.has_value());
    CHECK(contains(to_text(cluster.error()), "our own Cluster document"));
  }
}
