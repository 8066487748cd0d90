// Several GPUs for one copy of a model: links, smaller shapes, and GPUs that are cut.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/reviewed.hpp"

using namespace gpushape;
using domain::Finding;

namespace {

std::vector<Finding> group_findings(const std::string& text, const std::string& rule,
                                    const domain::Workload* workload = nullptr) {
  return example::found_by(rule, text, example::told_of(workload));
}

/// A vLLM server; the flags on lines of their own from line 16 on.
std::string group_pod(const std::string& selector, const std::string& model,
                      const std::vector<std::string>& flags, int gpus,
                      const std::string& annotations = {}) {
  std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: g, namespace: ai, annotations: {" +
      annotations +
      "}}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: g}}\n  template:\n"
      "    metadata: {labels: {app: g}}\n    spec:\n      nodeSelector: {" +
      selector +
      "}\n      containers:\n      - name: engine\n        image: vllm/vllm-openai:v0.15.0\n"
      "        args:\n        - --model=" +
      model + "\n";
  for (const std::string& flag : flags) text += "        - " + flag + "\n";
  return text + "        resources: {limits: {cpu: \"16\", memory: 128Gi, nvidia.com/gpu: \"" +
         std::to_string(gpus) + "\"}}\n";
}

const std::string kH100 = "nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3";
const std::string kSmall = "meta-llama/Llama-3.1-8B-Instruct";
const std::string kLarge = "meta-llama/Llama-3.3-70B-Instruct";

std::string group_cluster(const std::string& hosts) {
  return "---\napiVersion: gpushape.dev/v1\nkind: Cluster\nname: lab\nhosts:\n" + hosts;
}

std::string mig_host(int cut, int whole) {
  std::string text =
      "- name: n1\n  hardware: {sockets: 2, coresPerSocket: 48, threadsPerCore: 2, baseMHz: 2000, "
      "memoryBytes: 2199023255552}\n  gpus:\n";
  if (cut > 0) {
    text += "  - {device: h100-sxm-80, numaNode: 0, modes: [mig], count: " + std::to_string(cut) +
            "}\n";
  }
  if (whole > 0) {
    text += "  - {device: h100-sxm-80, numaNode: 1, modes: [same-size], count: " +
            std::to_string(whole) + "}\n";
  }
  return text;
}

std::string group_class(const std::string& profile, int devices) {
  std::string text =
      "apiVersion: vmoperator.vmware.com/v1alpha2\nkind: VirtualMachineClass\n"
      "metadata: {name: c}\nspec:\n  hardware: {cpus: 16, memory: 256Gi}\n  configSpec:\n"
      "    deviceChange:\n";
  for (int i = 0; i < devices; ++i) {
    text +=
        "    - {device: {_typeName: VirtualPCIPassthrough, backing: {vgpu: " + profile + "}}}\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("narrower weights are spoken of where they keep a copy within its links") {
    const std::vector<std::string> flags = {"--max-model-len=8192", "--max-num-seqs=16",
                                            "--tensor-parallel-size=4"};
    const std::string pairs =
        group_pod("nvidia.com/gpu.product: NVIDIA-H100-PCIe", kLarge, flags, 4);
    const auto found = group_findings(pairs, "MG-03");
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.line == 18);
    CHECK(found[0].message.contains("with fp8 weights 2 hold it"));
    CHECK((found[0].severity == domain::Severity::Note));
    // A100: no fp8 units, so 4 bits are the next that it serves. SXM boards link eight.
    const auto ampere = group_findings(
        group_pod("nvidia.com/gpu.product: NVIDIA-A100-80GB-PCIe", kLarge, flags, 4), "MG-03");
    REQUIRE(ampere.size() == 1);
    CHECK(ampere[0].message.contains("with int4 weights"));
    CHECK(group_findings(group_pod(kH100, kLarge, flags, 4), "MG-03").empty());
    // Where the weights as they are fit within the links there is nothing to narrow.
    CHECK(group_findings(group_pod("nvidia.com/gpu.product: NVIDIA-H100-PCIe", kSmall, flags, 4),
                         "MG-03")
              .empty());
  }

  TEST_CASE("the links of the cluster's own hosts count") {
    const std::string text =
        group_pod(kH100, kLarge,
                  {"--max-model-len=8192", "--max-num-seqs=16", "--tensor-parallel-size=4"}, 4);
    const std::string unlinked =
        "- name: n1\n  hardware: {sockets: 2, coresPerSocket: 48, threadsPerCore: 2, baseMHz: "
        "2000, memoryBytes: 2199023255552}\n  gpus:\n"
        "  - {device: h100-sxm-80, numaNode: 0, count: 4}\n  linkDomains: [[0, 1], [2, 3]]\n";
    const auto found = group_findings(text + group_cluster(unlinked), "MG-03");
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.contains("2 of which reach each other"));
  }

  TEST_CASE("a copy over several hosts leaves its links") {
    // vLLM with --nnodes 2: four ranks on each of two hosts.
    const std::string text = group_pod(
        kH100, "meta-llama/Llama-3.1-405B-Instruct",
        {"--max-model-len=8192", "--max-num-seqs=4", "--tensor-parallel-size=16", "--nnodes=2"}, 8);
    const auto found = group_findings(text, "MG-03");
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.contains("8 hold it"));
  }

  TEST_CASE("a VM's GPUs are weighed with the workload that is given") {
    domain::Workload workload;
    workload.model = domain::Fact<std::string>{kLarge, domain::Origin::File, "w.yaml"};
    workload.context_tokens = domain::Fact<std::int64_t>{8192, domain::Origin::File, "w.yaml"};
    workload.concurrency = domain::Fact<std::int64_t>{8, domain::Origin::File, "w.yaml"};
    // Whose sampler and graphs take what keeps the model off two GPUs.
    workload.engine.version =
        domain::Fact<domain::EngineVersion>{{0, 22, 0}, domain::Origin::File, "w.yaml"};
    const std::string text = group_class("nvidia_h100-80c", 4);
    CHECK(group_findings(text, "MG-03").empty());  // nothing says what it is for
    const auto found = group_findings(text, "MG-03", &workload);
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.line == 8);
    CHECK(found[0].message.starts_with("VM class 'c' spreads"));
    CHECK(group_findings(group_class("nvidia_h100xm-80c", 4), "MG-03", &workload).empty());
    workload.engine.tensor = domain::Fact<std::int64_t>{2, domain::Origin::File, "w.yaml"};
    CHECK(group_findings(text, "MG-03", &workload).empty());  // two replicas within the VM
  }

  TEST_CASE("replicas are spoken of where they hold what is wanted") {
    const auto of = [](const std::vector<std::string>& flags, const std::string& note = {}) {
      return group_findings(group_pod(kH100, kSmall, flags, 2, note), "MG-05");
    };
    const auto found = of({"--max-model-len=8192", "--tensor-parallel-size=2"},
                          "gpushape.dev/concurrency: \"64\"");
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.line == 17);
    CHECK((found[0].severity == domain::Severity::Note));
    CHECK(found[0].fix.starts_with("run 2 replicas of 1 GPU;"));
    // Two copies of the weights leave less for the cache than one: 16 GiB of 144.
    CHECK(of({"--max-model-len=8192", "--tensor-parallel-size=2"},
             "gpushape.dev/concurrency: \"125\"")
              .empty());
    CHECK(of({"--max-model-len=8192", "--tensor-parallel-size=2"}).empty());
    // Nobody says how long a context is, or the answer has to come fast.
    CHECK(of({"--tensor-parallel-size=2", "--max-num-seqs=4"}).empty());
    CHECK(of({"--max-model-len=8192", "--tensor-parallel-size=2", "--max-num-seqs=16"},
             "gpushape.dev/latency-slo: strict")
              .empty());
    CHECK(of({"--max-model-len=8192", "--tensor-parallel-size=2", "--max-num-seqs=16"}).size() ==
          1);
    CHECK(of({"--max-model-len=8192", "--tensor-parallel-size=2", "--max-num-seqs=16",
              "--pipeline-parallel-size=2"})
              .empty());
  }

  TEST_CASE("GPUs in MIG mode are no group, whoever says that they are") {
    const std::vector<std::string> flags = {"--max-model-len=8192", "--tensor-parallel-size=4"};
    const std::string plain = group_pod(kH100, kLarge, flags, 4);
    CHECK(group_findings(plain, "MG-06").empty());
    SUBCASE("the product of the node") {
      const auto found = group_findings(
          group_pod("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3-MIG-3g.40gb", kLarge, flags, 4),
          "MG-06");
      REQUIRE(found.size() == 1);
      CHECK(found[0].message.contains("each of them is a MIG instance"));
    }
    SUBCASE("the GPU Operator's default layout") {
      const auto policy = [](const char* config) {
        return "---\napiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n"
               "  mig: {strategy: single}\n  migManager: {config: {default: " +
               std::string(config) + "}}\n";
      };
      CHECK(group_findings(plain + policy("all-1g.10gb"), "MG-06").size() == 1);
      CHECK(group_findings(plain + policy("all-disabled"), "MG-06").empty());
      CHECK(group_findings(plain + policy("ours"), "MG-06").empty());  // nobody knows it
      // A pod that chooses its layout, and a product that has no MIG, go their own way.
      const std::string chosen =
          group_pod(kH100 + ", nvidia.com/mig.config: all-disabled", kLarge, flags, 4);
      CHECK(group_findings(chosen + policy("all-1g.10gb"), "MG-06").empty());
      const std::string other = group_pod("nvidia.com/gpu.product: NVIDIA-L40S", kLarge, flags, 4);
      CHECK(group_findings(other + policy("all-1g.10gb"), "MG-06").empty());
    }
    SUBCASE("a layout for another product") {
      const std::string layout =
          "---\nversion: v1\nmig-configs:\n  ours:\n"
          "  - {device-filter: [\"0x20B010DE\"], devices: all, mig-enabled: true, mig-devices: "
          "{\"1g.5gb\": 7}}\n"
          "  - {device-filter: [\"0x233010DE\"], devices: all, mig-enabled: false}\n";
      const std::string chosen =
          group_pod(kH100 + ", nvidia.com/mig.config: ours", kLarge, flags, 4);
      CHECK(group_findings(chosen + layout, "MG-06").empty());
    }
    SUBCASE("the hosts of the cluster") {
      CHECK(group_findings(plain + group_cluster(mig_host(8, 0)), "MG-06").size() == 1);
      CHECK(group_findings(plain + group_cluster(mig_host(5, 3)), "MG-06").size() == 1);
      CHECK(group_findings(plain + group_cluster(mig_host(4, 4)), "MG-06").empty());
    }
    SUBCASE("the hosts of a VM") {
      const std::string vm = group_class("nvidia_h100xm-80c", 4);
      const auto found = group_findings(vm + group_cluster(mig_host(6, 2)), "MG-06");
      REQUIRE(found.size() == 1);
      CHECK(found[0].message.contains("of 8 GPUs on n1 6 are in MIG mode and 0 hold fractions"));
      CHECK(group_findings(vm + group_cluster(mig_host(0, 8)), "MG-06").empty());
    }
  }

  TEST_CASE("GPUs that hold fractions are not free as a whole") {
    const auto held_by = [](const std::string& profile, int size) {
      std::string text =
          "- name: n1\n  hardware: {sockets: 2, coresPerSocket: 48, threadsPerCore: 2, baseMHz: "
          "2000, memoryBytes: 2199023255552, release: 8.0 U3}\n  gpus:\n"
          "  - {device: h100-sxm-80, modes: [same-size]}\n";
      for (int i = 0; i < 3; ++i) {
        text += fmt::format(
            "  - {{device: h100-sxm-80, modes: [same-size], mode: same-size, profile: {0}, "
            "allocations: [{{vm: v{1}, profile: {0}, start: 0, size: {2}}}]}}\n",
            profile, i, size);
      }
      return group_cluster(text);
    };
    const std::string vm = group_class("nvidia_h100xm-80c", 2);
    const auto found = group_findings(vm + held_by("20C", 20), "MG-06");
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.contains("0 are in MIG mode and 3 hold fractions"));
    // Taken as a whole they are full, which is PL-01's to tell.
    CHECK(group_findings(vm + held_by("80C", 80), "MG-06").empty());
  }
}
