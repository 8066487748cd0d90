// Models served through other schedulers: KubeAI, Ray Serve, AIBrix, SkyPilot, dstack.
#include <string>

#include "support/reviewed.hpp"

using namespace gpushape;
using example::Reviewed;

namespace {

std::string kubeai_model(const std::string& profile, const std::string& args) {
  return R"(apiVersion: kubeai.org/v1
kind: Model
metadata: {name: llama}
spec:
  url: hf://meta-llama/Llama-3.1-70B-Instruct
  engine: VLLM
  args: [)" +
         args + "]\n  resourceProfile: " + profile + "\n";
}

std::string ray_service(const std::string& tensor, const std::string& gpus) {
  return R"(apiVersion: ray.io/v1
kind: RayService
metadata: {name: llm}
spec:
  serveConfigV2: |
    applications:
      - name: llms
        import_path: ray.serve.llm:build_openai_app
        args:
          llm_configs:
            - model_loading_config: {model_id: qwen, model_source: Qwen/Qwen2.5-7B-Instruct}
              accelerator_type: L4
              engine_kwargs:
                tensor_parallel_size: )" +
         tensor + R"(
                max_model_len: 8192
  rayClusterConfig:
    headGroupSpec: {template: {spec: {containers: [{name: h, image: rayproject/ray-llm:2.52.0}]}}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 1
        template:
          spec:
            containers:
              - name: w
                image: rayproject/ray-llm:2.52.0
                resources: {limits: {nvidia.com/gpu: )" +
         gpus + "}}\n";
}

std::string sky_task(const std::string& accelerators, const std::string& command) {
  return "name: serve\nresources: {accelerators: " + accelerators +
         "}\nenvs: {MODEL: meta-llama/Llama-3.1-8B-Instruct}\nsetup: pip install vllm==0.6.3\n"
         "run: |\n  echo start\n  " +
         command + "\n";
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("a Model of KubeAI asks for as many GPUs as its profile counts") {
    const Reviewed read(
        kubeai_model("nvidia-gpu-h100:2", "--tensor-parallel-size=4, --max-model-len=8192"));
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.pod().gpu_count() == doctest::Approx(2));
    CHECK(read.model() == "meta-llama/Llama-3.1-70B-Instruct");
    CHECK(read.sizing().gpus.front().device->id == "h100-sxm-80");
    CHECK(read.place_of("MF-01") == "7:10");
    CHECK(Reviewed(
              kubeai_model("nvidia-gpu-h100:4", "--tensor-parallel-size=4, --max-model-len=8192"))
              .findings()
              .empty());
    // What another profile holds is not in sight.
    const Reviewed own(kubeai_model("my-gpus:1", "--tensor-parallel-size=4"));
    CHECK(own.pod().gpus.empty());
    CHECK(own.findings().empty());
    const Reviewed ollama(R"(apiVersion: kubeai.org/v1
kind: Model
metadata: {name: m}
spec: {url: "ollama://llama3.3:70b", engine: OLlama, resourceProfile: "nvidia-gpu-l4:1"}
)");
    CHECK(ollama.model() == "meta-llama/Llama-3.3-70B-Instruct");
    CHECK(ollama.place_of("ME-01") == "4:13");
  }

  // ray-project/kuberay ray-operator/config/samples/ray-service.llm-serve.yaml.
  TEST_CASE("a model of Ray Serve is held against the GPUs of the workers") {
    const Reviewed wide(ray_service("4", "2"));
    REQUIRE(wide.deployment.pods.size() == 3);
    CHECK(wide.pod(2).title() == "RayService llm (qwen)");
    CHECK(wide.pod(2).replicas == 0);  // the workers ask for the GPUs
    CHECK(wide.call(2).engine == "vllm");
    CHECK(wide.value("contextTokens", 2) == "8192");
    CHECK(wide.model(2) == "Qwen/Qwen2.5-7B-Instruct");
    CHECK(wide.sizing(2).gpus.front().device->id == "l4");
    CHECK(wide.place_of("MF-01") == "14:39");
    CHECK(Reviewed(ray_service("1", "4")).findings().empty());
  }

  // vllm-project/aibrix samples/disaggregation.
  TEST_CASE("the roles of a StormService are pods") {
    const Reviewed read(R"(apiVersion: orchestration.aibrix.ai/v1alpha1
kind: StormService
metadata: {name: s}
spec:
  replicas: 2
  template:
    spec:
      roles:
        - name: prefill
          replicas: 3
          template:
            spec:
              containers:
                - name: p
                  image: aibrix/sglang:v0.4.9
                  command: [python3, -m, sglang.launch_server, --model-path, /models/Qwen2.5-7B-Instruct, --tp, "2"]
                  resources: {limits: {nvidia.com/gpu: 1}}
)");
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.pod().title() == "StormService s (prefill)");
    CHECK(read.pod().replicas == 6);
    CHECK(read.model() == "Qwen/Qwen2.5-7B-Instruct");
    CHECK(read.assumes("model"));
  }

  // SkyPilot docs/source/reference/yaml-spec.rst.
  TEST_CASE("a task of SkyPilot starts its engine on the accelerators of one machine") {
    const Reviewed read(sky_task("\"L4:4\"",
                                 "vllm serve $MODEL --tensor-parallel-size "
                                 "$SKYPILOT_NUM_GPUS_PER_NODE --disable-log-requests"),
                        "serve.yaml");
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.value("tensor") == "4");
    CHECK(read.model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(domain::to_text(*read.call().version) == "0.6.3");
    CHECK(read.sizing().gpus.front().device->id == "l4");
    CHECK(read.place_of("MF-01").empty());
    CHECK(read.place_of("MF-22").empty());  // 0.6.3 knew the flag
    const Reviewed few(sky_task("{L4: 2}", "vllm serve $MODEL --tensor-parallel-size 4"),
                       "serve.yaml");
    CHECK(few.place_of("MF-01") == "7:21");
  }

  TEST_CASE("accelerators of which any will do are no count where they differ") {
    const Reviewed any(
        sky_task("{L4:8, A10g:8, A100-80GB:8}", "vllm serve $MODEL --tensor-parallel-size 8"),
        "serve.yaml");
    CHECK(any.pod().gpu_count() == doctest::Approx(8));
    CHECK(any.sizing().gpus.size() == 3);
    const Reviewed mixed(sky_task("{L4:8, A100-80GB:2}",
                                  "vllm serve $MODEL --tensor-parallel-size "
                                  "$SKYPILOT_NUM_GPUS_PER_NODE"),
                         "serve.yaml");
    CHECK(mixed.pod().gpus.empty());
    CHECK(mixed.findings().empty());
    const Reviewed nodes(
        "num_nodes: 2\n" + sky_task("\"H100:8\"", "vllm serve $MODEL --tensor-parallel-size 4"),
        "serve.yaml");
    CHECK(nodes.place_of("MF-01").empty());
  }

  TEST_CASE("a service of dstack runs its commands on the GPUs that it asks for") {
    for (const char* gpu : {"\"H100:2\"", "{name: H100, count: 2}", "\"80GB:H100:2\""}) {
      CAPTURE(gpu);
      const Reviewed read(
          std::string("type: service\nname: s\ncommands:\n  - pip install vllm\n  - "
                      "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 4\n"
                      "resources: {gpu: ") +
              gpu + "}\n",
          "task.yaml");
      CHECK(read.unknown_kinds() == 0);
      CHECK(read.sizing().gpus.front().device->id == "h100-sxm-80");
      CHECK(read.place_of("MF-01") == "5:30");
    }
  }
}
