// Happiness and fail-over reserve on hosts small enough for hand arithmetic.
#include "place/happiness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "place/reserve.hpp"

using namespace gpushape;

namespace {

domain::ClusterHost host_with(std::string name, int gpus) {
  domain::ClusterHost host;
  host.name = std::move(name);
  host.millicores = 64'000;
  host.memory_bytes = gib(512);
  host.numa =
      domain::NumaLayout{.nodes = 2, .millicores_per_node = 32'000, .memory_per_node = gib(256)};
  for (int i = 0; i < gpus; ++i) {
    domain::Gpu gpu;
    gpu.id = fmt::format("gpu{}", i);
    gpu.device = "any";
    gpu.allowed_modes = {domain::GpuMode::Passthrough};
    gpu.numa_node = i * 2 / gpus;
    host.gpus.push_back(gpu);
  }
  return host;
}

void run(domain::Cluster& cluster, const std::string& name, std::size_t host, std::vector<int> gpus,
         std::int64_t cores, Bytes memory) {
  domain::VirtualMachine vm;
  vm.name = name;
  vm.host = cluster.hosts[host].name;
  vm.gpus = gpus;
  vm.request.use = domain::GpuUse::Passthrough;
  vm.request.gpus = static_cast<std::int64_t>(gpus.size());
  vm.request.millicores = cores * 1000;
  vm.request.memory_bytes = memory;
  for (const int gpu : gpus) {
    domain::Gpu& row = cluster.hosts[host].gpus[static_cast<std::size_t>(gpu)];
    row.mode = domain::GpuMode::Passthrough;
    row.allocations = {{.vm = name, .profile = {}, .start = 0, .size = 80}};
  }
  cluster.hosts[host].used_millicores += vm.request.millicores;
  cluster.hosts[host].used_memory_bytes += memory;
  cluster.vms.push_back(std::move(vm));
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("two VMs at home on one node share its cores and memory") {
    domain::Cluster cluster;
    cluster.hosts.push_back(host_with("h", 4));
    run(cluster, "a", 0, {0}, 24, gib(192));
    const place::Snapshot alone(cluster, std::vector<place::DeviceGeometry>{});
    CHECK(place::happiness_on(alone, 0).at("a").value == doctest::Approx(100));
    run(cluster, "b", 0, {1}, 24, gib(192));
    const place::Snapshot both(cluster, std::vector<place::DeviceGeometry>{});
    // 32 of 48 cores and 256 of 384 GiB: two thirds.
    CHECK(place::happiness_on(both, 0).at("a").value == doctest::Approx(200.0 / 3));
  }

  TEST_CASE("GPUs that are no link domain cost a third") {
    domain::Cluster cluster;
    cluster.hosts.push_back(host_with("h", 4));
    cluster.hosts[0].link_domains = {{.gpus = {0, 1}}};
    run(cluster, "linked", 0, {0, 1}, 8, gib(64));
    run(cluster, "apart", 0, {2, 3}, 8, gib(64));
    const place::Snapshot snapshot(cluster, std::vector<place::DeviceGeometry>{});
    const auto happiness = place::happiness_on(snapshot, 0);
    CHECK(happiness.at("linked").value == doctest::Approx(100));
    CHECK(happiness.at("apart").value == doctest::Approx(200.0 / 3));
  }

  TEST_CASE("the last free GPU is what covered the other host's failure") {
    domain::Cluster cluster;
    cluster.hosts.push_back(host_with("x", 2));
    cluster.hosts.push_back(host_with("y", 2));
    run(cluster, "a", 0, {0}, 8, gib(64));
    run(cluster, "b", 1, {0}, 8, gib(64));
    const place::Snapshot before(cluster, std::vector<place::DeviceGeometry>{});
    CHECK(place::is_covered(before, {0}) == place::Answer::Yes);
    CHECK(place::is_covered(before, {0, 1}) == place::Answer::No);
    place::Snapshot after = before;
    domain::PlacementRequest asked;
    asked.use = domain::GpuUse::Passthrough;
    after.place("c", after.compile(asked), 1, {.gpus = place::gpu_bit(1), .start = 0});
    // Without a free GPU on y, x's VM has nowhere to go; y's two VMs have one GPU on x.
    CHECK(place::newly_uncovered(before, after, 1).size() == 2);
    CHECK(place::newly_uncovered(before, before, 1).empty());
  }
}
