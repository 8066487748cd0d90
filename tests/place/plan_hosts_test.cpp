// The fewest hosts against a slow, obvious search on tiny mixes, and plans worked out by hand.
#include "place/plan_hosts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "place/host_filters.hpp"
#include "place/plan_shapes.hpp"
#include "place/snapshot.hpp"

namespace {

using gpushape::gib;
using gpushape::domain::ClusterHost;
using gpushape::domain::Device;
using gpushape::domain::GpuMode;
using gpushape::domain::GpuUse;
using gpushape::domain::HostPlan;
using gpushape::domain::PlacementRequest;
using gpushape::domain::Profile;
using gpushape::domain::Technology;
using gpushape::place::HostPlanInput;
using gpushape::place::MixChoice;
using gpushape::place::MixRequest;
using gpushape::place::plan_hosts;
using gpushape::place::Snapshot;

Device toy() {
  Device device;
  device.id = "toy-80";
  device.nominal_gb = 80;
  device.supports_time_sliced = true;
  device.supports_mixed_size = true;
  device.mixed_region_gib = 80;
  device.supports_mig = true;
  device.mig_memory_slices = 8;
  device.mig_compute_slices = 7;
  const auto share = [&](const std::string& name, int size, int most,
                         std::vector<std::int64_t> starts) {
    Profile profile;
    profile.name = name;
    profile.type = name;
    profile.short_name = name;
    profile.technology = most == 1 ? Technology::FullVgpu : Technology::TimeSliced;
    profile.is_full_size = most == 1;
    profile.nominal_gib = size;
    profile.frame_buffer_bytes = gib(size);
    profile.usable_bytes = gib(size);
    profile.max_per_gpu = most;
    profile.max_per_gpu_mixed = most;
    profile.placement_ids = std::move(starts);
    profile.placement_size = size;
    device.profiles.push_back(std::move(profile));
  };
  share("80C", 80, 1, {0});
  share("40C", 40, 2, {0, 40});
  share("20C", 20, 4, {0, 20, 40, 60});
  Profile instance;
  instance.name = "3g.40gb";
  instance.type = instance.name;
  instance.short_name = instance.name;
  instance.technology = Technology::Mig;
  instance.max_per_gpu = 2;
  instance.placement_ids = {0, 4};
  instance.placement_size = 4;
  instance.memory_slices = 4;
  instance.compute_slices = 3;
  device.profiles.push_back(instance);
  return device;
}

ClusterHost server(int gpus, std::int64_t cores, std::int64_t memory_gib) {
  ClusterHost host;
  host.name = "server";
  host.millicores = cores * 1000;
  host.memory_bytes = gib(memory_gib);
  for (int i = 0; i < gpus; ++i) {
    gpushape::domain::Gpu gpu;
    gpu.id = "gpu" + std::to_string(i);
    gpu.device = "toy-80";
    gpu.allowed_modes = {GpuMode::SameSize, GpuMode::Mig, GpuMode::Passthrough};
    host.gpus.push_back(std::move(gpu));
  }
  return host;
}

MixRequest vm(const std::string& name, const std::string& profile, std::int64_t cores = 1,
              std::int64_t memory_gib = 1) {
  MixRequest one;
  one.name = name;
  one.request.use = profile == "3g.40gb" ? GpuUse::Mig : GpuUse::TimeSliced;
  one.request.profile = profile;
  one.request.millicores = cores * 1000;
  one.request.memory_bytes = gib(memory_gib);
  one.request.devices = {"toy-80"};
  return one;
}

/// Every VM on every host at every place: nothing clever.
bool holds(Snapshot& snapshot, const std::vector<MixRequest>& mix, std::size_t next) {
  if (next == mix.size()) return true;
  const auto request = snapshot.compile(mix[next].request);
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (gpushape::place::refusal_of(snapshot, host, request)) continue;
    for (const auto& option : gpushape::place::options(snapshot, snapshot.row(host), request)) {
      snapshot.place(mix[next].name, request, host, option);
      const bool is_good = holds(snapshot, mix, next + 1);
      snapshot.remove(mix[next].name);
      if (is_good) return true;
    }
  }
  return false;
}

std::int64_t fewest(const ClusterHost& host, const std::vector<MixRequest>& mix,
                    const std::vector<Device>& devices) {
  for (std::size_t count = 1; count <= mix.size(); ++count) {
    gpushape::domain::Cluster cluster;
    for (std::size_t i = 0; i < count; ++i) {
      cluster.hosts.push_back(host);
      cluster.hosts.back().name = "h" + std::to_string(i);
    }
    Snapshot snapshot(cluster, devices);
    if (holds(snapshot, mix, 0)) return static_cast<std::int64_t>(count);
  }
  return 0;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("the plan takes as few hosts as the obvious search, for every tiny mix") {
    const std::vector<Device> devices = {toy()};
    const ClusterHost host = server(2, 6, 16);
    const std::vector<std::string> profiles = {"80C", "40C", "20C", "3g.40gb"};
    int compared = 0;
    for (int code = 0; code < 256; ++code) {
      std::vector<MixRequest> mix;
      int rest = code;
      for (int i = 0; i < 4; ++i, rest /= 4) {
        const auto kind = static_cast<std::size_t>(rest % 4);
        mix.push_back(vm("vm" + std::to_string(i), profiles[kind], 1 + (code + i) % 4, 2));
      }
      for (const bool is_mixed : {false, true}) {
        HostPlanInput input;
        input.pool = {host};
        if (is_mixed) input.pool = gpushape::place::in_mixed_size({host}, devices);
        input.is_model = true;
        input.devices = devices;
        const HostPlan plan = plan_hosts(input, mix);
        CAPTURE(code);
        CAPTURE(is_mixed);
        REQUIRE(plan.refusal.empty());
        const std::int64_t least = fewest(input.pool.front(), mix, devices);
        CHECK(plan.hosts == least);
        CHECK(plan.least_hosts <= least);
        CHECK(plan.is_proven);
        ++compared;
      }
    }
    CHECK(compared == 512);
  }

  TEST_CASE("CPU may bind before GPUs") {
    const std::vector<Device> devices = {toy()};
    HostPlanInput input;
    input.pool = {server(8, 10, 1000)};
    input.is_model = true;
    input.devices = devices;
    std::vector<MixRequest> mix;
    for (int i = 0; i < 8; ++i) mix.push_back(vm("vm" + std::to_string(i), "40C", 4));
    const HostPlan plan = plan_hosts(input, mix);  // 32 cores on hosts of 10, two VMs each
    CHECK(plan.hosts == 4);
    CHECK(plan.is_proven);
    CHECK(plan.bounds.front().resource == "CPU");
  }

  TEST_CASE("what no host takes is refused by name, with the rule") {
    const std::vector<Device> devices = {toy()};
    HostPlanInput input;
    input.pool = {server(1, 10, 100)};
    input.is_model = true;
    input.devices = devices;
    const HostPlan plan = plan_hosts(input, {vm("huge", "80C", 64)});
    CHECK(plan.refusal.find("no host takes huge") == 0);
  }

  TEST_CASE("hosts of a cluster keep what runs there") {
    const std::vector<Device> devices = {toy()};
    HostPlanInput input;
    input.pool = {server(1, 10, 100), server(1, 10, 100)};
    input.pool[0].name = "a";
    input.pool[1].name = "b";
    input.pool[0].gpus[0].mode = GpuMode::SameSize;
    input.pool[0].gpus[0].profile = "80C";
    input.pool[0].gpus[0].allocations.push_back({"other", "80C", 0, 80});
    input.devices = devices;
    const HostPlan plan = plan_hosts(input, {vm("new", "40C")});
    REQUIRE(plan.refusal.empty());
    REQUIRE(plan.used.size() == 1);
    CHECK(plan.used.front().name == "b");
    CHECK(plan_hosts(input, {vm("one", "80C"), vm("two", "80C")}).refusal ==
          "the 2 hosts do not hold the mix");
  }

  TEST_CASE("workloads take other shapes only where that saves a host, for every tiny mix") {
    // Each of three workloads is advised one shape and would do with another: the obvious search
    // tries all eight choices.
    const std::vector<Device> devices = {toy()};
    const std::vector<std::string> profiles = {"80C", "40C", "20C", "3g.40gb"};
    HostPlanInput input;
    input.pool = {server(1, 6, 16)};
    input.is_model = true;
    input.devices = devices;
    int saved = 0;
    for (int code = 0; code < 64; ++code) {
      std::vector<MixChoice> mix;
      std::vector<std::vector<MixRequest>> both(3);
      int rest = code;
      for (std::size_t i = 0; i < 3; ++i, rest /= 4) {
        const std::string name = "vm" + std::to_string(i);
        MixChoice choice{.name = name, .shapes = {}};
        for (const int other : {0, 1}) {
          const std::string& profile = profiles[static_cast<std::size_t>((rest + other) % 4)];
          const MixRequest one = vm(name, profile, 1 + other, 2);
          both[i].push_back(one);
          choice.shapes.push_back({.words = profile, .copies = {one}});
        }
        mix.push_back(std::move(choice));
      }
      std::int64_t least = 3;
      for (std::size_t pick = 0; pick < 8; ++pick) {
        least = std::min(
            least,
            fewest(input.pool.front(),
                   {both[0][pick & 1U], both[1][pick >> 1U & 1U], both[2][pick >> 2U]}, devices));
      }
      const std::int64_t first =
          fewest(input.pool.front(), {both[0][0], both[1][0], both[2][0]}, devices);
      const HostPlan plan = plan_hosts(input, mix);
      CAPTURE(code);
      REQUIRE(plan.refusal.empty());
      CHECK(plan.hosts == least);
      CHECK(plan.is_proven);
      CHECK(plan.other_shapes.empty() == (first == least));
      saved += first > least ? 1 : 0;
    }
    CHECK(saved > 5);
  }

  TEST_CASE("a shape that no host takes gives way to the next one, and says so") {
    const std::vector<Device> devices = {toy()};
    HostPlanInput input;
    input.pool = {server(1, 10, 100)};
    input.is_model = true;
    input.devices = devices;
    const HostPlan plan =
        plan_hosts(input, {{.name = "a",
                            .shapes = {{.words = "80C", .copies = {vm("a", "80C", 64)}},
                                       {.words = "40C", .copies = {vm("a", "40C", 8)}}}}});
    REQUIRE(plan.refusal.empty());
    CHECK(plan.hosts == 1);
    REQUIRE(plan.other_shapes.size() == 1);
    CHECK(plan.other_shapes.front().is_forced);
    CHECK(plan.other_shapes.front().instead_of == "80C");
  }
}
