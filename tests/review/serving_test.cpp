// Serving kinds, charts, compose files and machines: what they ask for, in the words of the engine.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "profiles/profiles.hpp"
#include "review/deployment.hpp"

using namespace gpushape;
using review::GrantKind;
using review::PodRequest;

namespace {

namespace fs = std::filesystem;

struct ServingReading {
  std::vector<domain::Device> devices = profiles::Profiles::open().value().all().value();
  std::vector<document::Document> documents;
  review::ReviewRequest request;
  review::Deployment deployment;

  explicit ServingReading(const std::string& text, const char* file = "values.yaml") {
    auto read = document::read_any(text, file);
    REQUIRE(read);
    documents = std::move(*read);
    request.documents = documents;
    request.devices = devices;
    deployment = review::read_deployment(request);
  }
};

std::string command_of(const PodRequest& pod) {
  std::string text;
  for (const review::Container& container : pod.containers) {
    for (const review::Command& command : container.commands) {
      for (const review::Word& word : command) text += (text.empty() ? "" : " ") + word.text;
    }
  }
  return text;
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("an LLMInferenceService starts vllm with its fields and its variable") {
    const ServingReading read(R"(apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: llama, namespace: ai}
spec:
  model: {uri: hf://meta-llama/Llama-3.1-8B-Instruct, name: llama}
  replicas: 2
  parallelism: {tensor: 2}
  template:
    containers:
      - name: main
        env: [{name: VLLM_ADDITIONAL_ARGS, value: "--max-model-len=32768 --enforce-eager"}]
        resources: {limits: {nvidia.com/gpu: "2"}}
)");
    REQUIRE(read.deployment.pods.size() == 1);
    const PodRequest& pod = read.deployment.pods[0];
    CHECK(pod.replicas == 2);
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(command_of(pod) ==
          "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size=2 "
          "--max-model-len=32768 --enforce-eager");
    const review::Command& words = pod.containers[0].commands[0];
    CHECK(words[3].is_field);
    CHECK(words[3].position.line == 7);
    CHECK_FALSE(words[4].is_field);
    CHECK(words[5].position.line == 11);
    CHECK(pod.containers[0].mount_at("/dev/shm") != nullptr);  // the preset's
  }

  TEST_CASE("an InferenceService of the Hugging Face runtime serves its storage address") {
    const ServingReading read(R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: q}
spec:
  predictor:
    minReplicas: 1
    nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}
    model:
      modelFormat: {name: huggingface}
      storageUri: hf://Qwen/Qwen3-8B
      args: [--max-model-len=4096]
      resources: {limits: {nvidia.com/gpu: 1}}
)");
    REQUIRE(read.deployment.pods.size() == 1);
    CHECK(command_of(read.deployment.pods[0]) ==
          "huggingfaceserver Qwen/Qwen3-8B --max-model-len=4096");
    REQUIRE(read.deployment.pods[0].engine_container() != nullptr);
    const review::EngineCall& call = *read.deployment.pods[0].engine_container()->engine;
    CHECK(call.engine == "vllm");
    CHECK(call.model == "Qwen/Qwen3-8B");
    CHECK(call.is_wrapped);
    CHECK(read.deployment.pods[0].gpu_count() == doctest::Approx(1));
    CHECK(read.deployment.pods[0].node_selector.size() == 1);
  }

  // kserve/website docs, llmisvc-autoscaling-examples; kserve/kserve samples e2e-gpt-oss.
  TEST_CASE("KServe's mounted model has the name that it came under") {
    const ServingReading read(R"(apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: a}
spec:
  model: {uri: hf://Qwen/Qwen3-8B, name: q}
  template:
    containers:
      - {name: main, args: [--model, /mnt/models]}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: b}
spec:
  model: {uri: pvc://weights, name: openai/gpt-oss-20b}
)");
    REQUIRE(read.deployment.pods.size() == 2);
    CHECK(command_of(read.deployment.pods[0]) == "vllm serve Qwen/Qwen3-8B --model Qwen/Qwen3-8B");
    CHECK(command_of(read.deployment.pods[1]) == "vllm serve openai/gpt-oss-20b");
  }

  // kserve/website docs, embedding and fill-mask of the Hugging Face runtime.
  TEST_CASE("what KServe runs with transformers starts no engine that we know") {
    for (const char* args : {"[--backend=huggingface]", "[--backend, huggingface]",
                             "[--task=fill_mask]", "[--task, token_classification]"}) {
      CAPTURE(args);
      const ServingReading read(std::string(R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: q}
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      storageUri: hf://Qwen/Qwen3-8B
      args: )") + args + "\n");
      REQUIRE(read.deployment.pods.size() == 1);
      CHECK(read.deployment.pods[0].engine_container() == nullptr);
    }
  }

  // KubeRay's pods start Ray, whatever their image would start.
  TEST_CASE("an image of vllm in a Ray group starts no server") {
    const ServingReading read(R"(apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: r}
spec:
  headGroupSpec:
    template:
      spec:
        containers: [{name: head, image: "vllm/vllm-openai:v0.11.0"}]
)");
    REQUIRE(read.deployment.pods.size() == 1);
    CHECK(read.deployment.pods[0].engine_container() == nullptr);
  }

  TEST_CASE("a NIMService's own claims are claims like any other") {
    const ServingReading read(R"(apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata: {name: llama, namespace: ai}
spec:
  image: {repository: nvcr.io/nim/meta/llama-3.1-8b-instruct, tag: "1.12.0"}
  replicas: 3
  draResources:
    - claimCreationSpec:
        devices:
          - {name: gpu, count: 2, deviceClassName: gpu.nvidia.com, celExpressions: ["true"]}
)");
    REQUIRE(read.deployment.pods.size() == 1);
    const PodRequest& pod = read.deployment.pods[0];
    CHECK(pod.containers[0].image->value == "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.12.0");
    REQUIRE(pod.gpus.size() == 1);
    CHECK((pod.gpus[0].kind == GrantKind::Claim));
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(pod.gpus[0].request->selectors.size() == 1);
    CHECK(pod.replicas == 3);
  }

  TEST_CASE("Dynamo's components and services are parts of their own") {
    const ServingReading read(R"(apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  backendFramework: sglang
  components:
    - {name: F, type: frontend, podTemplate: {spec: {containers: [{name: main, image: i}]}}}
    - name: D
      type: decode
      replicas: 2
      multinode: {nodeCount: 2}
      sharedMemorySize: 16Gi
      podTemplate:
        spec:
          containers:
            - {name: main, image: i, args: [--model-path, m], resources: {limits: {nvidia.com/gpu: 8}}}
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: old}
spec:
  services:
    W:
      componentType: worker
      resources: {limits: {gpu: "1"}}
      extraPodSpec: {mainContainer: {image: i, command: [python3, -m, dynamo.vllm], args: [--model, m]}}
)");
    REQUIRE(read.deployment.pods.size() == 3);
    const PodRequest& decode = read.deployment.pods[1];
    CHECK(decode.title() == "DynamoGraphDeployment g (D)");
    CHECK(decode.pods_per_replica == 2);
    CHECK(command_of(decode) == "python3 -m sglang.launch_server --model-path m");
    const review::Volume* shm = decode.volume(decode.containers[0].mount_at("/dev/shm")->volume);
    CHECK(shm->limit_bytes->value == doctest::Approx(17179869184.0));
    CHECK(read.deployment.pods[0].containers[0].mounts.empty());  // a front end has no model
    CHECK(read.deployment.pods[2].gpu_count() == doctest::Approx(1));
    CHECK(command_of(read.deployment.pods[2]) == "python3 -m dynamo.vllm --model m");
  }

  TEST_CASE("values of production-stack: fields become flags, and /dev/shm hangs on one of them") {
    const char* values = R"(servingEngineSpec:
  modelSpec:
    - name: a
      repository: vllm/vllm-openai
      tag: v0.15.0
      modelURL: Qwen/Qwen3-8B
      replicaCount: 2
      requestGPU: 2
      shmSize: 16Gi
      vllmConfig:
        maxModelLen: 4096
        tensorParallelSize: 2
        extraArgs: [--max-num-seqs, "8"]
    - {name: b, modelURL: m, requestGPU: 1, shmSize: 16Gi, vllmConfig: {extraArgs: [-tp, "2"]}}
)";
    const ServingReading read(values);
    REQUIRE(read.deployment.pods.size() == 2);
    const PodRequest& pod = read.deployment.pods[0];
    CHECK(pod.title() == "vLLM production-stack values a");
    CHECK(pod.place().position().line == 3);
    CHECK(command_of(pod) ==
          "vllm serve Qwen/Qwen3-8B --max-model-len=4096 --tensor-parallel-size=2 "
          "--max-num-seqs 8");
    CHECK(pod.containers[0].image->value == "vllm/vllm-openai:v0.15.0");
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(pod.containers[0].mount_at("/dev/shm") != nullptr);
    CHECK(read.deployment.pods[1].containers[0].mount_at("/dev/shm") == nullptr);
  }

  TEST_CASE("values of llm-d: the chart asks for tensor times local data parallel") {
    const ServingReading read(R"(modelArtifacts: {uri: "hf://Qwen/Qwen3-8B", name: q}
decode:
  replicas: 2
  parallelism: {tensor: 4, dataLocal: 2}
  containers: [{name: vllm, image: i, modelCommand: vllmServe, args: [--max-model-len, "4096"]}]
prefill: {create: false}
)");
    REQUIRE(read.deployment.pods.size() == 1);
    const PodRequest& pod = read.deployment.pods[0];
    CHECK(pod.gpu_count() == doctest::Approx(8));
    CHECK(pod.gpus[0].node->position().line == 4);
    CHECK(command_of(pod) ==
          "vllm serve Qwen/Qwen3-8B --tensor-parallel-size=4 --data-parallel-size-local=2 "
          "--max-model-len 4096");
  }

  TEST_CASE("a compose service asks for GPUs of its machine") {
    const ServingReading read(R"(services:
  llm:
    image: vllm/vllm-openai:v0.15.0
    command: --model Qwen/Qwen3-8B --max-model-len ${LEN:-4096}
    shm_size: 16gb
    environment: [HF_HOME=/models, HF_TOKEN]
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}}
  web: {image: nginx}
)");
    REQUIRE(read.deployment.pods.size() == 2);
    const PodRequest& pod = read.deployment.pods[0];
    CHECK(pod.title() == "service llm");
    CHECK(command_of(pod) == "--model Qwen/Qwen3-8B --max-model-len 4096");
    REQUIRE(pod.gpus.size() == 1);
    CHECK((pod.gpus[0].kind == GrantKind::HostDevice));
    CHECK(pod.gpu_count() == doctest::Approx(2));
    CHECK(pod.containers[0].variable("HF_HOME")->value == "/models");
    CHECK(pod.containers[0].variable("HF_TOKEN")->is_reference);
    CHECK(pod.volumes[0].limit_bytes->value == doctest::Approx(17179869184.0));
    CHECK(read.deployment.pods[1].gpus.empty());
  }

  TEST_CASE("a tenant's cluster, an operator's values and a driver's are known by their shape") {
    CHECK(ServingReading("privateNodes: {enabled: true, autoNodes: [{provider: p}]}\n")
              .deployment.virtual_clusters.at(0)
              .private_nodes->value);
    const ServingReading policy(
        "mig: {strategy: single}\ndevicePlugin: {enabled: true, config: {default: a}}\n"
        "toolkit: {enabled: true}\n");
    CHECK(policy.deployment.operator_policies.at(0).mig_strategy->value == "single");
    CHECK(policy.deployment.operator_policies.at(0).plugin_config == "a");
    const ServingReading driver(
        "nvidiaDriverRoot: /\nresources: {gpus: {enabled: true}}\nfeatureGates: {MPSSupport: "
        "true}\n");
    CHECK(driver.deployment.dra_drivers.at(0).gates.at(0).value == "true");
  }

  // Fields: vim25 VirtualMachineConfigInfo, as `govc vm.info -json` prints it.
  TEST_CASE("an exported VM is read like the class it came from") {
    const ServingReading read(R"({"virtualMachines": [{"name": "llm-1", "config": {
      "name": "llm-1", "firmware": "bios", "memoryReservationLockedToMax": false,
      "hardware": {"numCPU": 16, "memoryMB": 65536, "numCoresPerSocket": 8, "device": [
        {"_typeName": "VirtualE1000"},
        {"_typeName": "VirtualPCIPassthrough", "backing": {"vgpu": "nvidia_l40s-48c"}}]},
      "extraConfig": [{"key": "pciPassthru.use64bitMMIO", "value": "TRUE"}]}}]})",
                              "vm.json");
    REQUIRE(read.deployment.vm_classes.size() == 1);
    const review::VmClass& vm = read.deployment.vm_classes[0];
    CHECK(review::title_of(vm) == "VM 'llm-1'");
    CHECK(vm.cpus->value == 16);
    CHECK(vm.memory_bytes->value == doctest::Approx(68719476736.0));
    REQUIRE(vm.devices.size() == 1);
    REQUIRE(vm.devices[0].product != nullptr);
    CHECK(vm.devices[0].product->id == "l40s");
    CHECK(vm.firmware->value == "bios");
    CHECK(vm.option("pciPassthru.use64bitMMIO")->value == "TRUE");
  }

  TEST_CASE("every manifest that gpushape writes has a reader") {
    int documents = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/emit")) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.starts_with("terraform")) continue;
      CAPTURE(entry.path().string());
      const ServingReading read(document::read_file(entry.path().string()).value());
      for (const review::Object& object : read.deployment.objects) {
        CAPTURE(object.kind);
        CHECK(object.has_reader);
        ++documents;
      }
    }
    CHECK(documents >= 40);
  }
}
