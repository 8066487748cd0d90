#include "simulate/vm_replay.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/example_devices.hpp"

using namespace gpushape;

namespace {

domain::Cluster two_hosts_of_two_gpus() {
  domain::Cluster cluster;
  for (const char* name : {"esx1", "esx2"}) {
    domain::ClusterHost host;
    host.name = name;
    host.millicores = 64'000;
    host.memory_bytes = gib(512);
    for (int i = 0; i < 2; ++i) {
      domain::Gpu gpu;
      gpu.id = "gpu" + std::to_string(i);
      gpu.device = "h100-sxm-80";
      gpu.allowed_modes = {domain::GpuMode::Passthrough};
      host.gpus.push_back(std::move(gpu));
    }
    cluster.hosts.push_back(std::move(host));
  }
  return cluster;
}

domain::TraceEvent arrival(std::string vm, double seconds, std::int64_t gpus) {
  domain::TraceEvent event;
  event.vm = std::move(vm);
  event.seconds = seconds;
  event.request.use = domain::GpuUse::Passthrough;
  event.request.gpus = gpus;
  event.request.millicores = 4'000;
  event.request.memory_bytes = gib(32);
  return event;
}

domain::TraceEvent departure(std::string vm, double seconds) {
  domain::TraceEvent event;
  event.is_arrival = false;
  event.vm = std::move(vm);
  event.seconds = seconds;
  return event;
}

}  // namespace

TEST_SUITE("simulate") {
  TEST_CASE("spreading rejects what packing places, and the rejection counts as avoidable") {
    // Two VMs of one GPU, then one of two: spread over both hosts, no host has two GPUs left.
    domain::Trace trace;
    trace.events = {arrival("a", 0, 1), arrival("b", 10, 1), arrival("c", 20, 2),
                    departure("a", 40)};
    const place::Snapshot snapshot(two_hosts_of_two_gpus(), std::vector{example::h100()});
    const auto spread =
        simulate::replay_vms(snapshot, trace, *place::find_policy("best-performance"));
    CHECK(spread.placed == 2);
    CHECK(spread.rejected == 1);
    CHECK(spread.rejected_by.at(domain::Refusal::Count) == 1);
    CHECK(spread.avoidable == 1);  // both on one host leave the other one whole
    CHECK(spread.perhaps_avoidable == 0);
    CHECK(spread.accepted_gpu_share == doctest::Approx(0.5));  // 2 of 4 GPUs asked for
    // Idle: 3 GPUs for 10 s, 2 for 30 s, over 40 s.
    CHECK(spread.mean_idle == doctest::Approx((3 * 10 + 2 * 30) / 40.0));
    const auto packed = simulate::replay_vms(snapshot, trace, *place::find_policy("consolidation"));
    CHECK(packed.rejected == 0);
    CHECK(packed.accepted_gpu_share == doctest::Approx(1.0));
  }

  TEST_CASE("VMs that ran before the trace stay where they are in hindsight") {
    domain::Cluster cluster = two_hosts_of_two_gpus();
    for (domain::ClusterHost& host : cluster.hosts) {
      domain::VirtualMachine vm;
      vm.name = "old-" + host.name;
      vm.host = host.name;
      vm.gpus = {0};
      vm.request = arrival("", 0, 1).request;
      host.gpus[0].mode = domain::GpuMode::Passthrough;
      host.gpus[0].allocations = {{.vm = vm.name, .profile = {}, .start = 0, .size = 80}};
      cluster.vms.push_back(std::move(vm));
    }
    domain::Trace trace;
    trace.events = {arrival("pair", 0, 2), departure("pair", 1)};
    const place::Snapshot snapshot(cluster, std::vector{example::h100()});
    const auto replay =
        simulate::replay_vms(snapshot, trace, *place::find_policy("best-performance"));
    CHECK(replay.rejected == 1);
    CHECK(replay.avoidable == 0);          // no other choice was ever made
    CHECK(replay.perhaps_avoidable == 1);  // two GPUs are free in total
  }

  TEST_CASE("what no arrangement has GPUs for is the demand's fault") {
    domain::Trace trace;
    trace.events = {arrival("a", 0, 1), arrival("b", 1, 1), arrival("c", 2, 1), arrival("d", 3, 2),
                    departure("a", 4)};
    const place::Snapshot snapshot(two_hosts_of_two_gpus(), std::vector{example::h100()});
    const auto replay = simulate::replay_vms(snapshot, trace, *place::find_policy("consolidation"));
    CHECK(replay.rejected == 1);
    CHECK(replay.avoidable + replay.perhaps_avoidable == 0);  // one of four GPUs is free
  }

  TEST_CASE("a departure makes room, and one of a VM that was never placed changes nothing") {
    domain::Trace trace;
    trace.events = {arrival("a", 0, 2), arrival("b", 1, 2), arrival("c", 2, 1),
                    departure("c", 3),  departure("a", 4),  arrival("d", 5, 2)};
    const place::Snapshot snapshot(two_hosts_of_two_gpus(), std::vector{example::h100()});
    for (const place::PolicyRow& policy : place::policies()) {
      CAPTURE(policy.name);
      const auto replay = simulate::replay_vms(snapshot, trace, policy);
      CHECK(replay.placed == 3);
      CHECK(replay.rejected == 1);
      CHECK(replay.avoidable == 0);
    }
  }
}
