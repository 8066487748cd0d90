// Text Generation Inference and Triton: engines that no catalog entry describes.
#include <string>

#include "support/reviewed.hpp"

using namespace gpushape;
using example::Reviewed;

namespace {

std::string launcher_pod(const std::string& args, const std::string& gpus,
                         const std::string& environment = "[]") {
  return R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: tgi}
spec:
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
      containers:
        - name: tgi
          image: ghcr.io/huggingface/text-generation-inference:2.0.3
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
          args: [)" +
         args + "]\n          env: " + environment +
         "\n          resources: {limits: {nvidia.com/gpu: " + gpus + "}}\n";
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("the launcher of text-generation-inference is read, by flags or variables") {
    const Reviewed flags(launcher_pod(
        "--model-id, meta-llama/Llama-3.1-8B-Instruct, --num-shard, \"2\", --quantize, eetq, "
        "--max-total-tokens, \"8192\"",
        "2"));
    CHECK(flags.call().engine == "text-generation-inference");
    CHECK(flags.value("tensor") == "2");
    CHECK(flags.value("contextTokens") == "8192");
    CHECK(flags.model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(flags.assumes("engine"));
    const Reviewed variables(
        launcher_pod("", "2",
                     "[{name: MODEL_ID, value: "
                     "meta-llama/Llama-3.1-8B-Instruct}, {name: NUM_SHARD, "
                     "value: \"2\"}, {name: MAX_TOTAL_TOKENS, value: \"8192\"}]"));
    CHECK(variables.value("tensor") == "2");
    CHECK(variables.model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(variables.call().model_position.line == 14);
  }

  TEST_CASE("shards are held against GPUs, and the weights against their memory") {
    const Reviewed idle(
        launcher_pod("--model-id, meta-llama/Llama-3.1-8B-Instruct, --num-shard, \"2\"", "4"));
    CHECK(idle.place_of("MF-01") == "13:64");
    // 70.6 billion weights in two bytes are 131 GiB; two L4 have 44.
    const Reviewed large(launcher_pod("--model-id=meta-llama/Llama-3.1-70B-Instruct", "2"));
    CHECK_FALSE(large.place_of("ME-01").empty());
    // Without --num-shard it takes all that it sees.
    const Reviewed spread(launcher_pod("--model-id, meta-llama/Llama-3.1-8B-Instruct", "2"));
    CHECK(spread.findings().empty());
    const Reviewed slip(
        launcher_pod("--model-id, meta-llama/Llama-3.1-8B-Instruct, --num-shards, \"2\"", "2"));
    CHECK(slip.place_of("MF-22") == "13:64");
  }

  TEST_CASE("Triton's ranks are those that its script is told") {
    const auto pod = [](const char* size) {
      return std::string(R"(apiVersion: v1
kind: Pod
metadata: {name: triton}
spec:
  hostIPC: true
  containers:
    - name: triton
      image: nvcr.io/nvidia/tritonserver:24.05-trtllm-python-py3
      command: [python3, /opt/scripts/launch_triton_server.py, --world_size=)") +
             size + ", --model_repo=/models]\n      resources: {limits: {nvidia.com/gpu: 2}}\n";
    };
    CHECK(Reviewed(pod("4")).place_of("MF-01") == "9:64");
    CHECK(Reviewed(pod("2")).findings().empty());
    CHECK(Reviewed(pod("2")).call().engine == "triton");
    // Each model of the repository has instances of its own.
    const Reviewed plain(R"(apiVersion: v1
kind: Pod
metadata: {name: triton}
spec:
  containers:
    - name: triton
      image: nvcr.io/nvidia/tritonserver:24.05-py3
      command: [tritonserver, --model-repository=/models]
      resources: {limits: {nvidia.com/gpu: 4}}
)");
    CHECK(plain.findings().empty());
    CHECK(plain.sizing().gap.contains("files of its own"));
  }

  // docs.nvidia.com/nim: the container for models of any publisher.
  TEST_CASE("a NIM that is told its layout is held against its GPUs") {
    const auto values = [](const char* gpus) {
      return std::string(R"(image: {repository: nvcr.io/nim/nvidia/llm-nim, tag: "1.12.0"}
model: {ngcAPISecret: ngc-api}
env:
  - {name: NIM_MODEL_NAME, value: "hf://meta-llama/Llama-3.1-8B-Instruct"}
  - {name: NIM_TENSOR_PARALLEL_SIZE, value: "4"}
resources: {limits: {nvidia.com/gpu: )") +
             gpus + "}}\n";
    };
    const Reviewed few(values("2"), "values.yaml");
    CHECK(few.unknown_kinds() == 0);
    CHECK(few.call().engine == "nim");
    CHECK(few.place_of("MF-01") == "5:45");
    CHECK(Reviewed(values("4"), "values.yaml").findings().empty());
    const Reviewed own(
        "image: {repository: nvcr.io/nim/meta/llama3-8b-instruct}\n"
        "resources: {limits: {nvidia.com/gpu: 1}}\n",
        "values.yaml");
    CHECK(own.pod().engine_container() == nullptr);
    CHECK(own.pod().gpu_count() == doctest::Approx(1));
    const Reviewed blueprint(R"(nim-llm:
  image: {repository: nvcr.io/nim/meta/llama-3.1-70b-instruct}
  resources: {limits: {nvidia.com/gpu: 4}}
nim-embedding:
  enabled: false
  image: {repository: nvcr.io/nim/nvidia/llama-3.2-nv-embedqa-1b-v2}
)",
                             "values.yaml");
    REQUIRE(blueprint.deployment.pods.size() == 1);
    CHECK(blueprint.pod().name == "nim-llm");
    CHECK(blueprint.pod().gpu_count() == doctest::Approx(4));
  }

  TEST_CASE("settings in a file of its own leave an engine unjudged") {
    const Reviewed read(R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}
  containers:
    - name: vllm
      image: vllm/vllm-openai:v0.11.0
      args: [--model, meta-llama/Llama-3.1-70B-Instruct, --config, /etc/vllm/config.yaml]
      resources: {limits: {nvidia.com/gpu: 8}}
)");
    CHECK(read.findings().empty());
    CHECK(read.sizing().gap.contains("--config"));
  }

  TEST_CASE("a layout or a context that is filled in later leaves an engine unsized") {
    for (const char* flags : {"--tensor-parallel-size, $(TP)", "--max-model-len, '{{ .context }}'",
                              "--max-model-len=auto"}) {
      CAPTURE(flags);
      const Reviewed read(
          std::string("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                      "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}\n"
                      "  containers:\n    - name: v\n"
                      "      image: vllm/vllm-openai:v0.11.0\n      args: [--model, "
                      "meta-llama/Llama-3.1-8B-Instruct, ") +
          flags + "]\n      resources: {limits: {nvidia.com/gpu: 1}}\n");
      CHECK(read.place_of("ME-01").empty());
      CHECK(read.sizing().gap.contains("filled in later"));
    }
  }

  TEST_CASE("an image of vllm by another publisher starts it where its words are flags alone") {
    const auto pod = [](const char* args) {
      return std::string(
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
                 "    - name: c\n      image: quay.io/modh/vllm:rhoai-2.20-cuda\n"
                 "      args: [") +
             args + "]\n";
    };
    CHECK(Reviewed(pod("--model=Qwen/Qwen3-8B, --port=8080")).model() == "Qwen/Qwen3-8B");
    CHECK(Reviewed(pod("--port=8080")).pod().engine_container() == nullptr);
    CHECK(Reviewed(pod("serve.py, --model=Qwen/Qwen3-8B")).pod().engine_container() == nullptr);
  }
}
