#include "advise/contract.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/example_devices.hpp"
#include "support/example_hosts.hpp"
#include "support/example_requests.hpp"

using namespace gpushape;
using advise::ContractRequest;
using advise::derive_contract;
using domain::Density;
using domain::Qos;
using domain::ResourceContract;
using domain::Role;
using domain::Tier;
using example::gigabytes;
using example::has_note;
using example::request;
using example::with_qos;

namespace {

struct Golden {
  std::string name;
  domain::Host host;
  ContractRequest request;
  std::int64_t vcpus;
  std::int64_t minimum_vcpus;
  std::int64_t memory_gib;
  std::int64_t minimum_memory_gib;
  std::int64_t mhz;
  std::int64_t nodes;  ///< 1: no topology
  std::int64_t mmio_gib;
  std::optional<double> pause;
  Density density;
};

/// The fourteen worked examples. Procs are API servers + data-parallel engines + GPU workers; every
/// GPU VM has 8 GiB for the system, 2 GiB for each API server and engine, 4 GiB for each worker.
std::vector<Golden> worked_examples() {
  using namespace example;
  std::vector<Golden> rows;

  // vCPU: min 4; max(4 + ceil(32/64), ceil(6 x 10/80)) = 5 -> 6.
  // RAM: min 8 + (2x2 + 4) + 2 + 2.1 = 20.1 -> 24 (23 with a whole shard of 5); same recommended.
  // MMIO: 2 x nextpow2(80) = 256. Pause: 1.5 + 10 x 8 / (0.65 x 100) = 2.73.
  // Host: 8 GPUs x 8; 100 cores x 4 / 6 = 66.7; 1925.1 / 24 = 80.2.
  ContractRequest embed =
      with_qos(request(example::h100(), shape(example::h100(), "10C")), Qos::BestEffort);
  embed.role = Role::Embed;
  embed.weights_bytes = Bytes(2'270'000'000);
  rows.push_back({"1", h1(), embed, 6, 4, 24, 24, 0, 1, 256, 2.7, {64, 66, 80, {}}});

  // vCPU: procs 3; max(3 + 2, 4) = 5 -> 6; max(5 + ceil(16/64), ceil(6 x 0.25)) = 6.
  // RAM: 8 + 8 + 2 + 5 = 23 -> 24; 8 + 8 + 2 + 12.1 = 30.1, ratio 1.5 x 20 = 30; -> 32.
  // MHz: 3 x 2000. Pause: 1.5 + 20 x 8 / 65 = 3.96. Host: 200/6 = 33.3; 1925/32 = 60.2;
  // 200000/6000 = 33.3.
  ContractRequest mixture = request(example::h100(), shape(example::h100(), "20C"));
  mixture.in_flight = 16;
  mixture.weights_bytes = gigabytes(13);
  rows.push_back({"2", h1(), mixture, 6, 6, 32, 24, 6000, 1, 256, 4.0, {32, 33, 60, 33}});

  // vCPU: max(5 + 1, 3) = 6; 1.5 x 6 = 9 -> 10. RAM: 1.5 x 40 = 60 -> 64. MHz: 10 x 2000.
  // Pause: 1.5 + 40 x 8 / 65 = 6.42. Host: 8 x 2; 100/10; 1925/64 = 30.1; 200000/20000.
  ContractRequest fast =
      with_qos(request(example::h100(), shape(example::h100(), "40C")), Qos::Guaranteed);
  fast.in_flight = 64;
  fast.wishes.tier.value = Tier::Performance;
  fast.weights_bytes = gigabytes(13);
  rows.push_back({"3", h1(), fast, 10, 6, 64, 24, 20'000, 1, 256, 6.4, {16, 10, 30, 10}});

  // vCPU: max(5, 8) = 8; max(8 + 1, 6) = 9 -> 10. RAM: 1.5 x 48 = 72. MMIO: 2 x nextpow2(48) = 128.
  // Pause: 1.5 + 48 x 8 / (0.65 x 25) = 25.13. Host: 60 x 2 / 10; 962.6/72 = 13.4; 120000/6000.
  ContractRequest full = request(example::l40s(), shape(example::l40s(), "48C"));
  full.weights_bytes = gigabytes(16);
  rows.push_back({"4", h2(), full, 10, 8, 72, 24, 6000, 1, 128, 25.1, {4, 12, 13, 20}});

  // RAM: 8 + 8 + 2 + 60.5 = 78.5; ratio 1.5 x 80 = 120. VCF 9 moves the dynamic 12 GB:
  // 1.5 + 12 x 8 / 65 = 2.98. Host: 200/10; 1925/120 = 16.04; 200000/6000 = 33.3.
  ContractRequest large = request(example::h100(), shape(example::h100(), "80C"));
  large.weights_bytes = gigabytes(65);
  large.dynamic_bytes = gigabytes(12);
  rows.push_back({"5", h1v9(), large, 10, 8, 120, 24, 6000, 1, 256, 3.0, {8, 20, 16, 33}});

  // vCPU: procs 4; max(6, 8) = 8; max(8 + ceil(85/64), 6 x 2) = 12. RAM: 8 + (4 + 8) + 8 + 5 = 33
  // -> 40; 1.5 x 160 = 240. MMIO: 2 x nextpow2(160) = 512. Pause: 1.5 + 160 x 8 / 65 = 21.19.
  // Host: 8/2; 100/12 = 8.3; 1925/240 = 8.02; 200000/24000 = 8.3.
  ContractRequest pair =
      with_qos(request(example::h100(), group(example::h100(), "80C", 2)), Qos::Guaranteed);
  pair.in_flight = 85;
  pair.weights_bytes = gigabytes(73);
  rows.push_back({"6", h1(), pair, 12, 8, 240, 40, 24'000, 1, 512, 21.2, {4, 8, 8, 8}});

  // vCPU: procs 10; 12; max(12 + 2, 48) = 48. RAM: 8 + (4 + 32) + 8 + 5 = 57 -> 64; 1.5 x 640 = 960
  // (377 GiB of weights stay below). The GPUs stand on two nodes: n = 2. MMIO: 2 x nextpow2(640).
  // Pause: 1.5 + 640 x 8 / 65 = 80.27. Host: 8/8; 100/48; 1925/960; 200000/96000.
  ContractRequest eight =
      with_qos(request(example::h100(), group(example::h100(), "80C", 8)), Qos::Guaranteed);
  eight.in_flight = 128;
  eight.weights_bytes = gigabytes(405);
  rows.push_back({"7", h1(), eight, 48, 12, 960, 64, 96'000, 2, 2048, 80.3, {1, 2, 2, 2}});

  // RAM: 8 + 8 + 2 + 5 + 300 = 323 -> 336; 8 + 8 + 2 + 15 + 300 = 333, ratio 1.5 x 24 + 300 = 336.
  // 336 > 240.6: n = 2. MMIO: 2 x nextpow2(24) = 64, nextpow2(32 + 1) = 64. No vGPU, no pause.
  // Host: 36 x 2 / 10 = 7.2; 481/336 = 1.4; 72000/6000.
  ContractRequest tiered = request(a30(), shape(a30(), ""));
  tiered.weights_bytes = gib(15);
  tiered.wishes.kv_offload_bytes.value = gib(300);
  rows.push_back({"8", h4(), tiered, 10, 8, 336, 336, 6000, 2, 64, {}, {1, 7, 1, 12}});

  // vCPU: procs 6; max(8, 8); max(8 + 1, 24) = 24. RAM: no NVLink among the four, so 16 GiB shared:
  // 8 + (4 + 16) + 16 + 5 = 49 -> 56; 1.5 x 320 = 480. Both nodes. MHz: 6 x 2000.
  // Pause: 1.5 + 320 x 8 / 16.25 = 159.04. Host: 4/4; 120/24; 481/480; 120000/12000.
  ContractRequest across = request(example::a100(), shape(example::a100(), "80C", 4));
  across.weights_bytes = gigabytes(73);
  rows.push_back({"9a", h3(), across, 24, 8, 480, 56, 12'000, 2, 1024, 159.0, {1, 5, 1, 10}});

  // vCPU: procs 4; 8; max(9, 12) = 12. RAM as in 6. MHz: 4 x 2000. Pause: 1.5 + 160 x 8 / 16.25.
  // Host: one group a pair; 120/12; 481/240; 120000/8000.
  ContractRequest replica = request(example::a100(), group(example::a100(), "80C", 2));
  replica.weights_bytes = gigabytes(73);
  rows.push_back({"9b", h3(), replica, 12, 8, 240, 40, 8000, 1, 512, 80.3, {2, 10, 2, 15}});

  // c = 64/4 - ceil(2/4) = 15, m = 96 x 0.94 = 90.2. RAM: 1.5 x 94 = 141 -> 144, lowered to 88 on
  // the GPU's node. Pause: 1.5 + 94 x 8 / 65 = 13.07. Host: 120 x 2 / 10; 721.9/88 = 8.2;
  // 240000/6000.
  ContractRequest split = request(h100_nvl(), shape(h100_nvl(), "94C"));
  split.in_flight = 64;
  split.weights_bytes = gigabytes(65);
  rows.push_back({"10", h5(), split, 10, 8, 88, 24, 6000, 1, 256, 13.1, {4, 24, 8, 40}});

  // c = 62, m = 361. Host: 124 x 2 / 10 = 24.8; 721.9/144 = 5.01; 248000/6000 = 41.3.
  rows.push_back({"10b", h5b(), split, 10, 8, 144, 24, 6000, 1, 256, 13.1, {4, 24, 5, 41}});

  // vCPU: 4 x (1 + 4) + 2 = 22; max(22, 12 x 4) = 48 <= c = 54. RAM: 8 + (4 + 6) x 4 + 16 + 5 = 69
  // -> 72; ratio 2 x 564 = 1128 -> 1152, share of half the host 962.6 -> 960. MMIO: 2 x
  // nextpow2(564) = 2048, nextpow2(4 x 256 + 1) = 2048. VCF 9: 1.5 + 300 x 8 / 65 = 38.42. Host:
  // 8/4; 108/48; 1925/960; 216000/96000.
  ContractRequest tune = with_qos(request(h200(), group(h200(), "141C", 4)), Qos::Guaranteed);
  tune.role = Role::FineTune;
  tune.wishes.workers.value = 4;
  tune.weights_bytes = gigabytes(141);
  tune.dynamic_bytes = gigabytes(300);
  rows.push_back({"11", h6(), tune, 48, 22, 960, 72, 96'000, 1, 2048, 38.4, {2, 2, 2, 2}});

  // vCPU: 4, below half a device. RAM: 16; max(32, 2 x 10) = 32, lowered to the share of an eighth
  // of a GPU: 1925.1 / 64 = 30.1 -> 24. Host: 100 x 4 / 4; 1925/24 = 80.2.
  ContractRequest notebook =
      with_qos(request(example::h100(), shape(example::h100(), "10C")), Qos::BestEffort);
  notebook.role = Role::Notebook;
  rows.push_back({"12", h1(), notebook, 4, 4, 24, 16, 0, 1, 256, 2.7, {64, 100, 80, {}}});
  return rows;
}

const Golden& row(const std::string& name) {
  static const std::vector<Golden> kRows = worked_examples();
  return *std::ranges::find(kRows, name, &Golden::name);
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("the worked examples come out to the value") {
    for (const Golden& row : worked_examples()) {
      CAPTURE(row.name);
      const ResourceContract contract = derive_contract(row.request, row.host);
      CHECK(contract.vcpus == row.vcpus);
      CHECK(contract.minimum_vcpus == row.minimum_vcpus);
      CHECK(contract.memory_bytes.gib() == static_cast<double>(row.memory_gib));
      CHECK(contract.minimum_memory_bytes.gib() == static_cast<double>(row.minimum_memory_gib));
      CHECK(contract.memory_reservation_bytes == contract.memory_bytes);
      CHECK(contract.cpu_reservation_mhz == row.mhz);
      CHECK((contract.numa ? contract.numa->nodes : 1) == row.nodes);
      CHECK(contract.mmio_gib == row.mmio_gib);
      CHECK(contract.pause_seconds.has_value() == row.pause.has_value());
      if (row.pause && contract.pause_seconds) {
        CHECK(std::abs(*contract.pause_seconds - *row.pause) <= 0.05);  // one printed decimal
      }
      CHECK(contract.density.gpu_slots == row.density.gpu_slots);
      CHECK(contract.density.by_vcpus == row.density.by_vcpus);
      CHECK(contract.density.by_memory == row.density.by_memory);
      CHECK(contract.density.by_reservation == row.density.by_reservation);
    }
  }

  TEST_CASE("eight GPUs on two nodes show the guest which node each stands on") {
    const ResourceContract contract = derive_contract(row("7").request, example::h1());
    REQUIRE(contract.numa.has_value());
    CHECK(contract.numa->cores_per_node == 24);
    CHECK(contract.numa->cores_per_socket == 24);
    const std::vector<domain::DeviceNode> expected = {{0, 0}, {1, 0}, {2, 0}, {3, 0},
                                                      {4, 1}, {5, 1}, {6, 1}, {7, 1}};
    CHECK(contract.numa->devices == expected);
    CHECK_FALSE(
        contract.numa->shown_from_vcpus.has_value());  // 48 vCPU show their nodes by default
    CHECK(has_note(contract, "step-3", "GPU span"));
  }

  TEST_CASE("the GPU's physical node becomes the first virtual one, and NICs follow") {
    domain::Host host = example::h4();  // the A30 stands on physical node 1
    host.nics = {{"nic0", 25, 0, ""}, {"nic1", 25, 1, ""}};
    const ResourceContract contract = derive_contract(row("8").request, host);
    REQUIRE(contract.numa.has_value());
    CHECK(contract.numa->cores_per_node == 5);
    CHECK(contract.numa->devices == std::vector<domain::DeviceNode>{{0, 0}});
    CHECK(contract.numa->nics == std::vector<domain::NicNode>{{"nic0", 1}, {"nic1", 0}});
    CHECK(has_note(contract, "step-3", "because of memory"));
    CHECK(has_note(contract, "VC-08", "host tier of 300 GiB"));
  }

  TEST_CASE("a VM of up to eight vCPUs on several nodes must be told to show them") {
    ContractRequest small = row("8").request;
    small.wishes.tier.value = Tier::Minimum;
    const ResourceContract contract = derive_contract(small, example::h4());
    CHECK(contract.vcpus == 8);
    REQUIRE(contract.numa.has_value());
    CHECK(contract.numa->shown_from_vcpus == 8);
  }

  TEST_CASE("GPUs outside one link domain are named, and those inside are not") {
    CHECK(has_note(derive_contract(row("9a").request, example::h3()), "RV-06", "4 GPUs"));
    const ResourceContract pair = derive_contract(row("9b").request, example::h3());
    CHECK_FALSE(has_note(pair, "RV-06"));
    CHECK(has_note(pair, "MG-02", "Nvidia:2@grid_a100d-80c%NVLink"));
  }

  TEST_CASE("a clamp says what it lowered and why") {
    // 144 GiB on a node of 90.2 (example 10); a share of 30.1 GiB for an eighth of a GPU (12)
    CHECK(has_note(derive_contract(row("10").request, example::h5()), "step-3",
                   "memory lowered from 144 GiB to 88 GiB: NUMA node 0 of the GPUs has 90.2 GiB"));
    CHECK(has_note(derive_contract(row("12").request, example::h1()), "step-2",
                   "memory lowered from 32 GiB to 24 GiB: the instance's share of h1 is 30.1 GiB"));
  }

  TEST_CASE("a filled host that strands GPU slots names what runs out first") {
    CHECK(has_note(derive_contract(row("3").request, example::h1()), "VC-16",
                   "ends at 10 of 16 GPU slots: vCPU runs out first (10 of 100 vCPU), 6 slots"));
    CHECK_FALSE(has_note(derive_contract(row("4").request, example::h2()), "VC-16"));
  }

  TEST_CASE("one socket node in NPS4 is advised against") {
    CHECK(has_note(derive_contract(row("10").request, example::h5()), "VC-26"));
    CHECK_FALSE(has_note(derive_contract(row("10").request, example::h5b()), "VC-26"));
  }

  TEST_CASE("the contract says what its CPU figures mean") {
    const ResourceContract engine = derive_contract(row("2").request, example::h1());
    CHECK(engine.reserved_cores == 3);
    CHECK(engine.vcpus_per_core == 2);
    const ResourceContract guaranteed = derive_contract(row("3").request, example::h1());
    CHECK(guaranteed.reserved_cores == 10);
    CHECK(guaranteed.vcpus_per_core == 1);
    const ResourceContract shares = derive_contract(row("1").request, example::h1());
    CHECK(shares.reserved_cores == 0);
    CHECK(shares.vcpus_per_core == 4);
    CHECK(shares.host == "h1");
  }
}
