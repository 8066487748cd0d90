// Work in GPUs, by hand arithmetic.
#include "place/usage.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpushape;

namespace {

/// One host with `gpus` devices, each passed through to a VM of its own.
domain::Cluster cluster_of(int gpus) {
  domain::Cluster cluster;
  domain::ClusterHost host;
  host.name = "h";
  for (int i = 0; i < gpus; ++i) {
    domain::Gpu gpu;
    gpu.id = fmt::format("gpu{}", i);
    gpu.uuid = fmt::format("GPU-{}", i);
    gpu.device = "any";
    gpu.allowed_modes = {domain::GpuMode::Passthrough};
    gpu.mode = domain::GpuMode::Passthrough;
    gpu.allocations = {{.vm = fmt::format("vm{}", i), .profile = {}, .start = 0, .size = 80}};
    host.gpus.push_back(gpu);
    domain::VirtualMachine vm;
    vm.name = fmt::format("vm{}", i);
    vm.host = "h";
    vm.gpus = {i};
    vm.team = i % 2 == 0 ? "even" : "odd";
    vm.request.use = domain::GpuUse::Passthrough;
    vm.request.millicores = 4000;
    vm.request.memory_bytes = gib(32);
    cluster.vms.push_back(vm);
  }
  cluster.hosts.push_back(host);
  return cluster;
}

domain::UsageSeries active(int gpu, std::vector<double> values) {
  domain::UsageSeries series;
  series.uuid = fmt::format("GPU-{}", gpu);
  for (std::size_t i = 0; i < values.size(); ++i) {
    series.samples.push_back({.seconds = 100.0 * static_cast<double>(i), .value = values[i]});
  }
  return series;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("eight GPUs at a quarter do the work of two") {
    const domain::Cluster cluster = cluster_of(8);
    const place::Snapshot snapshot(cluster, std::vector<place::DeviceGeometry>{});
    std::vector<domain::UsageSeries> series;
    for (int i = 0; i < 8; ++i) series.push_back(active(i, {0.5, 0.25, 0.0, 0.25}));
    const place::Usage usage = place::usage_of(snapshot, cluster, series);
    CHECK(usage.total.gpus == doctest::Approx(8));
    CHECK(usage.total.allocated_gpus == doctest::Approx(8));
    CHECK(usage.total.work_gpus == doctest::Approx(2));
    REQUIRE(usage.teams.size() == 2);
    CHECK(usage.teams[0].work_gpus == doctest::Approx(1));
    CHECK_FALSE(usage.holders.front().is_idle());
  }

  TEST_CASE("idle since the first sample of the stretch that lasts to the end") {
    const domain::Cluster cluster = cluster_of(3);
    const place::Snapshot snapshot(cluster, std::vector<place::DeviceGeometry>{});
    const std::vector<domain::UsageSeries> series = {active(0, {0.5, 0.0, 0.4, 0.0, 0.001}),
                                                     active(1, {0, 0, 0, 0, 0}), active(9, {1})};
    const place::Usage usage = place::usage_of(snapshot, cluster, series);
    REQUIRE(usage.gpus.size() == 3);
    CHECK(usage.gpus[0].activity->idle_since == doctest::Approx(300));
    CHECK_FALSE(usage.gpus[0].activity->is_idle_throughout);
    CHECK(usage.gpus[1].activity->is_idle_throughout);
    CHECK_FALSE(usage.gpus[2].activity.has_value());
    CHECK(usage.unknown == std::vector<std::string>{"GPU-9"});
    CHECK(usage.holders[1].millicores == 4000);
    CHECK(usage.total.measured_gpus == doctest::Approx(2));
  }

  TEST_CASE("the work of a shared GPU is divided by the shares") {
    domain::Cluster cluster = cluster_of(1);
    cluster.hosts[0].gpus[0].shares = {
        {.holder = "a", .team = "x", .memory_bytes = {}, .fraction = 0.5},
        {.holder = "b", .team = "x", .memory_bytes = {}, .fraction = 0.25}};
    const place::Snapshot snapshot(cluster, std::vector<place::DeviceGeometry>{});
    const place::Usage usage =
        place::usage_of(snapshot, cluster, std::vector{active(0, {0.6, 0.6})});
    REQUIRE(usage.holders.size() == 2);
    CHECK(usage.holders[0].work_gpus == doctest::Approx(0.4));
    CHECK(usage.holders[1].work_gpus == doctest::Approx(0.2));
    CHECK(usage.holders[0].is_divided);
    CHECK(usage.total.work_gpus == doctest::Approx(0.6));
  }
}
