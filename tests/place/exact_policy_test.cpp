// The joint search beside a policy that goes one contract at a time.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "place/decide.hpp"
#include "support/example_devices.hpp"

using namespace gpushape;

namespace {

/// A small host with one GPU and 16 free cores, and a large one with one GPU and 64.
domain::Cluster small_and_large() {
  domain::Cluster cluster;
  for (const auto& [name, cores] : {std::pair("large", 64), std::pair("small", 16)}) {
    domain::ClusterHost host;
    host.name = name;
    host.millicores = cores * domain::kMillicoresPerCore;
    host.memory_bytes = gib(512);
    domain::Gpu gpu;
    gpu.id = "gpu0";
    gpu.device = "h100-sxm-80";
    gpu.allowed_modes = {domain::GpuMode::Passthrough};
    host.gpus.push_back(std::move(gpu));
    cluster.hosts.push_back(std::move(host));
  }
  return cluster;
}

domain::ResourceContract passthrough(std::string name, std::int64_t vcpus) {
  domain::ResourceContract contract;
  contract.name = std::move(name);
  contract.shape.device = "h100-sxm-80";
  contract.shape.technology = domain::Technology::Passthrough;
  contract.shape.count = 1;
  contract.vcpus = vcpus;
  contract.memory_bytes = gib(64);
  return contract;
}

std::vector<domain::PlacementDecision> decided(const std::vector<domain::ResourceContract>& batch,
                                               bool jointly) {
  const domain::Cluster cluster = small_and_large();
  const std::vector<domain::Device> devices = {example::h100()};
  place::Snapshot snapshot(cluster, devices);
  const place::Expected expected = place::expected_requests(cluster, devices);
  const place::DecideInput input{.devices = devices,
                                 .expected = expected,
                                 .policy = place::policies().front(),
                                 .weights = place::goodness_presets().front()};
  if (jointly) return place::decide_jointly(snapshot, batch, input);
  std::vector<domain::PlacementDecision> all;
  for (const domain::ResourceContract& contract : batch) {
    std::ranges::move(place::decide(snapshot, contract, input), std::back_inserter(all));
  }
  return all;
}

bool has_note(const domain::PlacementDecision& decision, std::string_view words) {
  return std::ranges::any_of(decision.notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("the search places a batch that one contract at a time does not") {
    // The first contract fits both hosts and is drawn to the large one, which the second needs.
    const std::vector<domain::ResourceContract> batch = {passthrough("light", 8),
                                                         passthrough("heavy", 48)};
    const auto greedy = decided(batch, false);
    REQUIRE(greedy.size() == 2);
    CHECK(greedy[0].is_placed());
    CHECK_FALSE(greedy[1].is_placed());
    const auto exact = decided(batch, true);
    REQUIRE(exact.size() == 2);
    CHECK(exact[0].chosen->host == "small");
    CHECK(exact[1].chosen->host == "large");
    CHECK(has_note(exact[0], "proven: 2 of 2 contracts and 2 of 2 GPUs placed"));
  }

  TEST_CASE("a batch that cannot fit is proven so, and placed as far as it goes") {
    const std::vector<domain::ResourceContract> batch = {passthrough("heavy", 48),
                                                         passthrough("other", 48)};
    const auto exact = decided(batch, true);
    REQUIRE(exact.size() == 2);
    CHECK(std::ranges::count_if(exact, &domain::PlacementDecision::is_placed) == 1);
    CHECK(has_note(exact[1], "proven: 1 of 2 contracts and 1 of 2 GPUs placed"));
  }
}
