// The scale checks at the end of vm-contract.md, section 7, over hosts and requests drawn with a
// fixed seed: small hosts and large ones, every role, loader, tier and qos.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "advise/contract_steps.hpp"
#include "place/host_capacity.hpp"
#include "support/example_devices.hpp"
#include "support/example_hosts.hpp"
#include "support/example_requests.hpp"

using namespace gpushape;
using advise::contract_basis;
using advise::ContractConstants;
using advise::ContractRequest;
using advise::derive_contract;
using domain::Qos;
using domain::ResourceContract;

namespace {

constexpr int kDraws = 3000;

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(engine_);
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[from(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  std::mt19937 engine_;
};

struct DrawnCase {
  domain::Host host;
  ContractRequest request;
};

domain::Host draw_host(Draw& draw, const domain::Device& device) {
  domain::Host host = example::two_sockets(
      "drawn", static_cast<int>(draw.from(4, 96)), draw.from(64, 4096),
      draw.one_of({0.0, 10.0, 25.0, 100.0, 400.0}), draw.one_of({"", "7.0", "8.0 U3", "VCF 9.0"}));
  host.sockets = draw.one_of({1, 2, 4});
  host.numa_nodes_per_socket = draw.one_of({1, 1, 2, 4});
  const std::int64_t nodes = place::host_capacity(host).nodes;
  const std::int64_t gpus = draw.from(0, 8);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    example::add_gpu(host, device.id, static_cast<int>(draw.from(0, nodes - 1)),
                     static_cast<int>(draw.from(-1, 1)));
  }
  return host;
}

domain::Shape draw_shape(Draw& draw, const domain::Device& device) {
  const auto row =
      static_cast<std::size_t>(draw.from(0, static_cast<std::int64_t>(device.profiles.size())));
  if (row == device.profiles.size()) return example::shape(device, "", draw.from(1, 4));
  const domain::Profile& profile = device.profiles[row];
  if (!profile.is_full_size) return example::shape(device, profile.short_name);
  const auto count = draw.one_of<std::int64_t>({1, 2, 4, 8});
  return count == 1 || draw.from(0, 3) == 0 ? example::shape(device, profile.short_name, count)
                                            : example::group(device, profile.short_name, count);
}

DrawnCase draw_case(Draw& draw) {
  using enum domain::Role;
  const domain::Device device = draw.one_of({example::h100(), example::l40s(), example::h200()});
  DrawnCase made{draw_host(draw, device), example::request(device, draw_shape(draw, device))};
  ContractRequest& request = made.request;
  request.role = draw.one_of({Llm, Embed, Rerank, Vision, Speech, Notebook, Ci, FineTune});
  request.in_flight = draw.from(0, 1000);
  request.weights_bytes = gib(draw.from(0, 800));
  request.dynamic_bytes = gib(draw.from(0, 100));
  request.wishes.tier.value =
      draw.one_of({domain::Tier::Minimum, domain::Tier::Recommended, domain::Tier::Performance});
  request.wishes.qos.value = draw.one_of({Qos::Guaranteed, Qos::Engine, Qos::BestEffort});
  request.wishes.loader.value =
      draw.one_of({domain::Loader::Mmap, domain::Loader::Eager, domain::Loader::Build});
  request.wishes.api_servers.value = draw.from(1, 4);
  request.wishes.workers.value = draw.from(0, 8);
  request.wishes.kv_offload_bytes.value = gib(draw.one_of<std::int64_t>({0, 0, 0, 100, 700}));
  return made;
}

bool is_lowered(const ResourceContract& contract) {
  return std::ranges::any_of(contract.notes, [](const domain::ContractNote& note) {
    return note.says.find("vCPU lowered") != std::string::npos;
  });
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("a contract stays within the nodes it names, in equal parts") {
    Draw draw(1);
    int split = 0;
    for (int i = 0; i < kDraws; ++i) {
      CAPTURE(i);
      const DrawnCase drawn = draw_case(draw);
      const ResourceContract contract = derive_contract(drawn.request, drawn.host);
      const place::HostCapacity host = place::host_capacity(drawn.host);
      const std::int64_t nodes = contract.numa ? contract.numa->nodes : 1;
      REQUIRE(nodes <= host.nodes);
      REQUIRE(contract.vcpus % nodes == 0);
      REQUIRE(contract.memory_bytes.count() % (nodes * gib(1).count()) == 0);
      REQUIRE(contract.vcpus >= contract.minimum_vcpus);
      REQUIRE(contract.memory_bytes >= contract.minimum_memory_bytes);
      REQUIRE(contract.memory_reservation_bytes == contract.memory_bytes);
      if (contract.density.by_memory > 0) {
        REQUIRE(contract.memory_bytes <= nodes * host.memory_per_node);
      }
      if (!contract.numa) continue;
      ++split;
      REQUIRE(nodes > 1);
      REQUIRE(contract.numa->cores_per_node * nodes == contract.vcpus);
      REQUIRE(contract.numa->shown_from_vcpus.has_value() == (contract.vcpus <= 8));
      for (const domain::DeviceNode& device : contract.numa->devices) {
        REQUIRE(device.node >= 0);
        REQUIRE(device.node < nodes);
      }
    }
    CHECK(split > kDraws / 20);  // the draw reaches the case
  }

  TEST_CASE("twice the GPUs need twice the MMIO space") {
    for (const domain::Device& device : {example::h100(), example::l40s(), example::a100(),
                                         example::h100_nvl(), example::h200()}) {
      for (std::int64_t count = 1; count <= 32; ++count) {
        CAPTURE(device.id);
        CAPTURE(count);
        const auto mmio = [&](std::int64_t gpus) {
          return derive_contract(example::request(device, example::shape(device, "", gpus)),
                                 example::h1())
              .mmio_gib;
        };
        CHECK(mmio(2 * count) == 2 * mmio(count));
      }
    }
  }

  TEST_CASE("held memory raises the need by as much") {
    Draw draw(2);
    const ContractConstants constants;
    for (int i = 0; i < kDraws; ++i) {
      CAPTURE(i);
      DrawnCase drawn = draw_case(draw);
      const auto before = advise::memory_need(contract_basis(drawn.request, drawn.host, constants));
      const Bytes more = gib(draw.from(0, 500));
      drawn.request.wishes.cpu_offload_bytes.value += more;
      const auto after = advise::memory_need(contract_basis(drawn.request, drawn.host, constants));
      REQUIRE(after.minimum == before.minimum + more);
      REQUIRE(after.recommended == before.recommended + more);
    }
  }

  TEST_CASE("the quality of service changes reservation, share clamps and density, nothing else") {
    Draw draw(3);
    for (int i = 0; i < kDraws; ++i) {
      CAPTURE(i);
      DrawnCase drawn = draw_case(draw);
      drawn.request.wishes.qos.value = Qos::Guaranteed;
      const ResourceContract guaranteed = derive_contract(drawn.request, drawn.host);
      drawn.request.wishes.qos.value = Qos::BestEffort;
      const ResourceContract best_effort = derive_contract(drawn.request, drawn.host);
      REQUIRE(guaranteed.minimum_vcpus == best_effort.minimum_vcpus);
      REQUIRE(guaranteed.minimum_memory_bytes == best_effort.minimum_memory_bytes);
      REQUIRE(guaranteed.mmio_gib == best_effort.mmio_gib);
      REQUIRE(guaranteed.pause_seconds == best_effort.pause_seconds);
      REQUIRE(guaranteed.density.gpu_slots == best_effort.density.gpu_slots);
      REQUIRE(best_effort.cpu_reservation_mhz == 0);
      REQUIRE(guaranteed.cpu_reservation_mhz == guaranteed.vcpus * drawn.host.base_mhz);
      if (is_lowered(guaranteed) || is_lowered(best_effort)) continue;
      REQUIRE(guaranteed.vcpus == best_effort.vcpus);
      REQUIRE(guaranteed.memory_bytes == best_effort.memory_bytes);
      REQUIRE(guaranteed.numa == best_effort.numa);
    }
  }

  TEST_CASE("a higher tier and more in flight never lower the vCPU need") {
    Draw draw(4);
    for (int i = 0; i < kDraws; ++i) {
      CAPTURE(i);
      DrawnCase drawn = draw_case(draw);
      std::int64_t before = 0;
      for (const auto tier :
           {domain::Tier::Minimum, domain::Tier::Recommended, domain::Tier::Performance}) {
        drawn.request.wishes.tier.value = tier;
        ResourceContract sized;
        sized.tier = tier;
        const ContractConstants constants;
        domain::Host vast = drawn.host;  // no clamp: as many cores as anyone could want
        vast.cores_per_socket = 4096;
        advise::size_vcpus(contract_basis(drawn.request, vast, constants), sized);
        REQUIRE(sized.vcpus >= before);
        before = sized.vcpus;
        drawn.request.in_flight += 64;
      }
    }
  }
}
