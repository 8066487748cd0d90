// Idle capacity that no expected shape can use, and what keeps it so.
#include "place/paper_capacity.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/example_devices.hpp"

using namespace gpushape;
using domain::GpuMode;
using domain::Refusal;

namespace {

domain::Gpu h100_in(std::vector<GpuMode> modes) {
  domain::Gpu made;
  made.device = "h100-sxm-80";
  made.allowed_modes = std::move(modes);
  return made;
}

domain::Cluster one_host(std::vector<domain::Gpu> gpus) {
  domain::ClusterHost host;
  host.name = "esx-1";
  host.millicores = 64'000;
  host.memory_bytes = gib(512);
  host.gpus = std::move(gpus);
  domain::Cluster cluster;
  cluster.hosts.push_back(std::move(host));
  return cluster;
}

void run(domain::Cluster& cluster, const std::string& name, int gpu, const std::string& profile,
         int size) {
  domain::Gpu& on = cluster.hosts[0].gpus[static_cast<std::size_t>(gpu)];
  on.mode = GpuMode::SameSize;
  on.profile = profile;
  on.allocations.push_back({name, profile, 0, size});
  domain::VirtualMachine vm;
  vm.name = name;
  vm.host = "esx-1";
  vm.gpus = {gpu};
  vm.request.profile = profile;
  cluster.vms.push_back(std::move(vm));
}

std::vector<place::PaperCapacity> on_paper(const domain::Cluster& cluster,
                                           const domain::PlacementRequest& request) {
  const std::vector<domain::Device> devices = {example::h100()};
  const place::Snapshot snapshot(cluster, devices);
  return place::capacity_on_paper(
      snapshot,
      snapshot.compile(std::vector<std::pair<double, domain::PlacementRequest>>{{1.0, request}}));
}

domain::PlacementRequest wanted(std::string profile, std::int64_t gpus = 1) {
  domain::PlacementRequest request;
  request.profile = std::move(profile);
  request.gpus = gpus;
  request.needs_links = gpus > 1;
  request.millicores = 4'000;
  request.memory_bytes = gib(32);
  return request;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("a GPU locked to another profile is blocked by its own VMs") {
    domain::Cluster cluster =
        one_host({h100_in({GpuMode::SameSize}), h100_in({GpuMode::SameSize})});
    run(cluster, "chat", 0, "10C", 10);
    run(cluster, "other", 1, "20C", 20);
    const auto paper = on_paper(cluster, wanted("20C"));
    REQUIRE(paper.size() == 1);
    CHECK(paper[0].gpu == 0);
    CHECK(paper[0].idle == doctest::Approx(7.0 / 8));  // 70 of 80 GB
    CHECK(paper[0].refusal == Refusal::ProfileLock);
    CHECK(paper[0].blockers == std::vector<std::string>{"chat"});
  }

  TEST_CASE("a setting blocks without any VM") {
    const auto paper = on_paper(one_host({h100_in({GpuMode::Passthrough})}), wanted("20C"));
    REQUIRE(paper.size() == 1);
    CHECK(paper[0].refusal == Refusal::Mode);
    CHECK(paper[0].blockers.empty());
  }

  TEST_CASE("CPU that is gone is blocked by the VMs of the host") {
    domain::Cluster cluster =
        one_host({h100_in({GpuMode::SameSize}), h100_in({GpuMode::SameSize})});
    run(cluster, "chat", 0, "20C", 20);
    cluster.hosts[0].used_millicores = 62'000;
    const auto paper = on_paper(cluster, wanted("20C"));
    REQUIRE(paper.size() == 2);
    for (const place::PaperCapacity& row : paper) {
      CHECK(row.refusal == Refusal::Cpu);
      CHECK(row.blockers == std::vector<std::string>{"chat"});
    }
  }

  TEST_CASE("half a link domain is blocked by the VM on its other half") {
    domain::Cluster cluster =
        one_host({h100_in({GpuMode::SameSize}), h100_in({GpuMode::SameSize})});
    cluster.hosts[0].link_domains = {{.gpus = {0, 1}}};
    run(cluster, "chat", 0, "80C", 80);
    const auto paper = on_paper(cluster, wanted("80C", 2));
    REQUIRE(paper.size() == 1);
    CHECK(paper[0].gpu == 1);
    CHECK(paper[0].refusal == Refusal::Count);
    CHECK(paper[0].blockers == std::vector<std::string>{"chat"});
  }
}
