#include "place/defragment.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/example_devices.hpp"

using namespace gpushape;

namespace {

/// Two hosts of two H100 in same-size mode; a 20C on the first GPU of each, `movable` or not.
domain::Cluster scattered(bool movable) {
  domain::Cluster cluster;
  for (const char* name : {"esx1", "esx2"}) {
    domain::ClusterHost host;
    host.name = name;
    host.millicores = 64'000;
    host.memory_bytes = gib(512);
    host.link_domains = {{.gpus = {0, 1}}};
    for (int i = 0; i < 2; ++i) {
      domain::Gpu gpu;
      gpu.id = "gpu" + std::to_string(i);
      gpu.device = "h100-sxm-80";
      gpu.allowed_modes = {domain::GpuMode::SameSize};
      host.gpus.push_back(std::move(gpu));
    }
    domain::VirtualMachine vm;
    vm.name = std::string("on-") + name;
    vm.host = name;
    vm.gpus = {0};
    vm.can_move = movable;
    vm.pause_seconds = 4;
    vm.request.profile = "20C";
    vm.request.millicores = 4'000;
    vm.request.memory_bytes = gib(32);
    host.gpus[0].mode = domain::GpuMode::SameSize;
    host.gpus[0].profile = "20C";
    host.gpus[0].allocations = {{vm.name, "20C", 0, 20}};
    cluster.hosts.push_back(std::move(host));
    cluster.vms.push_back(std::move(vm));
  }
  return cluster;
}

domain::PlacementRequest pair_of_gpus() {
  domain::PlacementRequest request;
  request.profile = "80C";
  request.gpus = 2;
  request.needs_links = true;
  return request;
}

place::DefragmentPlan plan_for(const domain::Cluster& cluster,
                               const domain::PlacementRequest& request) {
  const std::vector<domain::Device> devices = {example::h100()};
  const place::Snapshot snapshot(cluster, devices);
  return place::defragment(snapshot, snapshot.compile(request), cluster.vms);
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("one move to the other half-used GPU frees a pair") {
    const auto plan = plan_for(scattered(true), pair_of_gpus());
    REQUIRE(plan.answer == place::Answer::Yes);
    REQUIRE(plan.moves.size() == 1);
    CHECK(plan.moves.front().vm == "on-esx1");
    CHECK(plan.moves.front().from == 0);
    CHECK(plan.moves.front().to == 1);
    CHECK(plan.moves.front().pause_seconds == 4);
    CHECK(plan.host == 0);
    CHECK(plan.option.gpus == 3);
  }

  TEST_CASE("VMs that cannot move leave no plan, and a request that fits needs none") {
    CHECK(plan_for(scattered(false), pair_of_gpus()).answer == place::Answer::No);
    domain::PlacementRequest one = pair_of_gpus();
    one.gpus = 1;
    one.needs_links = false;
    const auto plan = plan_for(scattered(false), one);
    CHECK(plan.answer == place::Answer::Yes);
    CHECK(plan.moves.empty());
  }
}
