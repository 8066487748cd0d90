// What a host must offer beside the amounts: flags of advise that the contract carries to place,
// and flags of place that win over the contract.
#include <doctest/doctest.h>

#include <string>

#include "cli/program.hpp"

using gpushape::test::Outcome;
using gpushape::test::run_line;
using gpushape::test::TemporaryFolder;

namespace {

constexpr const char* kAdvise =
    "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 ";

/// What the rules want to know before they pass a device through (CM-03).
constexpr const char* kStable = "--change-rate low --evidence-level E2 --spread 1.2 ";

constexpr const char* kCluster = R"(apiVersion: gpushape.dev/v1
kind: Cluster
name: two
hosts:
- name: near
  hardware: {sockets: 2, coresPerSocket: 52, threadsPerCore: 2, baseMHz: 2000, memoryBytes: 2199023255552}
  datastores: [vsan-1]
  networks: [prod, storage]
  tenants: [search]
  gpus:
  - {device: h100-sxm-80, pciAddress: "0000:1b:00.0", numaNode: 0, modes: [same-size, passthrough]}
  - {device: h100-sxm-80, pciAddress: "0000:3d:00.0", numaNode: 0, modes: [same-size, passthrough]}
- name: far
  hardware: {sockets: 2, coresPerSocket: 52, threadsPerCore: 2, baseMHz: 2000, memoryBytes: 2199023255552}
  datastores: [nfs-9]
  networks: [prod]
  gpus:
  - {device: h100-sxm-80, pciAddress: "0000:1b:00.0", numaNode: 0, modes: [same-size, passthrough]}
  - {device: h100-sxm-80, pciAddress: "0000:4e:00.0", numaNode: 0, modes: [same-size, passthrough]}
)";

struct Setting {
  TemporaryFolder folder;
  std::string cluster = folder.file("cluster.yaml", kCluster);
  std::string contract = (folder.path() / "contract.yaml").string();

  [[nodiscard]] Outcome advise(const std::string& flags) const {
    return run_line(kAdvise + flags + " -o contract --output-file " + contract);
  }
  [[nodiscard]] Outcome place(const std::string& flags = {}) const {
    return run_line("place -f " + contract + " --cluster " + cluster + " " + flags);
  }
};

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("what is asked of a host goes with the contract") {
    const Setting setting;
    REQUIRE(setting
                .advise("--datastore vsan-1 --network prod,storage --tenant-name search "
                        "--most-per-host 1 --replicas 2")
                .status == 0);
    const std::string text = gpushape::test::read_text(setting.contract);
    for (const char* line :
         {"placement:", "- vsan-1", "- storage", "tenant: search", "mostPerHost: 1"}) {
      CAPTURE(line);
      CHECK(text.find(line) != std::string::npos);
    }
    // Two replicas, one on a host, and one host alone reaches the datastore.
    const Outcome placed = setting.place("-o json");
    CHECK(placed.status == 1);
    CHECK(placed.out.find("\"spread\"") != std::string::npos);
    CHECK(placed.out.find("\"datastore\"") != std::string::npos);
  }

  TEST_CASE("a flag of place wins over the contract") {
    const Setting setting;
    REQUIRE(setting.advise("--datastore vsan-1").status == 0);
    CHECK(setting.place("--tenant-name search").out.find("near") != std::string::npos);
    CHECK(setting.place("--tenant-name search").status == 0);
    CHECK(setting.place().status == 1);  // near is kept for others, far lacks the datastore
    const Outcome other = setting.place("--datastore nfs-9 -o json");
    CHECK(other.status == 0);
    CHECK(other.out.find("\"host\": \"far\"") != std::string::npos);
    CHECK(setting.place("--datastore nfs-9 --network storage").status == 1);
  }

  TEST_CASE("a VM that is bound to a device is passed through, to that device") {
    const Setting setting;
    // As nvidia-smi prints it: eight digits, large letters.
    REQUIRE(setting.advise(std::string(kStable) + "--pci-address 00000000:4E:00.0").status == 0);
    const std::string text = gpushape::test::read_text(setting.contract);
    CHECK(text.find("technology: passthrough") != std::string::npos);
    CHECK(text.find("0000:4e:00.0") != std::string::npos);
    const Outcome placed = setting.place("-o json");
    CHECK(placed.status == 0);
    CHECK(placed.out.find("\"host\": \"far\"") != std::string::npos);
    CHECK(placed.out.find("\"address\"") != std::string::npos);  // near has no such device
    CHECK(setting.place("--pci-address 0000:99:00.0").status == 1);
  }

  TEST_CASE("addresses that cannot be bound are refused") {
    const Setting setting;
    CHECK(setting.advise("--pci-address 4e").status == 2);
    CHECK(setting.advise("--pci-address 0000:4e:00.0,0000:4e:00.0").status == 2);
    REQUIRE(setting.advise("").status == 0);
    const Outcome share = setting.place("--pci-address 0000:4e:00.0");
    CHECK(share.status == 2);
    CHECK(share.err.find("which is not bound to an address") != std::string::npos);
    REQUIRE(setting.advise(std::string(kStable) + "--appliance").status == 0);
    CHECK(setting.place("--pci-address 0000:1b:00.0,0000:4e:00.0").status == 2);
    CHECK(setting.place("--pci-address 0000:3d:00.0 --tenant-name search").status == 0);
  }
}
