#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "document/text_format.hpp"
#include "emit/emitted_documents.hpp"
#include "emit/targets.hpp"
#include "schema/kinds.hpp"

using namespace gpushape;
using document::Node;
using domain::ConsumptionModel;
using domain::Platform;
using domain::RankedShape;
using domain::Technology;
using emit::Emitted;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;
namespace fs = std::filesystem;

/// What starts an engine, and what prepares nodes for it.
std::vector<Case> golden_of_engines() {
  using enum Platform;
  const RankedShape pair = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
  const RankedShape slice = cases::mig_instance();
  std::vector<Case> all;
  for (const char* target : {"pod", "deployment", "kserve", "nim-service", "dynamo", "llm-d-values",
                             "vllm-production-stack-values", "vllm-args", "kueue", "run-ai",
                             "gpu-operator", "device-class", "vcluster-values", "kubevirt"}) {
    all.push_back(make("whole-pair", target, Kubernetes, {pair}));
  }
  for (const char* target :
       {"leader-worker-set", "kserve", "nim-service", "dynamo", "resource-claim-template"}) {
    all.push_back(make("two-nodes", target, Kubernetes, {cases::two_nodes()}));
  }
  for (const char* target : {"mig-parted", "gpu-operator", "hami", "volcano"})
    all.push_back(make("mig-instance", target, Kubernetes, {slice}));
  for (const char* target : {"hami", "kai", "volcano", "device-plugin-config"})
    all.push_back(make("software-share", target, Kubernetes, {cases::software_share()}));
  for (const char* target : {"config-spec", "terraform-vsphere", "vm", "vgpu-device-manager"}) {
    all.push_back(make("full-l40s", target, Vsphere, {cases::full_l40s()}));
  }
  all.push_back(make("tensor-pair", "vks-cluster", Vks, {cases::tensor_pair()}));
  Case claimed = make("claimed", "deployment", Kubernetes, {pair});
  claimed.beside = {"resource-claim-template"};
  Case claims = make("claimed", "resource-claim-template", Kubernetes, {pair});
  claims.beside = {"deployment"};
  all.push_back(std::move(claimed));
  all.push_back(std::move(claims));
  Case engine = make("engines", "sglang-args", Kubernetes, {pair});
  for (const auto& [target, name, version] :
       {std::tuple{"sglang-args", "sglang", "0.5.9"},
        std::tuple{"tensorrt-llm-args", "tensorrt-llm", "1.2"},
        std::tuple{"llama-cpp-args", "llama.cpp", "0.5"}}) {
    engine.target = target;
    engine.advice.shapes.front().contract.engine = name;
    engine.advice.shapes.front().contract.engine_version = version;
    engine.command = catalog::Catalog::engine_command(name);
    all.push_back(engine);
  }
  return all;
}

/// The exact text that a target gives.
std::string text_of(const Emitted& emitted) {
  return emitted.text.empty() ? document::write_yaml(emitted.documents) : emitted.text;
}

/// Every case whose exact text stands in tests/golden/emit/<name>/<target>.yaml.
std::vector<Case> golden_cases() {
  using Platform::Vks;
  using Platform::Vsphere;
  std::vector<Case> all = {
      make("fraction-20c", "vm-class", Vsphere, {cases::fraction_20c()}),
      make("fraction-20c", "resource-claim", Vks, {cases::fraction_20c()}),
      make("full-l40s", "vm-class", Vsphere, {cases::full_l40s()}),
      make("tensor-pair", "vm-class", Vsphere, {cases::tensor_pair()}),
      make("tensor-pair", "resource-claim", Vks, {cases::tensor_pair()}),
      make("two-numa-nodes", "vm-class", Vsphere, {cases::eight_on_two_nodes()}),
      make("mig-backed", "vm-class", Vsphere, {cases::mig_backed()}),
      make("passthrough", "vm-class", Vsphere, {cases::passthrough_a30()}),
      make("passthrough", "resource-claim", Vsphere, {cases::passthrough_a30()}),
      make("several-wishes", "vm-class", Vsphere, {cases::full_h200(), cases::tensor_pair()}),
      make("several-wishes", "resource-claim", Vks, {cases::full_h200(), cases::tensor_pair()}),
      make("bare-metal-list", "resource-claim", Platform::Kubernetes,
           {cases::whole("h200-sxm-141"), cases::whole("h100-sxm-80"),
            cases::whole("a100-sxm4-80", 2)}),
      make("tensor-pair", "contract", Vsphere, {cases::tensor_pair()}),
  };
  Case old = make("bare-metal-list-1.32", "resource-claim", Platform::Kubernetes,
                  {cases::whole("h200-sxm-141"), cases::whole("h100-sxm-80")});
  old.kubernetes = "1.32";
  all.push_back(std::move(old));
  for (Case& golden : golden_of_engines()) all.push_back(std::move(golden));
  return all;
}

fs::path golden_path(const Case& from) {
  return fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/emit" / from.name / (from.target + ".yaml");
}

std::string text_of(const fs::path& path) {
  const std::ifstream input(path);
  std::stringstream text;
  text << input.rdbuf();
  return text.str();
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("targets have distinct names and a line each") {
    std::set<std::string_view> names;
    for (const emit::TargetRow& row : emit::targets()) {
      CAPTURE(row.name);
      CHECK(names.insert(row.name).second);
      CHECK_FALSE(row.description.empty());
      CHECK((row.emit != nullptr));
    }
  }

  // To rewrite: GPUSHAPE_WRITE_GOLDEN=1 test_emit, and look at the diff.
  TEST_CASE("documents are what the golden files say") {
    for (const Case& golden : golden_cases()) {
      CAPTURE(golden.name);
      CAPTURE(golden.target);
      const Result<Emitted> result = emitted(golden);
      REQUIRE(result);
      const std::string text = text_of(*result);
      if (std::getenv("GPUSHAPE_WRITE_GOLDEN") != nullptr) {
        fs::create_directories(golden_path(golden).parent_path());
        std::ofstream(golden_path(golden)) << text;
      }
      CHECK(text == text_of(golden_path(golden)));
    }
  }

  TEST_CASE("documents read back as the tree that was written") {
    for (const Case& golden : golden_cases()) {
      CAPTURE(golden.name);
      const Result<Emitted> result = emitted(golden);
      REQUIRE(result);
      if (!result->text.empty()) continue;
      const auto read =
          document::read_yaml(document::write_yaml(result->documents), "written.yaml");
      REQUIRE(read);
      REQUIRE(read->size() == result->documents.size());
      for (std::size_t i = 0; i < read->size(); ++i) {
        CHECK((*read)[i].root == result->documents[i]);
      }
    }
  }

  // The table of worked examples: vCPU, RAM in GiB, reserved cores in millicores.
  TEST_CASE("a class carries the numbers of the worked examples") {
    struct Row {
      RankedShape picked;
      int cpus;
      std::string memory;
      std::string cpu;
      std::string mmio;
    };
    // MMIO needs of 256, 128 and 512 stay at the platform's 512; 2048 is above it.
    const std::vector<Row> rows = {
        {cases::fraction_20c(), 6, "32Gi", "3000m", "512"},
        {cases::full_l40s(), 10, "72Gi", "3000m", "512"},
        {cases::tensor_pair(), 12, "240Gi", "12000m", "512"},
        {cases::eight_on_two_nodes(), 48, "960Gi", "48000m", "2048"},
        {cases::passthrough_a30(), 10, "336Gi", "3000m", "512"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.picked.shape.profile);
      const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {row.picked}));
      CHECK(at(root, "spec.hardware.cpus").integer() == row.cpus);
      CHECK(at(root, "spec.hardware.memory").text() == row.memory);
      CHECK(at(root, "spec.policies.resources.requests.cpu").text() == row.cpu);
      CHECK(at(root, "spec.policies.resources.requests.memory").text() == row.memory);
      CHECK(at(root, "spec.configSpec.memoryReservationLockedToMax").boolean());
      CHECK(at(root, "spec.configSpec.firmware").text() == "efi");
      CHECK_FALSE(at(root, "spec.configSpec.cpuHotAddEnabled").boolean());
      CHECK(option(root, "pciPassthru.use64bitMMIO") == "TRUE");
      CHECK(option(root, "pciPassthru.64bitMMIOSizeGB") == row.mmio);
    }
  }

  TEST_CASE("devices have keys of their own and the profile as the host lists it") {
    const Node root =
        document_of(make("x", "vm-class", Platform::Vsphere, {cases::eight_on_two_nodes()}));
    const Node& changes = at(root, "spec.configSpec.deviceChange");
    REQUIRE(changes.items().size() == 8);
    std::set<std::int64_t> keys;
    for (std::size_t i = 0; i < 8; ++i) {
      const Node& pci = at(changes.items()[i], "device");
      CHECK(keys.insert(at(pci, "key").integer()).second);
      CHECK(at(pci, "key").integer() < 0);
      CHECK(at(pci, "backing.vgpu").text() == "nvidia_h100xm-80c");
      CHECK(at(pci, "numaNode").integer() == (i < 4 ? 0 : 1));
      CHECK(at(pci, "deviceGroupInfo.sequenceId").integer() == static_cast<std::int64_t>(i));
      CHECK(at(pci, "deviceGroupInfo.groupInstanceKey").integer() ==
            at(root, "spec.configSpec.deviceGroups.deviceGroup[0].groupInstanceKey").integer());
    }
  }

  TEST_CASE("four GPUs in groups of two make two device groups") {
    RankedShape four = cases::tensor_pair();
    four.shape.count = four.contract.shape.count = 4;
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {four}));
    const Node& groups = at(root, "spec.configSpec.deviceGroups.deviceGroup");
    REQUIRE(groups.items().size() == 2);
    const Node& third = at(root, "spec.configSpec.deviceChange[2].device.deviceGroupInfo");
    CHECK(at(third, "groupInstanceKey").integer() ==
          at(groups.items()[1], "groupInstanceKey").integer());
    CHECK(at(third, "sequenceId").integer() == 0);
  }

  TEST_CASE("a class without an explicit topology says nothing of one") {
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {cases::tensor_pair()}));
    const Node& spec = at(root, "spec.configSpec");
    CHECK(spec.find("numCoresPerSocket") == nullptr);
    CHECK(spec.find("virtualNuma") == nullptr);
    CHECK(spec.find("latencySensitivity") == nullptr);
    CHECK(at(spec, "deviceChange[0].device").find("numaNode") == nullptr);
  }

  TEST_CASE("a topology that the guest would not be shown lowers numa.vcpu.min") {
    RankedShape small = cases::passthrough_a30();
    small.contract.numa->shown_from_vcpus = 8;
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {small}));
    CHECK(option(root, "numa.vcpu.min") == "8");
    CHECK(option(document_of(make("x", "vm-class", Platform::Vsphere, {cases::passthrough_a30()})),
                 "numa.vcpu.min") == "absent");
  }

  // 0x10de = 4318, 0x20b7 = 8375.
  TEST_CASE("passthrough allows the part by its decimal PCI ids, under the host's label") {
    const Node root =
        document_of(make("x", "vm-class", Platform::Vsphere, {cases::passthrough_a30()}));
    const Node& backing = at(root, "spec.configSpec.deviceChange[0].device.backing");
    CHECK(at(backing, "allowedDevice[0].vendorId").integer() == 4318);
    CHECK(at(backing, "allowedDevice[0].deviceId").integer() == 8375);
    CHECK(at(backing, "customLabel").text() == "a30-appliance");
  }

  TEST_CASE("best effort reserves no CPU") {
    RankedShape picked = cases::fraction_20c();
    picked.contract.reserved_cores = 0;
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {picked}));
    CHECK(at(root, "spec.policies.resources.requests").find("cpu") == nullptr);
  }

  TEST_CASE("memory that is no whole GiB is rounded up, never down") {
    RankedShape picked = cases::fraction_20c();
    picked.contract.memory_bytes = gib(32) + Bytes(1);
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {picked}));
    CHECK(at(root, "spec.hardware.memory").text() == "32769Mi");
  }

  TEST_CASE("the class API follows the release that is asked for") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "v1alpha2"},      {"8.0.3", "v1alpha2"}, {"9.0.0", "v1alpha3"},
        {"9.0.1", "v1alpha4"}, {"9.1.0", "v1alpha5"}, {"vc-9.0.1", "v1alpha4"}};
    const Case one = make("x", "vm-class", Platform::Vsphere, {cases::full_l40s()});
    for (const auto& [release, version] : rows) {
      CAPTURE(release);
      emit::EmitRequest request = one.request();
      request.vm_operator = release;
      const auto result = row_of("vm-class").emit(request);
      REQUIRE(result);
      CHECK(at(result->documents[0], "apiVersion").text() == "vmoperator.vmware.com/" + version);
    }
    emit::EmitRequest request = one.request();
    request.vm_operator = "8.0.2";
    const auto result = row_of("vm-class").emit(request);
    REQUIRE_FALSE(result);
    CHECK(result.error()[0].help.find("8.0.3") != std::string::npos);
  }

  TEST_CASE("a shape that vSphere cannot express is refused, with a target that can") {
    const RankedShape instance = cases::ranked(
        cases::shape(ConsumptionModel::Fractional, Technology::Mig, "h100-sxm-80", "3g.40gb"),
        {6, 6, 64, 24, 3, 256}, "");
    RankedShape processes = cases::whole("h100-sxm-80");
    processes.shape.technology = processes.contract.shape.technology = Technology::Mps;
    for (const RankedShape& picked : {instance, cases::whole("h100-sxm-80")}) {
      const auto result = emitted(make("x", "vm-class", Platform::Kubernetes, {picked}));
      REQUIRE_FALSE(result);
      CHECK(result.error()[0].help.find("resource-claim") != std::string::npos);
      CHECK(emitted(make("x", "resource-claim", Platform::Kubernetes, {picked})));
    }
    for (const std::string target : {"vm-class", "resource-claim"}) {
      const auto result = emitted(make("x", target, Platform::Kubernetes, {processes}));
      REQUIRE_FALSE(result);
      CHECK(result.error()[0].help.find("contract") != std::string::npos);
    }
  }

  TEST_CASE("annotations carry what the contract is for, as strings") {
    const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {cases::full_l40s()}));
    const Node& annotations = at(root, "metadata.annotations");
    const auto value = [&annotations](const char* key) {
      const Node* found = annotations.find(key);
      return found == nullptr ? std::string("absent") : found->text();
    };
    CHECK(value("gpushape.dev/model") == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(value("gpushape.dev/quantization") == "bf16");
    CHECK(value("gpushape.dev/context") == "8192");
    CHECK(value("gpushape.dev/concurrency") == "32");
    CHECK(value("gpushape.dev/evidence") == "E0");
    CHECK(value("gpushape.dev/review-after") == "14d");
  }

  TEST_CASE("the annotation reads back as the contract") {
    for (const RankedShape& picked :
         {cases::full_l40s(), cases::eight_on_two_nodes(), cases::passthrough_a30()}) {
      const Node root = document_of(make("x", "vm-class", Platform::Vsphere, {picked}));
      const Node* line = at(root, "metadata.annotations").find("gpushape.dev/contract");
      REQUIRE(line != nullptr);
      CHECK(std::ranges::count(line->text(), '\n') == 1);  // on one line, whatever it holds
      const auto document = document::read_json(line->text(), "annotation");
      REQUIRE(document);
      auto contract = schema::read_contract(*document);
      REQUIRE(contract);
      domain::ResourceContract expected = picked.contract;
      expected.notes.clear();
      CHECK((*contract == expected));
    }
  }
}
