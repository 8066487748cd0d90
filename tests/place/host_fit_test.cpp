#include "place/host_fit.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "place/gpu_slots.hpp"
#include "place/host_capacity.hpp"
#include "support/example_devices.hpp"
#include "support/example_hosts.hpp"

using namespace gpushape;
using place::closest_gpus;
using place::fit_on_empty_host;
using place::gpu_slots;
using place::host_capacity;
using place::HostCapacity;
using place::HostFit;
using place::HostResource;

TEST_SUITE("place") {
  TEST_CASE("a host keeps two cores a socket and six percent of memory for itself") {
    // 52 - 2 cores; 2048 / 2 x 0.94 = 962.56 GiB
    const HostCapacity h1 = host_capacity(example::h1());
    CHECK(h1.nodes == 2);
    CHECK(h1.cores_per_node == 50);
    CHECK(h1.memory_per_node == gib(1024) * 94 / 100);
    CHECK(h1.mhz() == 200'000);
    // NPS4: 64/4 - ceil(2/4) = 15 cores; 768 / 8 x 0.94 = 90.24 GiB
    const HostCapacity h5 = host_capacity(example::h5());
    CHECK(h5.nodes == 8);
    CHECK(h5.cores_per_node == 15);
    CHECK(h5.memory_per_node == gib(96) * 94 / 100);
  }

  TEST_CASE("a host that the hypervisor fills has no core left, not less than none") {
    domain::Host host = example::two_sockets("tiny", 1, 8, 1);
    CHECK(host_capacity(host).cores() == 0);
    host.cores_per_socket = 2;
    CHECK(host_capacity(host).cores() == 0);
    host.cores_per_socket = 3;
    CHECK(host_capacity(host).cores() == 2);
  }

  TEST_CASE("shares count by the profile table of their mode") {
    const domain::Device h100 = example::h100();
    // NVIDIA vGPU types: H100XM-10C 8 a GPU, 4C 20 in same-size and 16 in mixed-size mode
    CHECK(gpu_slots(example::shape(h100, "10C"), h100, example::h1()) == 64);
    domain::Shape small = example::shape(h100, "4C");
    CHECK(gpu_slots(small, h100, example::h1()) == 160);
    small.is_mixed_size = true;
    CHECK(gpu_slots(small, h100, example::h1()) == 128);
    CHECK(gpu_slots(example::shape(h100, "3g.40gb"), h100, example::h1()) == 16);
  }

  TEST_CASE("shares without a profile table count by their memory") {
    const domain::Device h100 = example::h100();
    domain::Shape shape = example::shape(h100, "");
    shape.technology = domain::Technology::Mps;
    shape.memory_bytes = gib(30);
    CHECK(gpu_slots(shape, h100, example::h1()) == 16);  // 80 / 30 = 2 a GPU
  }

  TEST_CASE("a device group stays within one link domain") {
    const domain::Device a100 = example::a100();
    const domain::Host pairs = example::h3();
    CHECK(gpu_slots(example::group(a100, "80C", 2), a100, pairs) == 2);
    CHECK(gpu_slots(example::group(a100, "80C", 4), a100, pairs) == 0);
    CHECK(gpu_slots(example::shape(a100, "80C", 4), a100, pairs) == 1);  // without links
    const domain::Device h100 = example::h100();
    CHECK(gpu_slots(example::group(h100, "80C", 4), h100, example::h1()) == 2);
    CHECK(gpu_slots(example::group(h100, "80C", 8), h100, example::h1()) == 1);
    const domain::Device l40s = example::l40s();
    CHECK(gpu_slots(example::group(l40s, "48C", 2), l40s, example::h2()) == 0);  // no NVLink
  }

  TEST_CASE("GPUs of another device offer no slot") {
    const domain::Device h100 = example::h100();
    CHECK(gpu_slots(example::shape(h100, "80C"), h100, example::h2()) == 0);
  }

  TEST_CASE("the closest GPUs share a link domain, and a node where they can") {
    CHECK(closest_gpus(example::h1(), "h100-sxm-80", 2) == std::vector{0, 1});
    CHECK(closest_gpus(example::h1(), "h100-sxm-80", 8) == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
    // node 1 holds the only four GPUs that share a node
    domain::Host uneven = example::two_sockets("uneven", 32, 512, 25);
    for (const int node : {0, 0, 1, 1, 1, 1}) example::add_gpu(uneven, "h100-sxm-80", node, 0);
    CHECK(closest_gpus(uneven, "h100-sxm-80", 4) == std::vector{2, 3, 4, 5});
    // without links one node still comes first
    CHECK(closest_gpus(example::h2(), "l40s", 2) == std::vector{0, 1});
    CHECK(closest_gpus(example::h2(), "l40s", 3) == std::vector{0, 1, 2});
    CHECK(closest_gpus(example::h3(), "a100-pcie-80", 4) == std::vector{0, 1, 2, 3});
    CHECK(closest_gpus(example::h3(), "a100-pcie-80", 9).size() == 4);
    CHECK(closest_gpus(example::h3(), "l40s", 1).empty());
  }

  TEST_CASE("GPUs are linked when all stand in one link domain") {
    CHECK(place::are_linked(example::h1(), std::vector{0, 7}));
    CHECK(place::are_linked(example::h3(), std::vector{0, 1}));
    CHECK_FALSE(place::are_linked(example::h3(), std::vector{1, 2}));
    CHECK_FALSE(place::are_linked(example::h2(), std::vector{0, 1}));  // no NVLink
    CHECK(place::are_linked(example::h2(), std::vector{0}));
  }

  TEST_CASE("the fit names every resource and the one that runs out first") {
    // The example of the series: 40 GB, 16 vCPU, 128 GiB on H1: 6 guaranteed, 12 at two vCPU a
    // core, of 16 slots.
    const domain::Device h100 = example::h100();
    domain::ResourceContract contract;
    contract.shape = example::shape(h100, "40C");
    contract.vcpus = 16;
    contract.memory_bytes = gib(128);
    contract.cpu_reservation_mhz = 32'000;  // 16 x 2000
    const domain::Host host = example::h1();
    const HostFit guaranteed = fit_on_empty_host(contract, h100, host, host_capacity(host));
    CHECK(guaranteed.resources ==
          std::vector<place::ResourceFit>{
              {HostResource::GpuSlots, 1, 16, 16},
              {HostResource::Vcpus, 16, 100, 6},
              {HostResource::Memory, gib(128).count(), (gib(2048) * 94 / 100).count(), 15},
              {HostResource::CpuReservation, 32'000, 200'000, 6}});
    CHECK(guaranteed.instances == 6);
    CHECK(guaranteed.binding == HostResource::Vcpus);
    CHECK(guaranteed.stranded_slots == 10);

    contract.vcpus_per_core = 2;
    contract.cpu_reservation_mhz = 0;
    const HostFit shared = fit_on_empty_host(contract, h100, host, host_capacity(host));
    CHECK(shared.instances == 12);
    CHECK(shared.row(HostResource::CpuReservation) == nullptr);
  }

  TEST_CASE("a host that fits every slot strands none") {
    const domain::Device l40s = example::l40s();
    domain::ResourceContract contract;
    contract.shape = example::shape(l40s, "48C");
    contract.vcpus = 10;
    contract.memory_bytes = gib(72);
    contract.vcpus_per_core = 2;
    const domain::Host host = example::h2();
    const HostFit fit = fit_on_empty_host(contract, l40s, host, host_capacity(host));
    CHECK(fit.instances == 4);
    CHECK(fit.binding == HostResource::GpuSlots);
    CHECK(fit.stranded_slots == 0);
  }
}
