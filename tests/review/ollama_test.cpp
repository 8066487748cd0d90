// Ollama: who serves, which model, how much of it.
#include "review/ollama.hpp"

#include <string>

#include "catalog/ollama_library.hpp"
#include "support/reviewed.hpp"

using namespace gpushape;
using example::Reviewed;

namespace {

/// A pod on an L4 whose container is the given lines of YAML.
std::string ollama_pod(const std::string& lines) {
  return R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: ollama}
spec:
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}
      containers:
        - name: ollama
          image: ollama/ollama:0.11.0
)" + lines +
         "          resources: {limits: {nvidia.com/gpu: 1}}\n";
}

/// llama-server on L4s.
std::string llama_cpp_pod(const std::string& arguments, int gpus = 1) {
  return R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}
  containers:
    - name: server
      image: ghcr.io/ggml-org/llama.cpp:server-cuda
      args: [)" +
         arguments + "]\n      resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) +
         "}}\n";
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("Ollama serves what a hook pulls, by its library's name, as its variables say") {
    const Reviewed read(ollama_pod(R"(          env:
            - {name: OLLAMA_CONTEXT_LENGTH, value: "8192"}
            - {name: OLLAMA_NUM_PARALLEL, value: "2"}
            - {name: OLLAMA_KV_CACHE_TYPE, value: q8_0}
          lifecycle:
            postStart:
              exec:
                command: ["/bin/sh", "-c", "sleep 5; ollama pull llama3.1:8b"]
)"));
    CHECK(read.call().engine == "ollama");
    CHECK(domain::to_text(*read.call().version) == "0.11");
    CHECK(read.call().model == "llama3.1:8b");
    CHECK(read.value("contextTokens") == "8192");
    CHECK(read.value("maxNumSeqs") == "2");
    CHECK(read.model() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(read.assumes("model"));
    CHECK(read.assumes("quantization"));
    // ollama.com/library/llama3.1:8b: 4.9 GB, of which 0.3 stay with the CPU.
    REQUIRE(read.sizing().estimate);
    CHECK(domain::part_bytes(*read.sizing().estimate, domain::Part::Weights).expected.gib() ==
          doctest::Approx(4.3).epsilon(0.02));
    CHECK(read.findings().empty());
  }

  TEST_CASE("a model that the GPU does not hold is told, where it is pulled") {
    const Reviewed read(ollama_pod(R"(          command: [sh, -c]
          args:
            - |
              ollama serve &
              ollama run llama3.3:70b
              wait
)"));
    CHECK(read.model() == "meta-llama/Llama-3.3-70B-Instruct");
    CHECK(read.place_of("ME-01") == "15:26");
    CHECK(read.findings().size() == 1);  // it starts all the same
  }

  TEST_CASE("the model is named by an entrypoint's words, a request, or a container in front") {
    for (const char* lines : {
             "          args: [serve]\n          lifecycle: {postStart: {exec: {command: [ollama, "
             "run, "
             "'qwen2.5:7b']}}}\n",
             "          lifecycle:\n            postStart:\n              exec:\n                "
             "command: [sh, -c, 'curl localhost:11434/api/pull -d ''{\"name\": "
             "\"qwen2.5:7b\"}''']\n",
         }) {
      CAPTURE(lines);
      const Reviewed read(ollama_pod(lines));
      CHECK(read.model() == "Qwen/Qwen2.5-7B-Instruct");
    }
    const Reviewed init(R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  initContainers:
    - name: pull
      image: ollama/ollama
      command: [sh, -c, "ollama serve & sleep 3; ollama pull qwen2.5:7b"]
  containers:
    - {name: ollama, image: ollama/ollama}
)");
    CHECK(init.pod().engine_container()->name == "ollama");
    CHECK(init.model() == "Qwen/Qwen2.5-7B-Instruct");
  }

  TEST_CASE("a compose file's only Ollama serves what a service beside it pulls") {
    const Reviewed read(R"(services:
  ollama:
    image: ollama/ollama:0.5.7
    gpus: all
  pull:
    image: ollama/ollama
    entrypoint: [sh, -c, "ollama pull gemma2:9b"]
)",
                        "compose.yaml");
    CHECK(read.call().model == "gemma2:9b");
    CHECK(read.pod(1).engine_container() == nullptr);
  }

  TEST_CASE("who only pulls from elsewhere is no server, and a loop's variable is no model") {
    const Reviewed read(R"(apiVersion: batch/v1
kind: Job
metadata: {name: loader}
spec:
  template:
    spec:
      containers:
        - name: pull
          image: ollama/ollama
          command: [sh, -c, "for m in a b; do ollama pull $m; done"]
)");
    CHECK(read.pod().engine_container() == nullptr);
    const Reviewed loop(ollama_pod(
        "          lifecycle: {postStart: {exec: {command: [sh, -c, 'ollama pull $MODEL']}}}\n"));
    CHECK(loop.call().model.empty());
    CHECK_FALSE(loop.sizing().gap.empty());
  }

  // otwld/ollama-helm values.yaml.
  TEST_CASE("the chart of Ollama names its models and its GPUs") {
    const Reviewed read(R"(replicaCount: 2
image: {tag: "0.6.5"}
nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
ollama:
  gpu: {enabled: true, type: nvidia, number: 1}
  models:
    pull: [nomic-embed-text, "gemma3:27b"]
    run: ["gemma3:27b"]
extraEnv:
  - {name: OLLAMA_CONTEXT_LENGTH, value: "16384"}
)",
                        "values.yaml");
    CHECK(read.unknown_kinds() == 0);
    CHECK(read.pod().replicas == 2);
    CHECK(read.pod().gpu_count() == doctest::Approx(1));
    CHECK(read.call().model == "gemma3:27b");
    CHECK(read.model() == "google/gemma-3-27b-it");
    CHECK(read.value("contextTokens") == "16384");
    // An application that only speaks of models is no chart of Ollama's.
    CHECK(Reviewed("ollama: {url: http://o:11434, models: [llama3]}\n", "values.yaml")
              .unknown_kinds() == 1);
    const Reviewed within(R"(ollama:
  enabled: true
  ollama:
    gpu: {enabled: true, mig: {enabled: true, devices: {1g.10gb: 1}}}
    models: {pull: [llama3.2]}
)",
                          "values.yaml");
    CHECK(within.model() == "meta-llama/Llama-3.2-3B-Instruct");
    REQUIRE(within.pod().gpus.size() == 1);
    CHECK(within.pod().gpus[0].kind == review::GrantKind::MigInstance);
  }

  TEST_CASE("names of Ollama's library are models of the catalog") {
    struct Row {
      const char* name;
      const char* model;
      domain::Quantization quantization;
    };
    using domain::Quantization;
    for (const Row& row : std::initializer_list<Row>{
             // The sizes and types on the pages of ollama.com/library.
             {"llama3.2", "meta-llama/Llama-3.2-3B-Instruct", Quantization::MixQ4KM},
             {"llama3.2:1b", "meta-llama/Llama-3.2-1B-Instruct", Quantization::Q8_0},
             {"llama3:latest", "meta-llama/Meta-Llama-3-8B-Instruct", Quantization::Q4_0},
             {"Llama3.1:8b-instruct-q8_0", "meta-llama/Llama-3.1-8B-Instruct", Quantization::Q8_0},
             {"qwen2.5-coder:32b", "Qwen/Qwen2.5-Coder-32B-Instruct", Quantization::MixQ4KM},
             {"library/gpt-oss:20b", "openai/gpt-oss-20b", Quantization::MixMxfp4},
         }) {
      CAPTURE(row.name);
      const auto found = catalog::ollama_model(row.name);
      REQUIRE(found);
      CHECK(found->name == row.model);
      CHECK(found->quantization == row.quantization);
      CHECK(example::built_in_catalog().find_name(found->name));
    }
    CHECK(catalog::ollama_model("hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M")->name ==
          "bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M");
    CHECK_FALSE(catalog::ollama_model("somebody/llama3.1:8b"));
    CHECK_FALSE(catalog::ollama_model("llama3.1:9b"));
    CHECK_FALSE(catalog::ollama_model("llama3.1:80b"));
    CHECK_FALSE(catalog::ollama_model(""));
  }

  TEST_CASE("llama-server takes its model from the hub by repository and type") {
    const Reviewed read(llama_cpp_pod(
        R"(-hf, "bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", -c, "8192", -ngl, "99")"));
    CHECK(read.call().engine == "llama.cpp");
    REQUIRE(read.sizing().estimate);
    CHECK(name_of(read.sizing().estimate->quantization.value) == "q4_k_m");
    CHECK(read.findings().empty());
  }

  // llama.cpp common/arg.cpp: --cache-type-k and --cache-type-v are f16 each where they are not
  // given.
  TEST_CASE("llama-server keeps values in 16 bits where only keys are told otherwise") {
    const auto cache_of = [](const std::string& flags) {
      const Reviewed read(llama_cpp_pod(
          R"(-hf, "bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q4_K_M", -c, "8192", -ngl, "99")" +
          flags));
      REQUIRE(read.sizing().estimate);
      return read.sizing().estimate->kv_bytes_per_token.count();
    };
    // Keys and values of a token in a layer: 1,024 values each, of 16 bits or of 34 bytes for 32.
    CHECK(cache_of("") == 32 * (2048 + 2048));
    CHECK(cache_of(", -ctk, q8_0") == 32 * (1088 + 2048));
    CHECK(cache_of(", -ctv, q8_0") == 32 * (2048 + 1088));
    CHECK(cache_of(", -ctk, q8_0, -ctv, q8_0") == 32 * (1088 + 1088));
  }

  // Gemma 3 4B: 34 layers of 4 heads of 256, every sixth of them (5) without a window of 1,024. A
  // full layer keeps 4,096 bytes a token; with whole windows all 34 keep all 32,768 tokens, else 29
  // keep 1,024 and a step of 512, padded to 1,536.
  TEST_CASE("llama-server's layers with a window keep every token where they are told to") {
    const auto cache_of = [](const std::string& flags) {
      const Reviewed read(llama_cpp_pod(
          R"(-hf, "unsloth/gemma-3-4b-it-GGUF:Q4_K_M", -c, "32768", -np, "1", -ngl, "99")" +
          flags));
      REQUIRE(read.sizing().estimate);
      const auto& terms = read.sizing().estimate->terms;
      const auto term = std::ranges::find(terms, "kvCache", &domain::Term::name);
      REQUIRE(term != terms.end());
      return term->bytes.expected.count();
    };
    CHECK(cache_of("") == 4096LL * (5 * 32768 + 29 * 1536));
    CHECK(cache_of(", --swa-full") == 4096LL * 34 * 32768);
  }

  TEST_CASE("llama-server's flash attention is as its flag says") {
    const auto has_flash_attention = [](const std::string& flags) {
      const Reviewed read(llama_cpp_pod(
          R"(-hf, "bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", -c, "8192", -ngl, "99")" + flags));
      const auto& given = read.sizing().workload.engine.flash_attention;
      return given ? std::optional(given->value) : std::nullopt;
    };
    CHECK(has_flash_attention(", -fa, \"off\"") == false);
    CHECK(has_flash_attention(", --flash-attn, \"on\"") == true);
    CHECK(has_flash_attention(", -fa, auto") == std::nullopt);
    CHECK(has_flash_attention("") == std::nullopt);
  }

  TEST_CASE("llama-server's context may stand first, where a shell's script would") {
    const Reviewed read(llama_cpp_pod(
        R"(-c, "8192", -hf, "bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", -ngl, "99")"));
    REQUIRE(read.sizing().estimate);
    REQUIRE(read.sizing().estimate->context_tokens);
    CHECK(read.sizing().estimate->context_tokens->value == 8192);
    CHECK(read.findings().empty());
  }

  // 80 layers and the head take 39.6 GiB of 4-bit weights, 40 of them half of that.
  TEST_CASE("of llama-server's model, the layers that it is told to put there lie on the GPU") {
    const auto weights_of = [](const std::string& layers) {
      const Reviewed read(llama_cpp_pod(
          R"(-hf, "unsloth/Llama-3.3-70B-Instruct-GGUF:Q4_K_M", -c, "4096", -ngl, ")" + layers +
          "\""));
      REQUIRE(read.sizing().estimate);
      const auto& terms = read.sizing().estimate->terms;
      const auto term = std::ranges::find(terms, "weights", &domain::Term::name);
      REQUIRE(term != terms.end());
      return term->bytes.expected.gib();
    };
    CHECK(weights_of("99") == doctest::Approx(39.0).epsilon(0.02));
    CHECK(weights_of("-1") == doctest::Approx(39.0).epsilon(0.02));
    CHECK(weights_of("40") == doctest::Approx(19.2).epsilon(0.03));
    CHECK(weights_of("0") == 0);
  }

  TEST_CASE("what llama-server is told to leave in host memory is not said to be too large") {
    for (const std::string flags : {"--cpu-moe", "-ncmoe, \"30\"", "-ot, \"exps=CPU\"", "-nkvo"}) {
      CAPTURE(flags);
      const Reviewed read(llama_cpp_pod(
          R"(-hf, "unsloth/Qwen3-30B-A3B-GGUF:Q8_0", -c, "32768", -ngl, "99", )" + flags));
      CHECK_FALSE(read.sizing().estimate);
      CHECK(read.sizing().gap.ends_with("leaves a part of it in host memory"));
      CHECK(read.place_of("ME-01").empty());
    }
    // None of them.
    CHECK_FALSE(Reviewed(llama_cpp_pod(R"(-hf, "unsloth/Qwen3-30B-A3B-GGUF:Q8_0", -c, "32768", )"
                                       R"(-ngl, "99", -ncmoe, "0")"))
                    .place_of("ME-01")
                    .empty());
  }

  TEST_CASE("llama.cpp lays a model over all GPUs of its pod") {
    const std::string arguments =
        R"(-m, /models/Llama-3.3-70B-Instruct-Q4_K_M.gguf, -c, "8192", -ngl, "99")";
    CHECK_FALSE(Reviewed(llama_cpp_pod(arguments)).place_of("ME-01").empty());
    CHECK(Reviewed(llama_cpp_pod(arguments, 4)).findings().empty());
  }
}
