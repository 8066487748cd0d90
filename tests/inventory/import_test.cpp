// Imports of the captured forms in examples/exports/. Expected values are what those files say,
// read by hand.
#include "inventory/import.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "inventory/cluster_file.hpp"
#include "inventory/export_devices.hpp"
#include "inventory/quantity.hpp"
#include "profiles/profiles.hpp"

using namespace gpushape;
using domain::GpuMode;
using domain::GpuUse;

namespace {

inventory::ImportFile captured(const std::string& name) {
  std::ifstream stream(std::string(GPUSHAPE_SOURCE_DIR) + "/examples/exports/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  return {.name = name, .text = text.str(), .host = {}};
}

inventory::Imported imported(const std::vector<std::string>& names) {
  std::vector<inventory::ImportFile> files;
  for (const std::string& name : names) files.push_back(captured(name));
  auto result = inventory::import_files(std::move(files), {}, example::export_device);
  if (!result) FAIL(to_text(result.error()));
  return *result;
}

const domain::ClusterHost& host_of(const domain::Cluster& cluster, const std::string& name) {
  const auto host = std::ranges::find(cluster.hosts, name, &domain::ClusterHost::name);
  REQUIRE(host != cluster.hosts.end());
  return *host;
}

const domain::VirtualMachine& vm_of(const domain::Cluster& cluster, const std::string& name) {
  const auto vm = std::ranges::find(cluster.vms, name, &domain::VirtualMachine::name);
  REQUIRE(vm != cluster.vms.end());
  return *vm;
}

bool is_noted(const inventory::Imported& imported, std::string_view words) {
  return std::ranges::any_of(imported.notes, [&](const inventory::ImportNote& note) {
    return note.says.find(words) != std::string::npos && !note.span.file.empty();
  });
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("the three files of one host join into it") {
    const auto result =
        imported({"gpu-node-7.smi.xml", "gpu-node-7.topo.txt", "gpu-node-7.lstopo.xml"});
    const domain::Cluster& cluster = result.cluster;
    REQUIRE(cluster.hosts.size() == 1);
    const domain::ClusterHost& host = cluster.hosts.front();
    CHECK(host.name == "gpu-node-7");
    CHECK(host.millicores == 64'000);
    CHECK(host.memory_bytes == gib(1024));
    REQUIRE(host.numa.has_value());
    CHECK(host.numa->nodes == 2);
    CHECK(host.numa->memory_per_node == gib(512));
    REQUIRE(host.gpus.size() == 4);
    CHECK(host.gpus[1].device == "a100-sxm4-80");
    CHECK(host.gpus[1].pci_address == "0000:0f:00.0");
    CHECK(host.gpus[1].numa_node == 0);
    CHECK(host.gpus[3].numa_node == 1);
    CHECK(host.gpus[3].allocations.empty());
    // Every pair has NVLinks: the group of four, and its pairs.
    REQUIRE_FALSE(host.link_domains.empty());
    CHECK(host.link_domains.front().gpus == std::vector<int>{0, 1, 2, 3});

    SUBCASE("one process has the device, several share it") {
      CHECK(host.gpus[0].allocations.size() == 1);
      CHECK(vm_of(cluster, "python3 (pid 41394 on gpu-node-7)").request.use == GpuUse::Passthrough);
      REQUIRE(host.gpus[1].shares.size() == 2);
      CHECK(host.gpus[1].shares[0].memory_bytes == mib(20'480));
    }
    SUBCASE("MIG instances are told by memory and multiprocessors") {
      CHECK(host.gpus[2].mode == GpuMode::Mig);
      CHECK(vm_of(cluster, "python3 (pid 60001 on gpu-node-7)").request.profile == "3g.40gb");
      CHECK(vm_of(cluster, "python3 (pid 60002 on gpu-node-7)").request.profile == "1g.10gb");
    }
  }

  TEST_CASE("without the host's CPU and memory, the import asks for them") {
    const auto result =
        inventory::import_files({captured("gpu-node-7.smi.xml")}, {}, example::export_device);
    REQUIRE_FALSE(result.has_value());
    CHECK(to_text(result.error()).find("lstopo") != std::string::npos);
  }

  TEST_CASE("Kubernetes nodes, pods, slices and claims become hosts and VMs") {
    const auto result = imported({"kubectl.json"});
    const domain::Cluster& cluster = result.cluster;

    SUBCASE("whole GPUs of the device plugin") {
      const domain::ClusterHost& host = host_of(cluster, "worker-h100-1");
      CHECK(host.gpus.size() == 8);
      CHECK(host.gpus.front().device == "h100-sxm-80");
      CHECK(host.millicores == 190'000);
      // 24 + 48 cores and the exporter's quarter; what has finished holds nothing.
      CHECK(host.used_millicores == 72'250);
      CHECK(vm_of(cluster, "research/train-a").gpus.size() == 4);
      CHECK(vm_of(cluster, "research/train-a").team == "research");
      CHECK(std::ranges::count_if(
                host.gpus, [](const domain::Gpu& gpu) { return gpu.allocations.empty(); }) == 2);
      CHECK(is_noted(result, "worker-h100-1: the files do not tell which GPU"));
    }
    SUBCASE("MIG instances of the mixed strategy") {
      const domain::ClusterHost& host = host_of(cluster, "worker-a100-mig");
      REQUIRE(host.gpus.size() == 2);
      CHECK(host.gpus[0].allowed_modes == std::vector<GpuMode>{GpuMode::Mig});
      CHECK(vm_of(cluster, "search/embed-0").request.profile == "3g.40gb");
      CHECK(vm_of(cluster, "notebooks/nb-ben").request.use == GpuUse::Mig);
    }
    SUBCASE("HAMi shares stand on the GPU that their annotation names") {
      const domain::ClusterHost& host = host_of(cluster, "worker-hami");
      REQUIRE(host.gpus.size() == 2);
      CHECK(host.gpus[0].device == "l40s");
      REQUIRE(host.gpus[0].shares.size() == 2);
      CHECK(host.gpus[0].shares[1].holder == "chat/bot-large");
      CHECK(host.gpus[0].shares[1].memory_bytes == mib(24'000));
      CHECK(host.gpus[0].shares[1].fraction == doctest::Approx(0.5));
      CHECK(host.gpus[1].allocations.empty());
    }
    SUBCASE("fractions of KAI stand on the GPU that the reservation pod holds") {
      const domain::ClusterHost& host = host_of(cluster, "worker-kai");
      CHECK(vm_of(cluster, "kai-resource-reservation/gpu-reservation-worker-kai-fzdhl").host ==
            "worker-kai");
      REQUIRE(host.gpus.size() == 2);
      REQUIRE(host.gpus[0].shares.size() == 2);
      CHECK(host.gpus[0].shares[0].fraction == doctest::Approx(0.5));
      CHECK(host.gpus[1].allocations.empty());
    }
    SUBCASE("claims name the device, and slices where an instance starts") {
      const domain::ClusterHost& host = host_of(cluster, "worker-dra");
      REQUIRE(host.gpus.size() == 2);
      CHECK(host.gpus[0].pci_address == "0000:53:00.0");
      const domain::VirtualMachine& vm = vm_of(cluster, "search/rerank-0");
      CHECK(vm.gpus == std::vector<int>{1});
      CHECK(vm.start == 4);
      CHECK(vm.request.profile == "3g.40gb");
      CHECK(vm.request.millicores == 6'000);
    }
    SUBCASE("a vGPU's device is on its server, and an unknown GPU is named") {
      CHECK(host_of(cluster, "pool-40c-gvhpn").gpus.empty());
      CHECK(is_noted(result, "is a vGPU"));
      CHECK(host_of(cluster, "worker-old").state == domain::HostState::Maintenance);
      CHECK(host_of(cluster, "worker-old").gpus.empty());
      CHECK(is_noted(result, "P100"));
    }
  }

  TEST_CASE("a vSphere export tells modes, holders and passed-through devices") {
    const auto result = imported({"vsphere.json"});
    const domain::Cluster& cluster = result.cluster;
    const domain::ClusterHost& first = host_of(cluster, "esx-a1");
    REQUIRE(first.hardware.has_value());
    CHECK(first.hardware->sockets == 2);
    CHECK(first.hardware->cores_per_socket == 32);
    CHECK(first.hardware->base_mhz == 2795);
    CHECK(first.hardware->release == "8.0 U3");
    REQUIRE(first.gpus.size() == 3);  // the fourth serves no vGPU
    CHECK(is_noted(result, "Shared Direct"));
    CHECK(first.gpus[0].mode == GpuMode::SameSize);
    CHECK(first.gpus[0].profile == "40C");
    CHECK(first.gpus[1].mode == GpuMode::MixedSize);
    CHECK(first.gpus[2].numa_node == 1);
    CHECK(first.knows_datastores);
    CHECK(first.datastores == std::vector<std::string>{"vsan-a"});
    const domain::VirtualMachine& chat = vm_of(cluster, "chat-a");
    CHECK(chat.team == "chat");
    CHECK(chat.request.profile == "40C");
    CHECK(chat.request.memory_bytes == gib(128));
    CHECK(chat.request.millicores == 4'000);  // 11 180 MHz of 2 795
    CHECK(chat.can_move);
    const domain::ClusterHost& second = host_of(cluster, "esx-a2");
    REQUIRE(second.gpus.size() == 1);
    CHECK(second.gpus[0].label == "training");
    const domain::VirtualMachine& trainer = vm_of(cluster, "trainer");
    CHECK(trainer.request.use == GpuUse::Passthrough);
    CHECK(trainer.request.label == "training");
    CHECK_FALSE(trainer.can_move);
    CHECK(std::ranges::find(cluster.vms, "parked", &domain::VirtualMachine::name) ==
          cluster.vms.end());
  }

  TEST_CASE("a node that is a VM of the same import gets its server") {
    const auto result = imported({"kubectl.json", "vsphere.json"});
    CHECK(host_of(result.cluster, "pool-40c-gvhpn").server == "esx-a1");
    CHECK(host_of(result.cluster, "worker-kai").server.empty());
  }

  TEST_CASE("what is imported reads back as it was written") {
    const auto result = imported({"vsphere.json"});
    const document::Node node = inventory::to_node(result.cluster);
    const auto source = std::make_shared<document::Source>();
    const auto read = inventory::read_cluster({node, source});
    REQUIRE(read.has_value());
    CHECK(*read == result.cluster);
  }

  TEST_CASE("sources are told by content, and a file of none is named") {
    CHECK(inventory::import_source_of(captured("kubectl.json").text)->name == "kubectl");
    CHECK(inventory::import_source_of(captured("vsphere.json").text)->name == "vsphere");
    CHECK(inventory::import_source_of(captured("gpu-node-7.smi.xml").text)->name == "nvidia-smi");
    CHECK(inventory::import_source_of(captured("gpu-node-7.topo.txt").text)->name == "topology");
    CHECK(inventory::import_source_of(captured("gpu-node-7.lstopo.xml").text)->name == "lstopo");
    CHECK(inventory::import_source_of("sn,cpu_milli,memory_mib,gpu,model\n")->name == "nodes");
    CHECK(inventory::import_source_of("apiVersion: gpushape.dev/v1\nkind: Cluster\n") == nullptr);
    const auto result = inventory::import_files({{.name = "x.bin", .text = "\x01?", .host = {}}},
                                                {}, example::export_device);
    REQUIRE_FALSE(result.has_value());
    CHECK(to_text(result.error()).find("x.bin") != std::string::npos);
  }

  TEST_CASE("a node list becomes hosts; models that no table knows are left out with the nearest") {
    const auto result = inventory::import_files(
        {{.name = "nodes.csv",
          .text = "sn,cpu_milli,memory_mib,gpu,model\nn0,96000,393216,2,T4\nn1,64000,262144,1,G2\n",
          .host = {}}},
        {}, example::export_device);
    REQUIRE(result.has_value());
    CHECK(host_of(result->cluster, "n0").gpus.size() == 2);
    CHECK(host_of(result->cluster, "n0").memory_bytes == gib(384));
    CHECK(host_of(result->cluster, "n1").gpus.empty());
    CHECK(is_noted(*result, "'G2'"));
  }

  TEST_CASE("cut-off files are complaints with their place, never a crash") {
    for (const char* const name : {"kubectl.json", "vsphere.json", "gpu-node-7.smi.xml",
                                   "gpu-node-7.topo.txt", "gpu-node-7.lstopo.xml"}) {
      CAPTURE(name);
      const inventory::ImportFile whole = captured(name);
      for (std::size_t length = 0; length < whole.text.size(); length += whole.text.size() / 23) {
        inventory::ImportFile file = whole;
        file.text.resize(length);
        const auto result = inventory::import_files({file}, {}, example::export_device);
        if (!result) CHECK_FALSE(to_text(result.error()).empty());
      }
    }
  }

  TEST_CASE("a VM without a name goes by its reference") {
    const auto result = inventory::import_files(
        {{.name = "v.json",
          .text = R"([{"obj": {"type": "HostSystem", "value": "host-1"}, "changeSet": [
                {"name": "summary.hardware", "val": {"numCpuPkgs": 1, "numCpuCores": 16,
                 "numCpuThreads": 32, "cpuMhz": 2500, "memorySize": 137438953472}},
                {"name": "config.graphicsInfo", "val": {"_typeName": "ArrayOfHostGraphicsInfo",
                 "_value": [{"deviceName": "NVIDIA A40", "vendorName": "NVIDIA",
                 "pciId": "0000:3b:00.0", "graphicsType": "sharedDirect",
                 "vm": [{"type": "VirtualMachine", "value": "vm-9"}]}]}}]},
               {"obj": {"type": "VirtualMachine", "value": "vm-9"}, "changeSet": [
                {"name": "name", "val": ""},
                {"name": "runtime.powerState", "val": "poweredOn"},
                {"name": "runtime.host", "val": {"type": "HostSystem", "value": "host-1"}},
                {"name": "config.hardware", "val": {"numCPU": 4, "memoryMB": 16384, "device": [
                 {"key": 13000, "backing": {"vgpu": "nvidia_a40-12c"}}]}}]}])",
          .host = {}}},
        {}, example::export_device);
    REQUIRE(result.has_value());
    CHECK(host_of(result->cluster, "host-1").gpus.size() == 1);
    CHECK(vm_of(result->cluster, "vm-9").request.profile == "12C");
  }

  TEST_CASE("Kubernetes quantities") {
    CHECK(inventory::quantity_of("3920m") == doctest::Approx(3.92));
    CHECK(inventory::quantity_of("263856Mi") == doctest::Approx(263856.0 * 1048576));
    CHECK(inventory::quantity_of("2e3") == doctest::Approx(2000));
    CHECK(inventory::quantity_of("1E") == doctest::Approx(1e18));
    CHECK(inventory::quantity_of("1.5Gi") == doctest::Approx(1.5 * 1073741824));
    for (const char* const text : {"", "x", "-1", "1Q", "1 Gi", "inf", "1e999"}) {
      CAPTURE(text);
      CHECK_FALSE(inventory::quantity_of(text).has_value());
    }
  }

  TEST_CASE("PCI addresses in their several forms are one") {
    CHECK(inventory::pci_address_of("00000000:3B:00.0") == "0000:3b:00.0");
    CHECK(inventory::pci_address_of("0000:003b:00.0") == "0000:3b:00.0");
    CHECK(inventory::pci_address_of("3b:00.0") == "0000:3b:00.0");
    CHECK(inventory::pci_address_of("3b:00").empty());
    CHECK(inventory::pci_address_of("zz:00.0").empty());
  }
}
