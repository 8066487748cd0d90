// What a contract states beside amounts: bound devices, datastores, networks, tenants, replicas a
// host. Each refusal with the wanted and the found value.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "place/decide.hpp"
#include "place/host_filters.hpp"
#include "support/example_devices.hpp"

using namespace gpushape;
using domain::GpuMode;
using domain::Refusal;

namespace {

/// Two hosts with two GPUs each at the usual addresses; only the first reaches the datastore.
domain::Cluster two_hosts() {
  domain::Cluster cluster;
  for (const char* name : {"esx-1", "esx-2"}) {
    domain::ClusterHost host;
    host.name = name;
    host.millicores = 64'000;
    host.memory_bytes = gib(512);
    host.knows_datastores = true;
    host.datastores = {"local"};
    host.knows_networks = true;
    host.networks = {"vm-net"};
    for (const char* address : {"0000:3b:00.0", "0000:5e:00.0"}) {
      domain::Gpu gpu;
      gpu.id = "gpu" + std::to_string(host.gpus.size());
      gpu.device = "h100-sxm-80";
      gpu.pci_address = address;
      gpu.allowed_modes = {GpuMode::Passthrough};
      host.gpus.push_back(std::move(gpu));
    }
    cluster.hosts.push_back(std::move(host));
  }
  cluster.hosts[0].datastores.emplace_back("vsan");
  return cluster;
}

domain::ResourceContract passthrough() {
  domain::ResourceContract contract;
  contract.name = "llm";
  contract.shape.device = "h100-sxm-80";
  contract.shape.technology = domain::Technology::Passthrough;
  contract.shape.count = 1;
  contract.vcpus = 8;
  contract.memory_bytes = gib(64);
  return contract;
}

std::vector<domain::PlacementDecision> decided(const domain::Cluster& cluster,
                                               const domain::ResourceContract& contract) {
  const std::vector<domain::Device> devices = {example::h100()};
  place::Snapshot snapshot(cluster, devices);
  const place::Expected expected = place::expected_requests(cluster, devices);
  return place::decide(snapshot, contract,
                       {.devices = devices,
                        .expected = expected,
                        .policy = place::policies().front(),
                        .weights = place::goodness_presets().front()});
}

domain::RefusedHost refused(const std::vector<domain::PlacementDecision>& decisions,
                            std::string_view host) {
  const auto& rows = decisions.back().attempts.back().refused;
  const auto row = std::ranges::find(rows, host, &domain::RefusedHost::host);
  REQUIRE(row != rows.end());
  return *row;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("a contract bound to an address takes that device and says what it costs") {
    domain::ResourceContract contract = passthrough();
    contract.placement.pci_addresses = {"0000:5e:00.0"};
    contract.needs_ha = true;
    const auto decisions = decided(two_hosts(), contract);
    REQUIRE(decisions.front().is_placed());
    CHECK(decisions.front().chosen->gpus == std::vector<int>{1});
    REQUIRE(decisions.front().notes.size() == 2);
    CHECK(decisions.front().notes[0].find("bound to the device at 0000:5e:00.0") == 0);
    CHECK(decisions.front().notes[0].find("2 hosts would have taken it") != std::string::npos);
    CHECK(decisions.front().notes[1].find("restart on another host") != std::string::npos);
  }

  TEST_CASE("a host without the address, and one whose device is taken, say so") {
    domain::Cluster cluster = two_hosts();
    cluster.hosts[0].gpus[1].pci_address = "0000:af:00.0";
    cluster.hosts[1].gpus[1].mode = GpuMode::Passthrough;
    cluster.hosts[1].gpus[1].allocations = {{"other", "", 0, 80}};
    domain::ResourceContract contract = passthrough();
    contract.placement.pci_addresses = {"0000:5e:00.0"};
    const auto decisions = decided(cluster, contract);
    CHECK_FALSE(decisions.front().is_placed());
    CHECK(refused(decisions, "esx-1").refusal == Refusal::Address);
    CHECK(refused(decisions, "esx-1").wanted == "the device at 0000:5e:00.0");
    CHECK(refused(decisions, "esx-1").found == "devices at 0000:3b:00.0, 0000:af:00.0");
    CHECK(refused(decisions, "esx-2").refusal == Refusal::Capacity);
    CHECK(refused(decisions, "esx-2").found == "in use");
  }

  TEST_CASE("two bound devices are those two") {
    domain::ResourceContract contract = passthrough();
    contract.shape.count = 2;
    contract.placement.pci_addresses = {"0000:3b:00.0", "0000:5e:00.0"};
    CHECK(decided(two_hosts(), contract).front().chosen->gpus == std::vector<int>{0, 1});
    domain::Cluster cluster = two_hosts();
    cluster.hosts.resize(1);
    cluster.hosts[0].gpus[0].has_failed = true;
    const auto decisions = decided(cluster, contract);
    CHECK(refused(decisions, "esx-1").refusal == Refusal::Count);
  }

  TEST_CASE("datastores, networks, tenants and replicas a host refuse with both values") {
    domain::Cluster cluster = two_hosts();
    cluster.hosts.resize(1);
    domain::ResourceContract contract = passthrough();
    SUBCASE("datastore") {
      contract.placement.datastores = {"vsan", "nfs-7"};
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::Datastore);
      CHECK(row.wanted == "nfs-7");
      CHECK(row.found == "local, vsan");
    }
    SUBCASE("network") {
      contract.placement.networks = {"storage-net"};
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::Network);
      CHECK(row.wanted == "storage-net");
      CHECK(row.found == "vm-net");
    }
    SUBCASE("tenant") {
      cluster.hosts[0].tenants = {"blue", "green"};
      contract.placement.tenant = "red";
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::Tenant);
      CHECK(row.wanted == "red");
      CHECK(row.found == "kept for blue, green");
    }
    SUBCASE("maintenance") {
      cluster.hosts[0].state = domain::HostState::Maintenance;
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::HostDown);
      CHECK(row.wanted == "up");
      CHECK(row.found == "maintenance");
    }
    SUBCASE("label") {
      contract.hardware_label = "training";
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::Label);
      CHECK(row.wanted == "label 'training'");
      CHECK(row.found == "no label");
    }
    SUBCASE("replicas a host") {
      contract.replicas = 2;
      contract.placement.most_per_host = 1;
      const auto row = refused(decided(cluster, contract), "esx-1");
      CHECK(row.refusal == Refusal::Spread);
      CHECK(row.wanted == "at most 1 of llm on one host");
      CHECK(row.found == "1 there");
    }
  }

  TEST_CASE("replicas that may not share a host spread, and leave no trace when they go") {
    domain::ResourceContract contract = passthrough();
    contract.replicas = 2;
    contract.placement.most_per_host = 1;
    const auto decisions = decided(two_hosts(), contract);
    REQUIRE(decisions.size() == 2);
    REQUIRE(decisions[1].is_placed());
    CHECK(decisions[0].chosen->host != decisions[1].chosen->host);

    const std::vector<domain::Device> devices = {example::h100()};
    place::Snapshot snapshot(two_hosts(), devices);
    domain::PlacementRequest asked = decisions[0].attempts.back().request;
    const place::Request request = snapshot.compile(asked);
    snapshot.place("llm-1", request, 0, {.gpus = 1, .start = 0});
    CHECK(place::refusal_of(snapshot, 0, request) == Refusal::Spread);
    snapshot.remove("llm-1");
    CHECK(snapshot.row(0).groups.empty());
    CHECK_FALSE(place::refusal_of(snapshot, 0, request));
  }

  TEST_CASE(
      "replicas are placed all or none, and those that could have been say why they are not") {
    domain::ResourceContract contract = passthrough();
    contract.replicas = 9;
    contract.placement.most_per_host = 2;  // two hosts hold four
    const auto decisions = decided(two_hosts(), contract);
    REQUIRE(decisions.size() == 9);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      CAPTURE(i);
      CHECK_FALSE(decisions[i].is_placed());
      const bool is_last_tried = !decisions[i].is_taken_back;
      if (is_last_tried) {
        CHECK_FALSE(decisions[i].attempts.back().refused.empty());
      } else {
        CHECK(decisions[i].notes.front().find("all or none") != std::string::npos);
      }
    }
    CHECK(decisions.back().notes.front().starts_with("not tried"));
    CHECK(std::ranges::count(decisions, false, &domain::PlacementDecision::is_taken_back) == 1);
  }

  TEST_CASE("a placement tells the slots of every profile of the device on its host") {
    const auto decisions = decided(two_hosts(), passthrough());
    REQUIRE(decisions.front().is_placed());
    const auto& slots = decisions.front().profile_slots;
    const auto whole = std::ranges::find(slots, "passthrough", &domain::ShapeSlots::shape);
    REQUIRE(whole != slots.end());
    CHECK(whole->before - whole->after == 1);
    CHECK(slots.size() > 1);
    for (const domain::ShapeSlots& row : slots) CHECK(row.after <= row.before);
  }
}
