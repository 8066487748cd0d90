#include "advise/contract_steps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/example_devices.hpp"
#include "support/example_hosts.hpp"
#include "support/example_requests.hpp"

using namespace gpushape;
using advise::contract_basis;
using advise::ContractConstants;
using advise::ContractRequest;
using advise::derive_contract;
using advise::memory_need;
using advise::vcpu_need;
using domain::ResourceContract;
using domain::Role;
using example::has_note;
using example::request;

namespace {

ContractRequest whole_h100(std::int64_t count = 1) {
  return request(example::h100(), count == 1 ? example::shape(example::h100(), "80C")
                                             : example::group(example::h100(), "80C", count));
}

struct VcpuRow {
  std::string name;
  ContractRequest request;
  std::int64_t minimum;
  std::int64_t recommended;
};

std::vector<VcpuRow> vcpu_rows() {
  std::vector<VcpuRow> rows;
  const ContractRequest fraction = request(example::h100(), example::shape(example::h100(), "20C"));
  // procs 3: max(3 + 2, 4) = 5; max(5 + 1, ceil(6 x 0.25)) = 6
  rows.push_back({"a fraction", fraction, 5, 6});

  ContractRequest replicated = whole_h100(4);
  replicated.shape.parallelism.data = 2;
  replicated.shape.parallelism.tensor = 2;
  // procs 1 + 2 + 4 and one coordinator = 8: max(10, 8) = 10; max(10 + 1, 24) = 24
  rows.push_back({"two data-parallel engines and their coordinator", replicated, 10, 24});

  ContractRequest served = whole_h100();
  served.wishes.api_servers.value = 4;
  served.in_flight = 129;
  served.is_multimodal = true;
  // procs 4 + 1 + 1 = 6: max(8, 8); 8 + ceil(129/64) + 8 x 4 = 43
  rows.push_back({"four API servers that load media", served, 8, 43});
  served.is_multimodal = false;
  served.role = Role::Vision;
  rows.push_back({"a vision model is multimodal", served, 8, 43});
  served.role = Role::Speech;
  rows.push_back({"a speech model is served like a language model", served, 8, 11});  // 8 + 3

  ContractRequest embed = fraction;
  embed.role = Role::Rerank;
  embed.in_flight = 200;
  rows.push_back({"a reranker counts like embeddings", embed, 4, 8});  // 4 + ceil(200/64)
  embed.wishes.api_servers.value = 4;
  // procs 4 + 1 + 1 = 6 and one more, or its processes starve each other (VC-17); + 4
  rows.push_back({"embeddings behind four API servers", embed, 7, 11});

  ContractRequest notebook = request(example::h100(), example::shape(example::h100(), "40C"));
  notebook.role = Role::Notebook;
  rows.push_back({"a notebook on half a device", notebook, 4, 8});
  notebook.shape = example::shape(example::h100(), "20C");
  notebook.role = Role::Ci;
  rows.push_back({"jobs on a quarter", notebook, 4, 4});

  ContractRequest tune = whole_h100(2);
  tune.role = Role::FineTune;
  tune.wishes.workers.value = 15;
  rows.push_back({"many data loaders", tune, 34, 34});  // 2 x (1 + 15) + 2 > 24
  return rows;
}

struct MemoryRow {
  std::string name;
  ContractRequest request;
  std::int64_t minimum;      ///< GiB, before rounding
  std::int64_t recommended;  ///< the same
};

std::vector<MemoryRow> memory_rows() {
  std::vector<MemoryRow> rows;
  ContractRequest pair = whole_h100(2);
  pair.weights_bytes = gib(200);
  // 8 + (2x2 + 4x2) + 8: 28 and a shard, or the weights
  rows.push_back({"mmap keeps one shard, and wishes for a warm cache", pair, 33, 240});
  pair.weights_bytes = gib(230);
  rows.push_back({"weights beyond the ratio decide", pair, 33, 258});  // 28 + 230 > 1.5 x 160
  pair.wishes.loader.value = domain::Loader::Eager;
  rows.push_back({"eager keeps one shard a worker", pair, 38, 258});  // 28 + 2 x 5
  pair.wishes.loader.value = domain::Loader::Build;
  rows.push_back({"build holds the engine", pair, 188, 240});  // 28 + 160

  ContractRequest unknown = whole_h100();
  unknown.shard_bytes.reset();
  unknown.weights_bytes = gib(100);
  rows.push_back({"an unknown shard counts 5 GiB", unknown, 23, 120});  // 8 + 8 + 2 + 5; 1.5 x 80
  unknown.weights_bytes = gib(2);
  rows.push_back({"no shard is larger than the weights", unknown, 20, 120});

  ContractRequest embed = request(example::h100(), example::shape(example::h100(), "10C"));
  embed.role = Role::Embed;
  rows.push_back({"unknown weights do not put the wish below the need", embed, 23, 23});

  ContractRequest tiers = whole_h100();
  tiers.wishes.kv_offload_bytes.value = gib(100);
  tiers.wishes.cpu_offload_bytes.value = gib(40);
  rows.push_back({"host tiers add to both", tiers, 163, 260});  // 23 + 140; 120 + 140

  ContractRequest tune = whole_h100();
  tune.role = Role::FineTune;
  tune.wishes.workers.value = 4;
  // 8 + (4 + 1.5 x 4) + 8 + 5 = 31; 2 x 80
  rows.push_back({"training on one GPU shares 8 GiB", tune, 31, 160});

  ContractRequest notebook = request(example::h100(), example::shape(example::h100(), "40C"));
  notebook.role = Role::Notebook;
  notebook.wishes.kv_offload_bytes.value = gib(1);
  rows.push_back({"a notebook takes twice its GPU memory", notebook, 17, 81});
  return rows;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("vCPU follow the processes, the traffic and the device") {
    for (const VcpuRow& row : vcpu_rows()) {
      CAPTURE(row.name);
      const domain::Host host = example::h1();
      const ContractConstants constants;
      const auto need = vcpu_need(contract_basis(row.request, host, constants));
      CHECK(need.minimum == row.minimum);
      CHECK(need.recommended == row.recommended);
      CHECK_FALSE(need.constants.empty());
    }
  }

  TEST_CASE("memory follows the processes, the loader, host tiers and the ratio") {
    for (const MemoryRow& row : memory_rows()) {
      CAPTURE(row.name);
      const domain::Host host = example::h1();
      const ContractConstants constants;
      const auto need = memory_need(contract_basis(row.request, host, constants));
      CHECK(need.minimum.gib() == static_cast<double>(row.minimum));
      CHECK(need.recommended.gib() == static_cast<double>(row.recommended));
    }
  }

  TEST_CASE("counts round up in steps that grow") {
    CHECK(advise::round_vcpus(5) == 6);
    CHECK(advise::round_vcpus(16) == 16);
    CHECK(advise::round_vcpus(17) == 20);
    CHECK(advise::round_vcpus(64) == 64);
    CHECK(advise::round_vcpus(65) == 72);
    CHECK(advise::round_memory(gib(249)) == gib(256));
    CHECK(advise::round_memory(gib(257)) == gib(272));
    CHECK(advise::round_memory(gib(512)) == gib(512));
    CHECK(advise::round_memory(gib(513)) == gib(544));
  }

  // vm-contract.md, step 4: V100 64, A30 64, A100-40 128 (two: 256), A100-80 256 (two: 512), H100
  // 256 (two: 512).
  TEST_CASE("MMIO space is that of the published check values") {
    struct Row {
      std::string name;
      std::int64_t nominal, bar1, count, mmio;
    };
    for (const Row& row : std::vector<Row>{{"V100", 32, 0, 1, 64},
                                           {"A30", 24, 32, 1, 64},
                                           {"A100-40", 40, 64, 1, 128},
                                           {"two A100-40", 40, 64, 2, 256},
                                           {"A100-80", 80, 128, 1, 256},
                                           {"two A100-80", 80, 128, 2, 512},
                                           {"H100", 80, 128, 1, 256},
                                           {"two H100", 80, 128, 2, 512}}) {
      CAPTURE(row.name);
      domain::Device device = example::device(row.name, row.nominal, 0);
      device.mmio_gib.reset();
      if (row.bar1 > 0) device.bar1_gib = row.bar1;
      const ContractRequest one = request(device, example::shape(device, "", row.count));
      CHECK(derive_contract(one, example::h1()).mmio_gib == row.mmio);
    }
  }

  TEST_CASE("a BAR1 larger than the device memory decides the MMIO space") {
    domain::Device device = example::device("wide", 24, 0);
    device.mmio_gib.reset();
    device.bar1_gib = 64;  // nextpow2(64 + 1), against 2 x nextpow2(24)
    const ContractRequest one = request(device, example::shape(device, ""));
    CHECK(derive_contract(one, example::h1()).mmio_gib == 128);
  }

  TEST_CASE(
      "an instance that owns devices steps down to its share of the cores, not below its need") {
    domain::Host host = example::h1();
    host.cores_per_socket = 26;  // 2 x 24 for VMs: an eighth is 6 cores
    ContractRequest one = whole_h100();
    one.wishes.tier.value = domain::Tier::Performance;  // ceil(1.5 x 9) = 14
    const ResourceContract engine = derive_contract(one, host);
    CHECK(engine.vcpus == 12);  // two vCPU a core
    CHECK(has_note(engine, "step-1", "vCPU lowered from 14 to 12"));
    one.wishes.qos.value = domain::Qos::Guaranteed;
    CHECK(derive_contract(one, host).vcpus == 8);  // the share of 6 is less than the minimum
    one.wishes.qos.value = domain::Qos::BestEffort;
    CHECK(derive_contract(one, host).vcpus == 14);
    // A fraction takes what it wants: 1.5 x 6 = 9 -> 10 of a share of 1.5 x 2
    ContractRequest fraction = request(example::h100(), example::shape(example::h100(), "20C"));
    fraction.wishes.tier.value = domain::Tier::Performance;
    CHECK(derive_contract(fraction, host).vcpus == 10);
  }

  TEST_CASE("a vendor's larger MMIO figure wins over the formula") {
    // NVIDIA asks for 256 GB for an H100 of 64 GB; the formula gives 2 x 64
    const domain::Device device = example::device("h100-sxm-64", 64, 256);
    const ContractRequest one = request(device, example::shape(device, ""));
    CHECK(derive_contract(one, example::h1()).mmio_gib == 256);
  }

  // vSphere 7 documentation, V100 profiles at 10 Gb/s: 2 GB 4 s, 4 GB 6 s, 8 GB 12 s, 16 GB 22 s,
  // 32 GB 39 s; the formula holds within 2 s.
  TEST_CASE("the pause is within two seconds of the published table") {
    struct Row {
      std::int64_t gib;
      double seconds;
    };
    domain::Device v100 = example::device("v100-pcie-32", 32, 64);
    for (const Row row : std::vector<Row>{{2, 4}, {4, 6}, {8, 12}, {16, 22}, {32, 39}}) {
      CAPTURE(row.gib);
      const std::string name = std::to_string(row.gib) + "C";
      example::add_profile(v100, domain::Technology::TimeSliced, name, name, row.gib, 32 / row.gib);
      domain::Host host = example::two_sockets("v100", 20, 512, 10, "7.0 U3", 19);
      example::add_gpu(host, v100.id, 0, -1);
      const auto contract = derive_contract(request(v100, example::shape(v100, name)), host);
      REQUIRE(contract.pause_seconds.has_value());
      CHECK(*contract.pause_seconds > row.seconds - 2);
      CHECK(*contract.pause_seconds < row.seconds + 2);
    }
  }

  TEST_CASE("a pause is stated only where a migration and its link are known") {
    const ContractRequest one = whole_h100();
    domain::Host host = example::h1();
    host.vmotion_gigabits_per_second = 400;
    // 80 Gb/s at most: 1.5 + 80 x 8 / 80
    CHECK(derive_contract(one, host).pause_seconds == doctest::Approx(9.5));
    host.vmotion_gigabits_per_second = 0;
    CHECK_FALSE(derive_contract(one, host).pause_seconds.has_value());
    CHECK(has_note(derive_contract(one, host), "step-7", "link of h1 is not known"));
    host = example::h1();
    host.release = "";
    CHECK_FALSE(derive_contract(one, host).pause_seconds.has_value());
    // VCF 9 without a known dynamic part: the whole profile is the honest bound
    CHECK(derive_contract(one, example::h1v9()).pause_seconds == doctest::Approx(1.5 + 640.0 / 65));
  }

  TEST_CASE("a pause beyond the tolerated one is a finding") {
    ContractRequest one = whole_h100();  // 1.5 + 80 x 8 / 65 = 11.3 s
    one.wishes.tolerated_pause_seconds = domain::defaulted(11.0);
    CHECK(has_note(derive_contract(one, example::h1()), "VC-20", "11.3 s"));
    one.wishes.tolerated_pause_seconds = domain::defaulted(12.0);
    CHECK_FALSE(has_note(derive_contract(one, example::h1()), "VC-20"));
  }

  TEST_CASE("passthrough says what it costs when the VM must move or restart") {
    ContractRequest one = request(example::h100(), example::shape(example::h100(), ""));
    const ResourceContract still = derive_contract(one, example::h1());
    CHECK_FALSE(has_note(still, "VC-21"));
    CHECK_FALSE(has_note(still, "LC-02"));
    CHECK_FALSE(has_note(still, "LC-03"));
    one.needs_live_migration = true;
    one.needs_ha = true;
    const ResourceContract moving = derive_contract(one, example::h1());
    CHECK(has_note(moving, "VC-21"));
    CHECK(has_note(moving, "LC-02"));
    CHECK(has_note(moving, "LC-03", "free device"));
    ContractRequest full = whole_h100();
    full.needs_live_migration = true;
    CHECK_FALSE(has_note(derive_contract(full, example::h1()), "VC-21"));
  }

  TEST_CASE("high latency sensitivity needs every vCPU reserved") {
    ContractRequest one = whole_h100();
    one.latency_slo = domain::LatencySlo::Strict;
    const ResourceContract engine = derive_contract(one, example::h1());
    CHECK_FALSE(engine.latency_sensitive);
    CHECK(has_note(engine, "VC-15"));
    one.wishes.qos.value = domain::Qos::Guaranteed;
    const ResourceContract guaranteed = derive_contract(one, example::h1());
    CHECK(guaranteed.latency_sensitive);
    CHECK_FALSE(has_note(guaranteed, "VC-15"));
  }

  TEST_CASE("a contract beyond a limit of the release is a finding") {
    // vGPUs in one VM: 8 in 8.0, 16 from 8.0 U2 on; the host's own figure wins
    const ContractRequest many =
        request(example::h100(), example::group(example::h100(), "80C", 16));
    domain::Host host = example::h1();
    for (int gpu = 8; gpu < 16; ++gpu) example::add_gpu(host, "h100-sxm-80", gpu % 2, 0);
    CHECK_FALSE(has_note(derive_contract(many, host), "VC-12"));
    host.release = "8.0 U1";
    host.hardware_version = 20;
    CHECK(has_note(derive_contract(many, host), "VC-12", "more than the 8 of 8.0 U1"));
    host.vgpus_per_vm = 16;
    CHECK_FALSE(has_note(derive_contract(many, host), "VC-12"));
    host.vgpus_per_vm.reset();
    host.release = "VCF 9.0";
    CHECK(has_note(derive_contract(many, host), "VC-12", "is not published"));
    // passthrough devices: 16 in vSphere 7
    const ContractRequest through =
        request(example::h100(), example::shape(example::h100(), "", 17));
    host.release = "7.0 U3";
    host.vgpus_per_vm = 32;  // counts vGPUs alone
    CHECK(has_note(derive_contract(through, host), "VC-12", "more than the 16 of 7.0 U3"));
  }

  TEST_CASE("a hardware version below what the contract needs is a finding") {
    const ContractRequest across = whole_h100(8);  // two nodes: a topology, hardware version 20
    domain::Host host = example::h1();
    CHECK(derive_contract(across, host).least_hardware_version == 20);
    CHECK(derive_contract(across, host).hardware_version == 21);
    CHECK(derive_contract(whole_h100(), host).least_hardware_version == 17);
    CHECK_FALSE(has_note(derive_contract(across, host), "VC-05"));
    host.release = "7.0 U3";
    host.hardware_version = 0;  // follows from the release: 19
    CHECK(has_note(derive_contract(across, host), "VC-05", "offers hardware version 19"));
    host.release = "unheard of";
    CHECK(has_note(derive_contract(across, host), "limits", "'unheard of'"));
  }

  TEST_CASE("memory beyond what a VM may have is a finding") {
    ContractRequest vast = whole_h100();
    vast.wishes.kv_offload_bytes.value = gib(25'000);
    domain::Host host = example::h1();
    host.memory_bytes = gib(32'768);
    CHECK(has_note(derive_contract(vast, host), "VC-05", "more than the 24560 GiB"));
  }

  TEST_CASE(
      "a host without the device, without cores or without memory yields a contract that fits "
      "nowhere") {
    const ResourceContract elsewhere = derive_contract(whole_h100(), example::h2());
    CHECK(elsewhere.density.gpu_slots == 0);
    CHECK(has_note(elsewhere, "step-6", "offers no slot"));

    domain::Host tiny = example::h1();
    tiny.cores_per_socket = 2;  // the hypervisor takes them all
    CHECK(derive_contract(whole_h100(), tiny).density.by_vcpus == 0);

    domain::Host poor = example::h1();
    poor.memory_bytes = gib(16);  // 7.5 GiB a node, the VM needs 24
    const ResourceContract starved = derive_contract(whole_h100(), poor);
    CHECK(starved.density.by_memory == 0);
    CHECK(has_note(starved, "VC-16", "memory runs out first"));

    domain::Host empty = example::h1();
    empty.gpus.clear();
    CHECK(derive_contract(whole_h100(), empty).density.gpu_slots == 0);
  }

  TEST_CASE("every constant has a name of its own and a source") {
    const ContractConstants constants;
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (const advise::ContractConstant* constant : constants.all()) {
      CAPTURE(constant->name);
      CHECK(names.insert(constant->name).second);
      CHECK(keys.insert(constant->key).second);
      CHECK(constant->value >= constant->least);
      CHECK(constant->value <= constant->most);
      CHECK_FALSE(constant->source.empty());
      CHECK(constant->value > 0);
    }
    CHECK(sizeof(ContractConstants) == names.size() * sizeof(advise::ContractConstant));
  }

  TEST_CASE("another constant changes the contract and is named in it") {
    ContractConstants constants;
    constants.ratio_llm.value = 2;
    const ResourceContract contract = derive_contract(whole_h100(), example::h1(), constants);
    CHECK(contract.memory_bytes == gib(160));
    CHECK(has_note(contract, "step-2", "host memory to GPU memory, language model 2 (default)"));
  }
}
