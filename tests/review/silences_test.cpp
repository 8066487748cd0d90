// Where rules on an engine's memory keep quiet, and what the fixes that are certain change.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "review/edits.hpp"
#include "support/reviewed.hpp"

using namespace gpushape;
using example::found_by;

namespace {

std::string silent_pod(const std::string& product, const std::string& image,
                       const std::vector<std::string>& words, const std::string& annotations = {},
                       int gpus = 1) {
  std::string text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {" + annotations +
                     "}}\nspec:\n  nodeSelector: {nvidia.com/gpu.product: " + product +
                     "}\n  containers:\n  - name: a\n    image: " + image + "\n    args:\n";
  for (const std::string& word : words) text += "    - " + word + "\n";
  return text + "    resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}\n";
}

const std::string kVllm = "vllm/vllm-openai:v0.15.0";
const std::string kSglang = "lmsysorg/sglang:v0.5.6";

/// The text with the edits of all findings made.
std::string mended(const std::string& rule, const std::string& text) {
  review::Edits edits;
  for (const domain::Finding& finding : found_by(rule, text)) {
    edits.insert(edits.end(), finding.edits.begin(), finding.edits.end());
  }
  return review::apply_edits(text, edits);
}

std::string with_word(std::string text, const std::string& old, const std::string& word) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), word);
}

std::string class_with(const std::string& rest, int devices) {
  std::string text =
      "apiVersion: vmoperator.vmware.com/v1alpha2\nkind: VirtualMachineClass\nmetadata: {name: c}\n"
      "spec:\n  hardware: {cpus: 8, memory: 64Gi}\n  configSpec:\n" +
      rest + "    deviceChange:\n";
  for (int i = 0; i < devices; ++i) {
    text +=
        "    - {device: {_typeName: VirtualPCIPassthrough, backing: {vgpu: nvidia_h100xm-80c}}}\n";
  }
  return text;
}

std::string mmio_options(const std::string& size) {
  return "    extraConfig:\n"
         "    - {key: pciPassthru.use64bitMMIO, value: {_typeName: string, _value: \"TRUE\"}}\n"
         "    - {key: pciPassthru.64bitMMIOSizeGB, value: {_typeName: string, _value: " +
         size + "}}  # ours\n";
}

/// What `govc vm.info -json` prints of a VM with that many H100, as far as a review reads it.
std::string exported_vm(const std::string& extra, int devices, const std::string& version) {
  std::string rows;
  for (int i = 0; i < devices; ++i) {
    rows += std::string(i == 0 ? "" : ",") + R"({"backing": {"vgpu": "nvidia_h100xm-80c"}})";
  }
  return R"({"virtualMachines": [{"name": "v", "config": {"name": "v", "version": ")" + version +
         R"(", "extraConfig": [)" + extra +
         R"(], "hardware": {"numCPU": 8, "memoryMB": 65536, "device": [)" + rows + "]}}}]}";
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("ME-05 speaks of vLLM's own utilization alone") {
    const auto of = [](const std::string& image, std::vector<std::string> flags) {
      flags.insert(flags.begin(), {"--model=Qwen/Qwen3-8B", "--max-model-len=4096"});
      return found_by("ME-05", silent_pod("NVIDIA-L4", image, flags)).size();
    };
    CHECK(of(kVllm, {"--gpu-memory-utilization=0.995"}) == 1);
    CHECK(of(kVllm, {"--gpu-memory-utilization=1.0"}) == 1);
    CHECK(of(kVllm, {}) == 0);
    CHECK(of(kVllm, {"--gpu-memory-utilization=0.95"}) == 0);
    CHECK(of(kVllm, {"--gpu-memory-utilization=0.995", "--kv-cache-memory-bytes=2147483648"}) == 0);
    CHECK(of(kVllm, {"--gpu-memory-utilization=$(SHARE)"}) == 0);
    CHECK(
        found_by("ME-05", silent_pod("NVIDIA-L4", kSglang,
                                     {"--model-path=Qwen/Qwen3-8B", "--mem-fraction-static=0.995"}))
            .empty());
  }

  TEST_CASE("ME-08 is quiet where nothing is copied, or the copies are wanted") {
    const auto of = [](const std::string& model, const std::string& ranks,
                       const std::string& notes = {}) {
      return found_by("ME-08", silent_pod("NVIDIA-H100-80GB-HBM3", kVllm,
                                          {"--model=" + model, "--max-model-len=8192",
                                           "--tensor-parallel-size=" + ranks},
                                          notes, std::stoi(ranks)))
          .size();
    };
    // config.json: 4 KV heads of Qwen3-30B-A3B, 8 of Llama-3.3-70B.
    CHECK(of("Qwen/Qwen3-30B-A3B", "8") == 1);
    CHECK(of("Qwen/Qwen3-30B-A3B", "4") == 0);
    CHECK(of("meta-llama/Llama-3.3-70B-Instruct", "8") == 0);
    // A latent cache has no heads; every rank holds it whole, whatever their number.
    CHECK(of("deepseek-ai/DeepSeek-V3", "8") == 0);
    // llama.cpp splits layers or rows, and the cache with them.
    CHECK(
        found_by("ME-08",
                 silent_pod("NVIDIA-H100-80GB-HBM3", "ghcr.io/ggml-org/llama.cpp:server-cuda",
                            {"--hf-repo=Qwen/Qwen3-30B-A3B", "--ctx-size=8192", "--split-mode=row"},
                            "", 8))
            .empty());
    // A contract of ours for that layout has counted the copies.
    const auto shape = [](const std::string& tensor) {
      return "gpushape.dev/contract: '{\"apiVersion\": \"gpushape.dev/v1\", \"kind\": "
             "\"ResourceContract\", \"shape\": {\"consumptionModel\": \"multi-gpu\", "
             "\"technology\": \"whole-gpu\", \"device\": \"h100-sxm-80\", \"count\": 8, "
             "\"parallelism\": {\"tensor\": " +
             tensor +
             "}, \"memoryBytes\": 85029615043}, \"vcpus\": 8, \"memoryBytes\": 68719476736}'";
    };
    CHECK(of("Qwen/Qwen3-30B-A3B", "8", shape("8")) == 0);
    CHECK(of("Qwen/Qwen3-30B-A3B", "8", shape("4")) == 1);
  }

  TEST_CASE("ME-10 is quiet where the cache is wide on purpose, cannot be narrow, or is no want") {
    const std::string model = "--model=RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic";
    const auto of = [](const std::string& product, const std::string& image,
                       const std::vector<std::string>& flags, const std::string& notes = {}) {
      return found_by("ME-10", silent_pod(product, image, flags, notes)).size();
    };
    CHECK(of("NVIDIA-H200", kVllm, {model, "--max-model-len=32768"}) == 1);
    // Said, and in an engine that is asked in other words.
    CHECK(of("NVIDIA-H200", kVllm, {model, "--max-model-len=32768", "--kv-cache-dtype=auto"}) == 0);
    CHECK(of("NVIDIA-H200", kSglang,
             {"--model-path=RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic",
              "--context-length=32768"}) == 0);
    // Eight sequences where nobody says how many, else as many as are wanted.
    CHECK(of("NVIDIA-H200", kVllm, {model, "--max-model-len=4096"}) == 0);
    CHECK(of("NVIDIA-H200", kVllm, {model, "--max-model-len=4096"},
             "gpushape.dev/concurrency: \"200\"") == 1);
    CHECK(of("NVIDIA-H200", kVllm, {model, "--max-model-len=32768"},
             "gpushape.dev/concurrency: \"2\"") == 0);
    // Weights of 16 bits, and a GPU that does not compute in 8.
    CHECK(of("NVIDIA-L40S", kVllm, {"--model=Qwen/Qwen3-8B", "--max-model-len=40960"}) == 0);
    CHECK(of("NVIDIA-A100-SXM4-80GB", kVllm,
             {"--model=RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8", "--max-model-len=131072"}) == 0);
  }

  TEST_CASE("VC-03 mends the number that is written, in its quotes, and nothing else") {
    const std::string small = class_with(mmio_options("\"512\""), 8);
    CHECK(mended("VC-03", small) == with_word(small, "\"512\"", "\"2048\""));
    CHECK(mended("VC-03", class_with(mmio_options("'512'"), 8)) ==
          class_with(mmio_options("'2048'"), 8));
    CHECK(found_by("VC-03", mended("VC-03", small)).empty());
    // Where nothing is written there is nothing to put another number into.
    const auto silent = found_by("VC-03", class_with("", 8));
    REQUIRE(silent.size() == 1);
    CHECK(silent[0].edits.empty());
    CHECK(silent[0].fix.contains("pciPassthru.64bitMMIOSizeGB to 2048"));
    const std::string off = class_with(
        "    extraConfig:\n    - {key: pciPassthru.use64bitMMIO, value: {_value: \"FALSE\"}}\n", 1);
    REQUIRE(found_by("VC-03", off).size() == 1);
    CHECK(mended("VC-03", off) == off);
    // What is no number is VC-04's.
    CHECK(found_by("VC-03", class_with(mmio_options("plenty"), 8)).empty());
    const std::string exported =
        exported_vm(R"({"key": "pciPassthru.64bitMMIOSizeGB", "value": "512"})", 8, "vmx-21");
    REQUIRE(found_by("VC-03", exported).size() == 1);
    CHECK(found_by("VC-03", exported)[0].edits.empty());
  }

  // VM Service writes 512 GB where its class is silent; a VM that was made without it has 32
  // (Broadcom KB 323402), and one H100 needs 256.
  TEST_CASE("VC-03 knows the default of a VM that no VM Service made") {
    CHECK(found_by("VC-03", class_with("", 1)).empty());
    const auto found = found_by("VC-03", exported_vm("", 1, "vmx-21"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.contains("32 GB of MMIO space by default"));
  }

  TEST_CASE("VC-05 raises the version to what the class needs, in its quotes") {
    const auto of = [](const std::string& version, int devices, const std::string& rest = {}) {
      return mended("VC-05", class_with("    version: " + version + "\n" + rest, devices));
    };
    const auto as = [](const std::string& version, int devices, const std::string& rest = {}) {
      return class_with("    version: " + version + "\n" + rest, devices);
    };
    CHECK(of("vmx-15", 1) == as("vmx-17", 1));
    CHECK(of("\"vmx-15\"", 1) == as("\"vmx-17\"", 1));
    CHECK(of("vmx-17", 1) == as("vmx-17", 1));
    // KB 309986: 32 devices in 8.0, 64 with version 20, 128 with version 21.
    CHECK(of("vmx-19", 32) == as("vmx-19", 32));
    CHECK(of("vmx-19", 33) == as("vmx-20", 33));
    CHECK(of("vmx-20", 64) == as("vmx-20", 64));
    CHECK(of("vmx-20", 65) == as("vmx-21", 65));
    CHECK(of("vmx-19", 1, "    virtualNuma: {coresPerNumaNode: 4}\n") ==
          as("vmx-20", 1, "    virtualNuma: {coresPerNumaNode: 4}\n"));
    for (const char* version : {"vmx-", "vmx-x", "21", "vmx--3"}) {
      CAPTURE(version);
      CHECK(
          found_by("VC-05", class_with(std::string("    version: ") + version + "\n", 1)).empty());
    }
    const auto exported = found_by("VC-05", exported_vm("", 33, "vmx-19"));
    REQUIRE(exported.size() == 1);
    CHECK(exported[0].message.starts_with("VM 'v' is of hardware version 19"));
    CHECK(exported[0].edits.empty());
    CHECK(found_by("VC-05", exported_vm("", 1, "vmx-15")).empty());
  }

  TEST_CASE("VC-12 and VC-05 read the version of a VM that exists") {
    // 16 vGPUs from 8.0 U2 on, whose version is 21; 8 before.
    const auto found = found_by("VC-12", exported_vm("", 9, "vmx-19"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.starts_with("VM 'v' has 9 vGPUs"));
    CHECK(found_by("VC-12", exported_vm("", 9, "vmx-21")).empty());
    CHECK(found_by("VC-12", exported_vm("", 17, "vmx-21")).size() == 1);
  }

  TEST_CASE("VC-23 knows the NUMA nodes of the hosts that are there") {
    const auto kubelet = [](const std::string& policy, const std::string& more = {}) {
      return "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
             "topologyManagerPolicy: " +
             policy + "\n" + more + "---\n";
    };
    const auto host = [](int numa_per_socket, const std::string& gpus,
                         const std::string& more = {}) {
      return "---\napiVersion: gpushape.dev/v1\nkind: Cluster\nname: lab\nhosts:\n- name: node\n"
             "  hardware: {sockets: 2, coresPerSocket: 64, threadsPerCore: 2, baseMHz: 2000, "
             "memoryBytes: 2199023255552, numaNodesPerSocket: " +
             std::to_string(numa_per_socket) + more + "}\n  gpus:\n" + gpus;
    };
    const std::string spread =
        "  - {device: h100-sxm-80, numaNode: 0, count: 4}\n"
        "  - {device: h100-sxm-80, numaNode: 1, count: 4}\n";
    const std::string together = "  - {device: h100-sxm-80, numaNode: 0, count: 8}\n";
    const auto pod = [](int gpus) {
      return silent_pod("NVIDIA-H100-80GB-HBM3", kVllm, {"--model=Qwen/Qwen3-8B"}, "", gpus);
    };
    const auto of = [](const std::string& text) { return found_by("VC-23", text).size(); };
    CHECK(of(kubelet("single-numa-node") + pod(8)) == 1);
    CHECK(of(kubelet("single-numa-node") + pod(4)) == 0);
    CHECK(of(kubelet("single-numa-node") + pod(8) + host(1, spread)) == 1);
    CHECK(of(kubelet("single-numa-node") + pod(8) + host(1, together)) == 0);
    CHECK(of(kubelet("single-numa-node") + pod(4) +
             host(2,
                  "  - {device: h100-sxm-80, numaNode: 0, count: 2}\n"
                  "  - {device: h100-sxm-80, numaNode: 1, count: 2}\n")) == 1);
    CHECK(of(kubelet("restricted") + pod(8) + host(1, spread)) == 0);
    // Kubernetes, Topology Manager: eight nodes are the most it takes without the option; NPS4 on
    // two sockets is exactly that.
    const auto many = found_by("VC-23", kubelet("restricted") + pod(1) + host(8, spread));
    REQUIRE(many.size() == 1);
    CHECK(many[0].message.contains("16 NUMA nodes, and 8 are allowed"));
    CHECK(of(kubelet("restricted") + pod(1) + host(4, spread)) == 0);
    CHECK(of(kubelet("none") + pod(1) + host(8, spread)) == 0);
    CHECK(of(kubelet("restricted",
                     "topologyManagerPolicyOptions: {max-allowable-numa-nodes: \"16\"}\n") +
             pod(1) + host(8, spread)) == 0);
    CHECK(of(kubelet("restricted") + pod(1) + host(8, spread, ", release: 8.0 U3")) == 0);
  }

  TEST_CASE("MF-11 takes out the share that the pool overrules, where it stands alone") {
    const auto both = [](const std::string& share) {
      return silent_pod("NVIDIA-L40S", kVllm,
                        {"--model=Qwen/Qwen3-8B", share, "--kv-cache-memory-bytes=4294967296"});
    };
    const std::string text = both("--gpu-memory-utilization=0.9");
    CHECK(mended("MF-11", text) == with_word(text, "    - --gpu-memory-utilization=0.9\n", ""));
    CHECK(found_by("MF-11", mended("MF-11", text)).empty());
    // Two words of a list, or of one line, are no item of their own.
    for (const std::string& share : {std::string("--gpu-memory-utilization\n    - \"0.9\""),
                                     std::string("--gpu-memory-utilization 0.9")}) {
      CAPTURE(share);
      const std::string other = both(share);
      CHECK(mended("MF-11", other) == other);
    }
    const std::string line =
        "#!/bin/sh\nvllm serve Qwen/Qwen3-8B --gpu-memory-utilization=0.9 "
        "--kv-cache-memory-bytes=4294967296\n";
    CHECK(mended("MF-11", line) == line);
  }

  TEST_CASE("MF-11: what a scheduler has booked, and what neighbours take") {
    const auto booked = [](const std::vector<std::string>& flags) {
      std::vector<std::string> words = {"--model=Qwen/Qwen3-8B"};
      words.insert(words.end(), flags.begin(), flags.end());
      return found_by("MF-11",
                      with_word(silent_pod("NVIDIA-L40S", kVllm, words, "gpu-fraction: \"0.5\""),
                                "    resources: {limits: {nvidia.com/gpu: 1}}\n", ""));
    };
    const auto silent = booked({});
    REQUIRE(silent.size() == 1);
    CHECK(silent[0].message.contains("0.9 of the GPU by default and has 0.5"));
    CHECK(silent[0].place.line == 3);
    CHECK(booked({"--gpu-memory-utilization=0.5"}).empty());
    CHECK(booked({"--gpu-memory-utilization=0.51"}).size() == 1);
    CHECK(booked({"--kv-cache-memory-bytes=4294967296"}).empty());

    const auto neighbours = [](const std::string& first, const std::string& second,
                               const std::string& request) {
      const auto engine = [](const std::string& name, const std::string& share,
                             const std::string& use) {
        return "  - name: " + name + "\n    image: " + kVllm +
               "\n    args: [--model=Qwen/Qwen3-8B" +
               (share.empty() ? "" : ", --gpu-memory-utilization=" + share) +
               "]\n    resources: {claims: [{name: g" + use + "}]}\n";
      };
      return found_by("MF-11",
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                      "  resourceClaims: [{name: g, resourceClaimTemplateName: t}]\n"
                      "  containers:\n" +
                          engine("a", first, "") + engine("b", second, request))
          .size();
    };
    CHECK(neighbours("0.6", "0.5", "") == 1);
    CHECK(neighbours("0.5", "0.5", "") == 0);
    CHECK(neighbours("0.2", "", "") == 1);  // vLLM's default is 0.9 at the least
    CHECK(neighbours("0.6", "0.5", ", request: other") == 0);
  }
}
