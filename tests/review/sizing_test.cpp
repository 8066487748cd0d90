// The workload behind a manifest and its size.
#include "review/sizing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"
#include "review/deployment.hpp"
#include "review/read_input.hpp"
#include "review/understanding.hpp"

using namespace gpushape;
using review::PodRequest;
using review::Sizing;

namespace {

const std::vector<domain::Device>& sizing_devices() {
  static const std::vector<domain::Device> kDevices =
      profiles::Profiles::open().value().all().value();
  return kDevices;
}

struct Sized {
  catalog::Catalog catalog = catalog::Catalog::open().value();
  std::vector<document::Document> documents;
  review::ReviewRequest request;
  review::Deployment deployment;

  explicit Sized(const std::string& text, const char* file = "deploy.yaml",
                 std::vector<std::string> gpus = {}) {
    auto read = review::read_input(text, file);
    REQUIRE(read);
    documents = std::move(*read);
    request.documents = documents;
    request.devices = sizing_devices();
    request.catalog = &catalog;
    request.gpus = std::move(gpus);
    deployment = review::read_deployment(request);
  }

  const Sizing& only() {
    REQUIRE(deployment.pods.size() == 1);
    return deployment.sizing(deployment.pods[0]);
  }
};

std::string pod(const std::string& node, const std::string& args, const std::string& limits) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeSelector: {" + node +
         "}\n  containers:\n    - name: vllm\n      image: vllm/vllm-openai:v0.11.0\n      args: "
         "[" +
         args + "]\n      resources: {limits: {" + limits + "}}\n";
}

std::int64_t weights_of(const Sizing& sizing) {
  return domain::part_bytes(*sizing.estimate, domain::Part::Weights).expected.count();
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("a place that is still to be filled in is told from a wrong field name") {
    const auto read = review::read_input("data:\n  token: {{HF_TOKEN}}\n", "secret.yaml");
    REQUIRE_FALSE(read);
    CHECK(read.error().front().help.contains("filled in"));
    const auto other = review::read_input("? [a]\n: 1\n", "other.yaml");
    REQUIRE_FALSE(other);
    CHECK_FALSE(other.error().front().help.contains("filled in"));
  }

  // 8,030,261,248 parameters in two bytes each; 32 layers x 8 heads x 128 x 2 sides x 2 bytes a
  // token.
  TEST_CASE("a pod is sized from its flags on the GPU of its node") {
    Sized sized(pod("nvidia.com/gpu.product: NVIDIA-L40S",
                    "--model=meta-llama/Llama-3.1-8B-Instruct, --max-model-len, \"8192\", "
                    "--gpu-memory-utilization=0.85",
                    "nvidia.com/gpu: 1"));
    const Sizing& sizing = sized.only();
    CHECK(sizing.gap.empty());
    REQUIRE(sizing.estimate);
    // and the rotary table beside them
    CHECK(weights_of(sizing) == doctest::Approx(16'060'522'496).epsilon(0.005));
    CHECK(sizing.estimate->kv_bytes_per_token == Bytes(131'072));
    REQUIRE(sizing.gpus.size() == 1);
    CHECK(sizing.gpus[0].device->id == "l40s");
    CHECK(sizing.gpus[0].from == "node selector nvidia.com/gpu.product");
    REQUIRE(sizing.estimate->capacity);
    CHECK(sizing.estimate->capacity->utilization == doctest::Approx(0.85));
    CHECK(sizing.estimate->context_tokens->value == 8192);
    CHECK(sizing.estimate->context_tokens->from == "--max-model-len (deploy.yaml:9)");
    CHECK(sizing.workload.engine.version->value == domain::EngineVersion{0, 11, 0});
  }

  TEST_CASE("what nobody says is assumed aloud") {
    Sized sized(pod("", "--model=meta-llama/Llama-3.1-8B-Instruct", "nvidia.com/gpu: 1"));
    const Sizing& sizing = sized.only();
    REQUIRE(sizing.estimate);
    CHECK(sizing.gpus.empty());
    CHECK_FALSE(sizing.estimate->capacity);
    // max_position_embeddings of its config.json
    CHECK(sizing.estimate->context_tokens->value == 131'072);
    std::vector<std::string> facts;
    for (const domain::Assumption& row : sizing.assumptions) facts.push_back(row.fact);
    CHECK(facts == std::vector<std::string>{"context", "concurrency", "quantization"});
  }

  // vLLM docs/features/quantization/online.md and bnb.md: a 16-bit checkpoint is converted as it
  // loads. What names a checkpoint's own format (here with 16 bits behind it) converts nothing.
  TEST_CASE("what converts while loading is sized as converted") {
    struct Row {
      const char* flag;
      const char* sized_as;
    };
    for (const Row& row : std::vector<Row>{{"fp8", "fp8"},
                                           {"fp8_per_tensor", "fp8"},
                                           {"fp8_per_block", "fp8-block"},
                                           {"mxfp8", "mxfp8"},
                                           {"bitsandbytes", "bnb-nf4"},
                                           {"awq_marlin", "bf16"}}) {
      CAPTURE(row.flag);
      Sized sized(pod("nvidia.com/gpu.product: NVIDIA-L40S",
                      "--model=meta-llama/Llama-3.1-8B-Instruct, --max-model-len=8192, "
                      "--quantization=" +
                          std::string(row.flag),
                      "nvidia.com/gpu: 1"));
      const Sizing& sizing = sized.only();
      REQUIRE(sizing.estimate);
      CHECK(name_of(sizing.estimate->quantization.value) == row.sized_as);
    }
  }

  TEST_CASE("vLLM's kernels of attention are those of its flag, or of its variable") {
    const auto backend = [](const std::string& args, const std::string& variable) {
      std::string text = pod("nvidia.com/gpu.product: NVIDIA-L4", "--model=Qwen/Qwen3-8B" + args,
                             "nvidia.com/gpu: 1");
      if (!variable.empty())
        text.replace(text.find("      args:"), 0,
                     "      env: [{name: VLLM_ATTENTION_BACKEND, value: " + variable + "}]\n");
      Sized sized(text);
      const auto& given = sized.only().workload.engine.attention_backend;
      return given ? given->value : std::string();
    };
    CHECK(backend(", --attention-backend=FLASHINFER", "") == "FLASHINFER");
    CHECK(backend("", "FLASHINFER") == "FLASHINFER");
    CHECK(backend(", --attention-backend=TRITON_ATTN", "FLASHINFER") == "TRITON_ATTN");
    CHECK(backend("", "").empty());
  }

  // 27 layers of 16 heads of 192, keys and values, or latents of 576, in 16 bits.
  TEST_CASE("VLLM_MLA_DISABLE keeps keys and values of every head in place of latents") {
    const auto token_with = [](const std::string& value) {
      std::string text = pod("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
                             "--model=deepseek-ai/DeepSeek-V2-Lite", "nvidia.com/gpu: 1");
      text.replace(text.find("      args:"), 0,
                   "      env: [{name: VLLM_MLA_DISABLE, value: \"" + value + "\"}]\n");
      Sized sized(text);
      const Sizing& sizing = sized.only();
      REQUIRE(sizing.estimate);
      return sizing.estimate->kv_bytes_per_token;
    };
    CHECK(token_with("1") == Bytes(27LL * 16 * 2 * 192 * 2));
    CHECK(token_with("0") == Bytes(27LL * 576 * 2));
  }

  TEST_CASE("annotations fill what flags leave open, and flags win") {
    const std::string text =
        "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations: {gpushape.dev/model: Qwen/Qwen3-8B, "
        "gpushape.dev/context: 16k, gpushape.dev/concurrency: \"24\", gpushape.dev/gpu: l40s}\n"
        "spec:\n  containers:\n    - name: a\n      image: vllm/vllm-openai:v0.11.0\n"
        "      args: [--model, /models/mine, --max-model-len, 4k]\n"
        "      resources: {limits: {nvidia.com/gpu: 1}}\n";
    Sized sized(text);
    const Sizing& sizing = sized.only();
    REQUIRE(sizing.estimate);
    CHECK(sizing.estimate->model_id == "Qwen/Qwen3-8B");
    CHECK(sizing.estimate->context_tokens->value == 4000);  // vLLM's own reading of 4k
    CHECK(sizing.estimate->concurrency->value == 24);
    CHECK(sizing.gpus.at(0).device->id == "l40s");
  }

  TEST_CASE("what cannot be sized says why") {
    Sized unknown(pod("", "--model=nobody/nothing-9z", "nvidia.com/gpu: 1"));
    CHECK_FALSE(unknown.only().estimate);
    CHECK(unknown.only().gap.find("nobody/nothing-9z") != std::string::npos);
    Sized path(pod("", "--model=/models/m", "nvidia.com/gpu: 1"));
    CHECK(path.only().gap == "'/models/m' names no one model of the catalog");
    Sized none("apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: nginx}]}\n");
    CHECK(none.only().gap == "no container starts an engine that is known");
  }

  TEST_CASE("a share is sized as the engine meets it") {
    Sized instance(pod("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
                       "--model=Qwen/Qwen3-8B, --max-model-len=4096", "nvidia.com/mig-3g.40gb: 1"));
    const Sizing& sizing = instance.only();
    REQUIRE(sizing.gpus.size() == 1);
    REQUIRE(sizing.gpus[0].profile != nullptr);
    CHECK(sizing.gpus[0].profile->short_name == "3g.40gb");
    REQUIRE(sizing.estimate);
    CHECK(sizing.estimate->capacity->profile == "3g.40gb");

    Sized library(pod("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
                      "--model=Qwen/Qwen3-8B, --max-model-len=4096",
                      "nvidia.com/gpu: 1, nvidia.com/gpumem: 20480"));
    CHECK(library.only().gpus.at(0).limit == mib(20480));
    CHECK(library.only().estimate->capacity->visible_bytes == domain::exactly(mib(20480)));
  }

  TEST_CASE("the selectors of a claim name the GPU") {
    Sized sized(R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: g}
spec:
  spec:
    devices:
      requests:
        - name: gpu
          exactly:
            deviceClassName: gpu.nvidia.com
            selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA L40S'"}}]
---
apiVersion: v1
kind: Pod
spec:
  resourceClaims: [{name: g, resourceClaimTemplateName: g}]
  containers:
    - {name: a, image: "vllm/vllm-openai:v0.11.0", args: [--model, Qwen/Qwen3-8B], resources: {claims: [{name: g}]}}
)");
    const Sizing& sizing = sized.only();
    REQUIRE(sizing.gpus.size() == 1);
    CHECK(sizing.gpus[0].device->id == "l40s");
    CHECK(sizing.gpus[0].from == "the selectors of the claim");
  }

  TEST_CASE("scripts and units are sized on the GPU that the user names") {
    Sized script(
        "#!/bin/bash\nMODEL=Qwen/Qwen3-8B\ndocker run --rm --gpus '\"device=0,1\"' --shm-size 8g "
        "-p 8000:8000 \\\n  vllm/vllm-openai:v0.11.0 --model $MODEL --tensor-parallel-size 2\n",
        "run.sh", {"l40s"});
    const Sizing& sizing = script.only();
    const PodRequest& pod = script.deployment.pods[0];
    CHECK((pod.source == review::PodSource::Script));
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(pod.containers[0].mount_at("/dev/shm") != nullptr);
    REQUIRE(sizing.estimate);
    CHECK(sizing.estimate->parallelism.tensor == 2);
    CHECK(sizing.gpus.at(0).from == "--gpu");
    CHECK(pod.containers[0].engine->find("tensor")->position.line == 4);

    Sized unit(
        "[Unit]\nDescription=LLM\n[Service]\nExecStart=/usr/bin/vllm serve Qwen/Qwen3-8B \\\n"
        "  --max-model-len 4096\nRestart=always\n",
        "llm.service");
    REQUIRE(unit.deployment.pods.size() == 1);
    CHECK((unit.deployment.pods[0].source == review::PodSource::SystemdUnit));
    CHECK(unit.only().estimate->context_tokens->value == 4096);
    CHECK(unit.deployment.pods[0].containers[0].engine->find("contextTokens")->position.line == 5);
  }

  // vllm/engine/arg_utils.py, human_readable_int: "1k" 1000, "1K" 1024, "25.6k" 25600.
  TEST_CASE("numbers of flags are read as engines read them") {
    CHECK(review::engine_integer("8192") == 8192);
    CHECK(review::engine_integer("1k") == 1000);
    CHECK(review::engine_integer("1K") == 1024);
    CHECK(review::engine_integer("25.6k") == 25'600);
    CHECK(review::engine_integer("-1") == -1);
    CHECK_FALSE(review::engine_integer("auto"));
    CHECK_FALSE(review::engine_integer("1e300"));
    CHECK_FALSE(review::engine_integer(""));
  }
}
