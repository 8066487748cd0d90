// Beside the figures: the disk of the weights, the pod and its kubelet, the binding of a process.
#include <doctest/doctest.h>

#include "advise/contract.hpp"
#include "advise/prices.hpp"
#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

std::string note_of(const ResourceContract& contract, const std::string& id) {
  std::string text;
  for (const ContractNote& note : contract.notes)
    if (note.id == id) text += note.says + "\n";
  return text;
}

/// Of the first shape.
ResourceContract contract_on(AdviceRequest request, Platform platform) {
  request.workload.platform = declared(platform);
  const auto advice = advise::advise(request);
  REQUIRE(advice);
  REQUIRE_FALSE(advice->shapes.empty());
  return advice->shapes.front().contract;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("a pod asks for its contract less the node's own, and is Guaranteed") {
    Demand memory;
    memory.static_bytes = gb(30);
    memory.dynamic_p99_bytes = gb(10);
    const ResourceContract contract =
        contract_on(demand(h100(), memory, Evidence::E0), Platform::Kubernetes);
    // vm-contract.md, 5.3: minus 1 CPU and max(2 GiB, 5 %). 120 GiB - 6 GiB, 10 vCPU - 1.
    CHECK(contract.vcpus == 10);
    CHECK(contract.memory_bytes == gib(120));
    CHECK(note_of(contract, "pod").find("9 CPU and 114 GiB as requests and limits alike") == 0);
    // 2 x (2 + N) where a CPU is a hyper-thread
    CHECK(note_of(contract, "pod").find("2 x (2 + 1) = 6 at least") != std::string::npos);
    CHECK(note_of(contract, "kubelet").find("topologyManagerPolicy single-numa-node") !=
          std::string::npos);
    CHECK(note_of(contract, "numactl").empty());
    CHECK(note_of(contract_on(demand(h100(), memory), Platform::Vsphere), "pod").empty());
  }

  TEST_CASE("on bare metal the process is bound, and the instance or the server is set up") {
    AdviceRequest request = ceiling(h100(), 8);
    const ResourceContract instance = contract_on(request, Platform::BareMetal);
    CHECK(note_of(instance, "mig").find("nvidia-smi mig -i 0 -cgi 1g.10gb -C") !=
          std::string::npos);
    CHECK(note_of(instance, "numactl").find("numactl --cpunodebind=0 --membind=0") !=
          std::string::npos);
    const ResourceContract share = contract_on(ceiling(l40s(), 8), Platform::BareMetal);
    CHECK(note_of(share, "mps").find("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=\"0=11397M\"") !=
          std::string::npos);
  }

  TEST_CASE("the disk holds the weights and a fifth") {
    ContractRequest request;
    request.device = h100();
    request.shape.device = "h100-sxm-80";
    request.weights_bytes = gib(15);
    const ResourceContract contract = derive_contract(request, server(h100(), 8, 8));
    CHECK(note_of(contract, "disk").find("18 GiB for weights of 15 GiB") == 0);
  }

  TEST_CASE("a price is of the part that is taken, or of whole instances") {
    Advice advice;
    RankedShape quarter;
    quarter.shape.device = "h100-sxm-80";
    quarter.shape.consumption_model = ConsumptionModel::Fractional;
    quarter.per_device = 4;
    quarter.replicas = 2;
    RankedShape pair;
    pair.shape.device = "h100-sxm-80";
    pair.shape.count = 2;
    pair.replicas = 5;
    RankedShape other;
    other.shape.device = "l40s";
    advice.shapes = {quarter, pair, other};
    PriceList list{.currency = "USD", .prices = {}, .source = "test"};
    list.prices.push_back({"h100-sxm-80", "", 1, 4.0, 1000.0});
    price(list, advice);
    REQUIRE(advice.shapes[0].cost);
    CHECK(advice.shapes[0].cost->per_hour == doctest::Approx(2.0));  // 2 x 1/4 x 4
    CHECK_FALSE(advice.shapes[0].cost->per_million_tokens);          // nobody measured a quarter
    CHECK(advice.shapes[1].cost->per_hour == doctest::Approx(40.0));
    // 40 USD for ten GPUs' 1000 tokens/s x 3600 s = 36 million tokens
    REQUIRE(advice.shapes[1].cost->per_million_tokens);
    CHECK(*advice.shapes[1].cost->per_million_tokens == doctest::Approx(40.0 / 36));
    CHECK_FALSE(advice.shapes[2].cost);

    list.prices = {{"h100-sxm-80", "eight", 8, 24.0, {}}};
    for (RankedShape& shape : advice.shapes) shape.cost.reset();
    price(list, advice);
    CHECK(advice.shapes[0].cost->per_hour == doctest::Approx(24.0));  // room for 32, two wanted
    CHECK(advice.shapes[1].cost->per_hour == doctest::Approx(48.0));  // room for 4, five wanted
  }
}
