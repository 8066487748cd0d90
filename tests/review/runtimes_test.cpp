// Serving runtimes: what an InferenceService of KServe or OME is filled in with.
#include <string>

#include "support/reviewed.hpp"

using namespace gpushape;
using example::Reviewed;

namespace {

constexpr const char* kRuntime = R"(apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: vllm-runtime}
spec:
  supportedModelFormats: [{name: vLLM, autoSelect: true}]
  containers:
    - name: kserve-container
      image: quay.io/modh/vllm:rhoai-2.20-cuda
      command: [python, -m, vllm.entrypoints.openai.api_server]
      args: [--port=8080, --model=/mnt/models, "--served-model-name={{.Name}}"]
      env: [{name: HF_HOME, value: /tmp}]
      resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}
      volumeMounts: [{name: shm, mountPath: /dev/shm}]
  volumes: [{name: shm, emptyDir: {medium: Memory}}]
)";

std::string service_with(const std::string& model) {
  return R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    minReplicas: 2
    nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}
    model:
)" + model;
}

constexpr const char* kServed = R"(      modelFormat: {name: vLLM}
      runtime: vllm-runtime
      storageUri: hf://meta-llama/Llama-3.1-8B-Instruct
      args: [--max-model-len=8192, --tensor-parallel-size=2]
      resources: {limits: {cpu: 8, nvidia.com/gpu: 4}}
)";

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("an InferenceService runs the container of the runtime that it names") {
    const Reviewed read(service_with(kServed) + "---\n" + kRuntime);
    REQUIRE(read.deployment.pods.size() == 1);  // the runtime is no workload of its own
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.pod().replicas == 2);
    CHECK(read.pod().gpu_count() == doctest::Approx(4));
    CHECK(read.call().engine == "vllm");
    CHECK(read.model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(read.value("contextTokens") == "8192");
    CHECK(read.value("servedName") == "llama");
    const review::Container& container = *read.pod().engine_container();
    CHECK(container.variable("HF_HOME") != nullptr);
    CHECK(container.mount_at("/dev/shm") != nullptr);
    CHECK(*container.limit("cpu")->amount == doctest::Approx(8));  // the service's own
    CHECK(read.place_of("MF-01") == "12:36");
    CHECK(read.findings() == std::vector<std::string>{"MF-01 12:36", "MG-04 12:59"});
  }

  TEST_CASE("what a service says again counts in place of its runtime's") {
    const Reviewed read(service_with(R"(      modelFormat: {name: vLLM}
      runtime: vllm-runtime
      args: [--served-model-name, chat, --model=Qwen/Qwen3-8B]
)") + "---\n" + kRuntime);
    CHECK(read.value("servedName") == "chat");
    CHECK(read.model() == "Qwen/Qwen3-8B");
    CHECK(read.place_of("MF-11").empty());
  }

  TEST_CASE("a runtime in another file is told at the field that names it") {
    Reviewed read(std::string(kRuntime), "runtime.yaml");
    CHECK(read.pod().replicas == 0);  // by itself it is a template
    CHECK(read.pod().is_template);
    read.add(service_with(kServed), "service.yaml");
    REQUIRE(read.deployment.pods.size() == 1);
    CHECK(read.call().position.line == 10);
    CHECK(read.call().find("contextTokens")->position.line == 12);
  }

  TEST_CASE("a format chooses the only runtime that takes it, and no runtime of another") {
    CHECK(Reviewed(service_with("      modelFormat: {name: vLLM}\n      storageUri: "
                                "s3://models/Llama-3.1-8B-Instruct/\n") +
                   "---\n" + kRuntime)
              .model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(Reviewed(service_with("      modelFormat: {name: vLLM}\n      storage: {key: "
                                "aws-connection, path: llm/Qwen3-8B}\n") +
                   "---\n" + kRuntime)
              .model() == "Qwen/Qwen3-8B");
    const Reviewed other(service_with("      modelFormat: {name: sklearn}\n") + "---\n" + kRuntime);
    CHECK(other.deployment.pods.size() == 2);
    CHECK(other.pod(0).engine_container() == nullptr);
  }

  // kserve/kserve config/runtimes/kserve-huggingfaceserver-multinode.yaml.
  TEST_CASE("a workerSpec spreads a model over the pods that its ranks take") {
    const std::string service = R"(      modelFormat: {name: huggingface}
      storageUri: pvc://llama-pvc/hf/Llama-3.3-70B-Instruct
    workerSpec:
      pipelineParallelSize: 2
      tensorParallelSize: 4
)";
    const std::string workers = R"(      containers:
        - {name: worker-container, resources: {requests: {nvidia.com/gpu: 4}}}
)";
    const Reviewed built_in(service_with(service));
    CHECK(built_in.pod().pods_per_replica == 8);  // of one GPU each: nobody says otherwise
    CHECK(built_in.pod().gpu_count() == doctest::Approx(1));
    CHECK(built_in.value("tensor") == "4");
    CHECK(built_in.value("pipeline") == "2");
    CHECK(built_in.place_of("MF-01").empty());
    const Reviewed scripted(service_with(service + workers) + R"(---
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: multinode}
spec:
  supportedModelFormats: [{name: huggingface, autoSelect: true}]
  containers:
    - name: kserve-container
      image: kserve/huggingfaceserver:v0.15.0-gpu
      command: [bash, -c]
      args:
        - |
          ray start --head
          python -m huggingfaceserver --model-id=/mnt/models --tensor-parallel-size=${TENSOR_PARALLEL_SIZE} --pipeline-parallel-size=${PIPELINE_PARALLEL_SIZE}
  workerSpec: {pipelineParallelSize: 1, tensorParallelSize: 1}
)");
    CHECK(scripted.pod().pods_per_replica == 2);
    CHECK(scripted.pod().gpu_count() == doctest::Approx(4));
    CHECK(scripted.value("tensor") == "4");
    CHECK(scripted.value("pipeline") == "2");
    CHECK(scripted.model() == "meta-llama/Llama-3.3-70B-Instruct");
    CHECK(scripted.assumes("model"));
    CHECK(scripted.place_of("MF-01").empty());
  }

  TEST_CASE("the Hugging Face server takes its model by flag as well") {
    const Reviewed read(service_with(R"(      modelFormat: {name: huggingface}
      args: [--model_name=llama3, --model_id=meta-llama/Llama-3.1-70B-Instruct]
      resources: {limits: {nvidia.com/gpu: 1}}
)"));
    CHECK(read.model() == "meta-llama/Llama-3.1-70B-Instruct");
    CHECK_FALSE(read.place_of("ME-01").empty());
  }

  TEST_CASE("a template of OpenShift holds runtimes like any other list") {
    const Reviewed read(R"(apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: t}
objects:
  - apiVersion: serving.kserve.io/v1alpha1
    kind: ServingRuntime
    metadata: {name: r}
    spec:
      containers:
        - name: kserve-container
          image: quay.io/modh/vllm:x
          command: [python, -m, vllm.entrypoints.openai.api_server]
          args: [--tensor-parallel-size=4, --gpu-memory-utilisation=0.9]
          resources: {limits: {nvidia.com/gpu: 2}}
)");
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.place_of("MF-01") == "13:18");
    CHECK(read.place_of("MF-22") == "13:44");
  }

  // sgl-project/ome config/runtimes and config/models.
  TEST_CASE("an OME service runs its runtime's runner with the base model that it names") {
    const Reviewed read(R"(apiVersion: ome.io/v1beta1
kind: ClusterBaseModel
metadata: {name: qwen3-8b}
spec: {storage: {storageUri: "hf://Qwen/Qwen3-8B"}}
---
apiVersion: ome.io/v1beta1
kind: ClusterServingRuntime
metadata: {name: srt-qwen3-8b}
spec:
  engineConfig:
    volumes: [{name: dshm, emptyDir: {medium: Memory}}]
    runner:
      name: ome-container
      image: docker.io/lmsysorg/sglang:v0.5.5
      command: [python3, -m, sglang.launch_server, --model-path, $(MODEL_PATH), --tp-size, "4"]
      volumeMounts: [{name: dshm, mountPath: /dev/shm}]
      resources: {limits: {nvidia.com/gpu: 2}}
---
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: {name: qwen, namespace: q}
spec:
  model: {name: qwen3-8b}
  engine: {minReplicas: 3}
  runtime: {name: srt-qwen3-8b}
)");
    CHECK(read.unknown_kinds() == 0);
    REQUIRE(read.deployment.pods.size() == 1);
    CHECK(read.pod().replicas == 3);
    CHECK(read.call().engine == "sglang");
    CHECK(read.model() == "Qwen/Qwen3-8B");
    CHECK(read.place_of("MF-01") == "15:81");
  }

  // kserve/kserve docs/samples/llmisvc/lora-adapters: vLLM's back end for the CPU.
  TEST_CASE("an engine without a GPU has no processes counted for one") {
    const auto service = [](const char* gpu) {
      return std::string(R"(apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: a}
spec:
  model: {uri: hf://Qwen/Qwen2.5-0.5B-Instruct, name: q}
  template:
    containers:
      - name: main
        resources: {limits: {cpu: 2)") +
             gpu + "}}\n";
    };
    CHECK(Reviewed(service("")).place_of("VC-17").empty());
    CHECK_FALSE(Reviewed(service(", nvidia.com/gpu: 1")).place_of("VC-17").empty());
  }

  TEST_CASE("hostile runtimes and services are read as what they are") {
    for (
        const char* text : {
            "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nspec: nothing\n",
            "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nspec: {containers: x}\n",
            "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: "
            "{model: "
            "[1], workerSpec: 7}}\n",
            "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: "
            "{minReplicas: 9223372036854775807, model: {runtime: {a: b}}, workerSpec: "
            "{tensorParallelSize: 9223372036854775807, pipelineParallelSize: -1}}}\n",
            "apiVersion: ome.io/v1beta1\nkind: InferenceService\nspec: {model: 3, engine: [], "
            "runtime: no}\n",
            "apiVersion: ome.io/v1beta1\nkind: ClusterServingRuntime\nspec: {engineConfig: "
            "{leader: x, "
            "worker: {size: -9223372036854775807, runner: []}}}\n",
            "apiVersion: kubeai.org/v1\nkind: Model\nspec: {url: [], engine: 3, args: {a: b}, "
            "resourceProfile: 'nvidia-gpu-l4:99999999999999999999'}\n",
            "apiVersion: orchestration.aibrix.ai/v1alpha1\nkind: StormService\nspec: {replicas: "
            "9223372036854775807, template: {spec: {roles: [{replicas: 9223372036854775807, "
            "podGroupSize: 9223372036854775807, template: 1}, x]}}}\n",
            "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications: "
            "[{args: {llm_configs: [x, {engine_kwargs: {tensor_parallel_size: "
            "-9223372036854775807}, model_loading_config: {model_source: {bucket_uri: [x]}}}]}}]\n",
            "resources: {accelerators: [[], {}]}\nrun: vllm serve Qwen/Qwen3-8B\n",
            "resources: {accelerators: {H100: 99999999999}}\nnum_nodes: -9\nrun: vllm serve a/b\n",
            "type: service\ncommands: [1, [], 'vllm serve a/b']\nresources: {gpu: [x]}\n",
            "ollama: {gpu: {enabled: yes, number: -3}, models: {pull: {a: b}, run: [[x]]}}\n",
            "image: {repository: nvcr.io/nim/x}\nenv: x\nresources: {limits: 3}\nreplicaCount: "
            "-9223372036854775807\n",
        }) {
      CAPTURE(text);
      const Reviewed read(text, "values.yaml");
      CHECK(read.findings().size() < 100);
    }
  }
}
