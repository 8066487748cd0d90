// A host of each worked example of the VM contract, filled through placement, stops at the density
// that the example states: CPU and memory are counted the same way on both sides.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "place/complete.hpp"
#include "place/demand.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"
#include "support/example_devices.hpp"
#include "support/example_hosts.hpp"

using namespace gpushape;
using domain::ResourceContract;

namespace {

struct GoldenRow {
  std::string name;
  domain::Host host;
  domain::Device device;
  domain::Shape shape;
  std::int64_t vcpus;
  std::int64_t vcpus_per_core;  ///< guaranteed 1, engine 2, best-effort 4
  std::int64_t memory_gib;
  std::int64_t mhz;
  std::int64_t numa_nodes;
  int density;
};

domain::Shape passthrough(const domain::Device& device) {
  domain::Shape shape = example::shape(device, "");
  shape.technology = domain::Technology::Passthrough;
  return shape;
}

/// The table of worked examples: vCPU, RAM, MHz, nodes and the smallest of the four densities.
std::vector<GoldenRow> golden_rows() {
  using namespace example;
  return {
      {"1", h1(), h100(), shape(h100(), "10C"), 6, 4, 24, 0, 1, 64},
      {"2", h1(), h100(), shape(h100(), "20C"), 6, 2, 32, 6000, 1, 32},
      {"3", h1(), h100(), shape(h100(), "40C"), 10, 1, 64, 20000, 1, 10},
      {"4", h2(), l40s(), shape(l40s(), "48C"), 10, 2, 72, 6000, 1, 4},
      {"5", h1v9(), h100(), shape(h100(), "80C"), 10, 2, 120, 6000, 1, 8},
      {"6", h1(), h100(), group(h100(), "80C", 2), 12, 1, 240, 24000, 1, 4},
      {"7", h1(), h100(), group(h100(), "80C", 8), 48, 1, 960, 96000, 2, 1},
      {"8", h4(), a30(), passthrough(a30()), 10, 2, 336, 6000, 2, 1},
      {"9a", h3(), a100(), shape(a100(), "80C", 4), 24, 2, 480, 12000, 2, 1},
      {"9a with links", h3(), a100(), group(a100(), "80C", 4), 24, 2, 480, 12000, 2, 0},
      {"9b", h3(), a100(), group(a100(), "80C", 2), 12, 2, 240, 8000, 1, 2},
      {"10", h5(), h100_nvl(), shape(h100_nvl(), "94C"), 10, 2, 88, 6000, 1, 4},
      {"10b", h5b(), h100_nvl(), shape(h100_nvl(), "94C"), 10, 2, 144, 6000, 1, 4},
      {"11", h6(), h200(), shape(h200(), "141C", 4), 48, 1, 960, 96000, 1, 2},
      {"12", h1(), h100(), shape(h100(), "10C"), 4, 4, 24, 0, 1, 64},
  };
}

int fill(const GoldenRow& row) {
  ResourceContract contract;
  contract.shape = row.shape;
  contract.vcpus = row.vcpus;
  contract.vcpus_per_core = row.vcpus_per_core;
  contract.memory_bytes = gib(row.memory_gib);
  contract.cpu_reservation_mhz = row.mhz;
  if (row.numa_nodes > 1) contract.numa.emplace().nodes = row.numa_nodes;
  const std::vector<domain::Device> devices = {row.device};
  domain::Cluster cluster = domain::cluster_of(row.host);
  place::complete(cluster, devices);
  place::Snapshot snapshot(cluster, devices);
  const place::Request request = snapshot.compile(place::request_of(contract, row.shape, devices));
  int placed = 0;
  while (const auto choice = place::choose(snapshot, request, {}, place::policies().front())) {
    snapshot.place(std::to_string(placed++), request, choice->host, choice->option);
  }
  return placed;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("a host filled through placement stops at the density of its worked example") {
    for (const GoldenRow& row : golden_rows()) {
      CAPTURE(row.name);
      CHECK(fill(row) == row.density);
    }
  }
}
