#include "review/command_line.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "review/engine_starts.hpp"

using namespace gpushape;
using review::Command;
using review::EngineCall;

namespace {

/// Words apart by single blanks, each at its column.
Command words_of_line(const std::string& line) {
  Command command;
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t end = std::min(line.find(' ', from), line.size());
    command.push_back({.text = line.substr(from, end - from),
                       .position = {.line = 1,
                                    .column = static_cast<int>(from) + 1,
                                    .length = static_cast<int>(end - from)}});
    from = end + 1;
  }
  return command;
}

std::optional<EngineCall> call_of(const std::string& line, std::string_view image = "",
                                  bool has_command = true) {
  const std::vector<Command> commands = {words_of_line(line)};
  return review::read_engine_call(commands, image, has_command);
}

std::string value_of(const EngineCall& call, std::string_view setting) {
  const review::EngineSetting* row = call.find(setting);
  return row == nullptr ? "" : row->value;
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("an engine is found by program, module or image") {
    struct Row {
      const char* line;
      const char* image;
      bool has_command;
      const char* engine;
      const char* model;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"vllm serve a/b --tensor-parallel-size 2", "", true, "vllm", "a/b"},
             {"vllm serve --enforce-eager a/b", "", true, "vllm", "a/b"},
             {"/opt/venv/bin/vllm serve --model a/b", "", true, "vllm", "a/b"},
             {"python3 -m vllm.entrypoints.openai.api_server --model=a/b", "", true, "vllm", "a/b"},
             {"numactl -N 0 python3 -m sglang.launch_server --model-path a/b --tp 2", "", true,
              "sglang", "a/b"},
             {"python3 -m sglang.launch_server --model a/b", "", true, "sglang", "a/b"},
             {"trtllm-serve a/b --tp_size 4", "", true, "tensorrt-llm", "a/b"},
             {"mpirun -n 8 trtllm-serve serve a/b", "", true, "tensorrt-llm", "a/b"},
             {"/app/llama-server -m /models/a.gguf -c 8192", "", true, "llama.cpp",
              "/models/a.gguf"},
             {"llama-server -hf a/b-GGUF:Q4_K_M", "", true, "llama.cpp", "a/b-GGUF:Q4_K_M"},
             {"--model a/b", "vllm/vllm-openai:v0.11.0", false, "vllm", "a/b"},
             {"a/b --max-model-len 8", "registry:5000/x/vllm-openai:latest", false, "vllm", "a/b"},
             {"-m a.gguf", "ghcr.io/ggml-org/llama.cpp:server-cuda-b5000", false, "llama.cpp",
              "a.gguf"},
             {"python3 -m dynamo.vllm --model a/b", "", true, "vllm", "a/b"},
             {"python3 -m huggingfaceserver --model_id=a/b --model_name c", "", true, "vllm",
              "a/b"},
         }) {
      CAPTURE(row.line);
      const auto call = call_of(row.line, row.image, row.has_command);
      REQUIRE(call);
      CHECK(call->engine == row.engine);
      CHECK(call->model == row.model);
    }
    for (const char* line : {"sleep infinity", "vllm bench serve", "python3 -m http.server",
                             "echo vllm.entrypoints.openai.api_server"}) {
      CAPTURE(line);
      CHECK_FALSE(call_of(line, "vllm/vllm-openai:latest"));
    }
    CHECK_FALSE(call_of("--model a/b", "nginx:1.27", false));
  }

  TEST_CASE("flags are read in every spelling of their engine") {
    const auto vllm = call_of(
        "vllm serve a/b -tp 2 --max_model_len=8192 --gpu-memory-util 0.8 --enable-expert-parallel "
        "--no-enable-prefix-caching --max-num-seqs 4 --max-num-seqs 8");
    REQUIRE(vllm);
    CHECK(value_of(*vllm, "tensor") == "2");
    CHECK(value_of(*vllm, "contextTokens") == "8192");
    CHECK(value_of(*vllm, "utilization") == "0.8");
    CHECK(vllm->find("hasExpertParallel") != nullptr);
    CHECK(vllm->find("prefixCachingOff") != nullptr);
    CHECK(value_of(*vllm, "maxNumSeqs") == "8");  // the last counts
    const auto llama = call_of("llama-server -m a.gguf -c 16384 -np 4 -ngl 99 -ctk q8_0");
    REQUIRE(llama);
    CHECK(value_of(*llama, "sharedContextTokens") == "16384");
    CHECK(value_of(*llama, "maxNumSeqs") == "4");
    CHECK(value_of(*llama, "kvCacheType") == "q8_0");
    const auto sglang = call_of("python -m sglang.launch_server --model-path a/b --tp-size 8");
    REQUIRE(sglang);
    CHECK(value_of(*sglang, "tensor") == "8");
  }

  TEST_CASE("a value has its own place") {
    const auto call = call_of("vllm serve a/b --max-model-len=8192 -tp 2");
    REQUIRE(call);
    CHECK(call->model_position.column == 12);
    CHECK(call->find("contextTokens")->position.column == 16);
    CHECK(call->find("contextTokens")->value_position.column == 32);
    CHECK(call->find("tensor")->value_position.column == 41);
  }

  TEST_CASE("a version is read from the tag of an image") {
    struct Row {
      const char* image;
      const char* version;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"vllm/vllm-openai:v0.11.0", "0.11"},
             {"vllm/vllm-openai:v0.8.5.post1", "0.8.5"},
             {"registry.local:5000/vllm-openai:v0.19.1-cu129", "0.19.1"},
             {"nvcr.io/nvidia/tensorrt-llm/release:1.2.0rc3", "1.2"},
             {"ghcr.io/ggml-org/llama.cpp:server-cuda-b5000", "b5000"},
             {"vllm/vllm-openai:latest", ""},
             {"vllm/vllm-openai", ""},
             {"localhost:5000/vllm-openai", ""},
             {"vllm/vllm-openai@sha256:0123", ""},
             {"lmsysorg/sglang:v0.5.3-cu126", "0.5.3"},
             {"lmcache/vllm-openai:v0.3.7", ""},     // LMCache's own version
             {"nvcr.io/nvidia/vllm:26.02-py3", ""},  // February 2026
         }) {
      CAPTURE(row.image);
      const auto version = review::version_of_image(row.image);
      CHECK((version ? domain::to_text(*version) : "") == row.version);
    }
  }

  TEST_CASE("unknown and retired flags are told from known ones") {
    const review::EngineWords& words = *review::engine_words("vllm");
    CHECK(words.canonical("--tensor-parallel-size") == "--tensor-parallel-size");
    CHECK(words.canonical("--compilation-config.mode") == "--compilation-config");
    CHECK(words.canonical("--tensor-par") == "--tensor-parallel-size");
    CHECK_FALSE(words.canonical("--max"));  // of many
    CHECK_FALSE(words.canonical("--tensor-paralel-size"));
    REQUIRE(words.retired("--swap_space") != nullptr);
    CHECK(words.retired("--swap-space")->instead == "--kv-offloading-size");
    // vLLM's pull requests 30397 (December 2025) and 28006 (November).
    CHECK(words.retired("--task")->instead == "--runner");
    CHECK(words.retired("--rope-scaling")->instead == "--hf-overrides");
    CHECK(words.names().size() >= 263);  // of vLLM 0.23
    const review::EngineWords& sglang = *review::engine_words("sglang");
    CHECK(sglang.arguments.is_complete);
    CHECK(sglang.canonical("--ep") == "--expert-parallel-size");
    CHECK(sglang.retired("--enable-flashinfer-mla")->instead == "--attention-backend flashinfer");
    const review::EngineWords& tensorrt = *review::engine_words("tensorrt-llm");
    CHECK(tensorrt.canonical("--config") == "--extra_llm_api_options");
    CHECK_FALSE(tensorrt.canonical("--max-seq-len"));
    const review::EngineWords& llama = *review::engine_words("llama.cpp");
    CHECK(llama.canonical("-ngl") == "--n-gpu-layers");
    CHECK(llama.canonical("--mlock") == "--mlock");
    CHECK_FALSE(llama.canonical("--context-size"));
  }

  TEST_CASE("no list of words makes the reader fall") {
    for (const char* line : {"vllm", "vllm serve", "vllm serve -", "vllm serve --", "vllm serve =",
                             "vllm serve --=", "trtllm-serve", "llama-server -c", "-m", ""}) {
      CAPTURE(line);
      call_of(line, "vllm/vllm-openai:", false);
      call_of(line);
    }
    CHECK_FALSE(review::read_engine_call({}, "", false));
    CHECK(review::read_engine_call({}, "vllm/vllm-openai", false));
  }
}
