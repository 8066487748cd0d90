// What threads and files quote of llama.cpp: several starts in one text, programs that print more
// than their buffers, and models whose names say nothing. The lines are those of the sources,
// shortened; each source stands with its case.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "calibrate/log_lines.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using example::built_in_catalog;
using example::read_lines;
using example::without_gpu;

TEST_SUITE("calibrate") {
  // https://github.com/MrSnowNB/nemoclaw-setup, llama_server.log: the same start twice.
  TEST_CASE("of a llama.cpp server that starts again in one file, the last start stands") {
    const std::string start =
        "main: loading model\n"
        "print_info: file type   = Q8_0\n"
        "print_info: general.name          = Qwen3.5-35B-A3B\n"
        "load_tensors:        CUDA2 model buffer size = 17931.70 MiB\n"
        "load_tensors:        CUDA3 model buffer size = 16736.08 MiB\n"
        "llama_context: n_ctx         = 32768\n"
        "llama_kv_cache:      CUDA2 KV buffer size =   320.00 MiB\n"
        "llama_kv_cache:      CUDA3 KV buffer size =   320.00 MiB\n";
    const EngineLog log = read_lines(start + start);
    REQUIRE(log.ranks.size() == 2);
    // (17,931.70 + 16,736.08) / 1,024
    CHECK(log.start.weights_gib == doctest::Approx(33.855).epsilon(1e-4));
    CHECK(log.start.cache_gib == 0.625);
  }

  // https://github.com/ggml-org/llama.cpp/issues/8760: two models by turns in one thread.
  TEST_CASE("a llama.cpp start that names its build is another one, and the last one stands") {
    const std::string first =
        "main: build = 3488 (75af08c4)\n"
        "llm_load_print_meta: model ftype      = IQ3_XS - 3.3 bpw\n"
        "llm_load_print_meta: general.name     = Mistral Large Instruct 2407\n"
        "llm_load_tensors: offloaded 39/89 layers to GPU\n"
        "llm_load_tensors:      CUDA0 buffer size = 21018.94 MiB\n"
        "llama_new_context_with_model: n_ctx      = 8224\n"
        "llama_kv_cache_init:      CUDA0 KV buffer size =  1252.88 MiB\n";
    const std::string second =
        "main: build = 3488 (75af08c4)\n"
        "llm_load_print_meta: model ftype      = Q4_K - Medium\n"
        "llm_load_print_meta: general.name     = Meta Llama 3.1 70B Instruct\n"
        "llm_load_tensors: offloaded 42/81 layers to GPU\n"
        "llm_load_tensors:      CUDA0 buffer size = 20557.70 MiB\n"
        "llama_new_context_with_model: n_ctx      = 8224\n"
        "llama_kv_cache_init:      CUDA0 KV buffer size =  1349.25 MiB\n";
    const EngineLog log = read_lines(first + second);
    CHECK(log.start.model == "Meta-Llama-3.1-70B-Instruct");
    CHECK(log.start.gpu_layers == 42);
    CHECK(log.start.cache_gib == doctest::Approx(1349.25 / 1024));
    // One without a layer on the GPU (issue 8263) leaves the one before it.
    const std::string without_gpu =
        "main: build = 3285 (a27152b6)\n"
        "llm_load_tensors: offloaded 0/61 layers to GPU\n"
        "llm_load_tensors:        CPU buffer size = 44666.35 MiB\n"
        "llama_new_context_with_model: n_ctx      = 4096\n";
    CHECK(read_lines(second + without_gpu).start.gpu_layers == 42);
  }

  // https://github.com/ggml-org/llama.cpp/issues/9112: lines of the log stand before it, too.
  TEST_CASE("what is quoted before a llama.cpp start is not counted twice") {
    const std::string quoted = "llama_kv_cache_init:      Metal KV buffer size = 49152.00 MiB\n";
    const EngineLog log = read_lines(
        quoted +
        "INFO [                    main] build info | tid=\"0x1\" timestamp=1 build=3609 "
        "commit=\"2f3c1466\"\n"
        "llm_load_print_meta: general.name     = Phi 3.5 Mini Instruct\n"
        "llm_load_tensors:      Metal buffer size =  3772.58 MiB\n" +
        quoted);
    CHECK(log.start.cache_gib == 48);
  }

  // https://github.com/ggml-org/llama.cpp/issues/5909 and 12351: nothing on a GPU but a projector.
  TEST_CASE("input buffers and those of projectors of images are no weights of llama.cpp's") {
    const std::string start =
        "main: build = 2354 (e25fb4b1)\n"
        "llm_load_print_meta: general.name     = gemma-2b\n"
        "llm_load_tensors:        CPU buffer size =  1027.24 MiB\n";
    for (const std::string_view line :
         {"llama_new_context_with_model:  CUDA_Host input buffer size   =     6.01 MiB\n",
          "clip_init: params backend buffer size =  811.79 MB (439 tensors)\n",
          "clip_model_load: params backend buffer size =  595.49 MB (377 tensors)\n"}) {
      CHECK_FALSE(calibrate::read_engine_log(start + std::string(line), "log"));
    }
  }

  // https://github.com/ggml-org/llama.cpp/issues/12946 (-nkvo)
  TEST_CASE("with its cache in host memory, only llama.cpp's weights are compared") {
    const EngineLog log = read_lines(
        "build: 5121 (c94085df) with cc (Ubuntu 14.2.0-4ubuntu2) 14.2.0 for x86_64-linux-gnu\n"
        "print_info: file type   = Q5_K - Medium\n"
        "print_info: general.name     = THUDM_GLM Z1 9B 0414\n"
        "load_tensors: offloaded 41/41 layers to GPU\n"
        "load_tensors:        CUDA0 model buffer size =  6308.38 MiB\n"
        "llama_context: n_ctx         = 32000\n"
        "init:        CPU KV buffer size =  1250.00 MiB\n"
        "llama_context:      CUDA0 compute buffer size =   312.00 MiB\n");
    CHECK(log.has_cache_with_host);
    const domain::Calibration calibration = without_gpu(log);
    REQUIRE(calibration.terms.size() == 1);
    CHECK_FALSE(calibration.terms.front().is_off);
    CHECK(std::ranges::any_of(calibration.notes, [](const std::string& note) {
      return note.contains("--no-kv-offload");
    }));
  }

  // https://github.com/ggml-org/llama.cpp/issues/14430: the printed cache is 64.00 + 256.00 MiB.
  TEST_CASE("llama.cpp says that layers with a window keep every token") {
    const EngineLog log = read_lines(
        "build: 5768 (ceb1bf5a) with gcc-15 for x86_64-pc-linux-gnu\n"
        "print_info: file type   = Q4_K - Medium\n"
        "print_info: general.name     = Gemma-3N-E4B-It\n"
        "load_tensors: offloaded 36/36 layers to GPU\n"
        "load_tensors:        CUDA0 model buffer size =  2679.00 MiB\n"
        "llama_context: n_ctx         = 8192\n"
        "llama_kv_cache_unified_iswa: using full-size SWA cache (ref: …)\n"
        "llama_kv_cache_unified:      CUDA0 KV buffer size =    64.00 MiB\n"
        "llama_kv_cache_unified:      CUDA0 KV buffer size =   256.00 MiB\n");
    const domain::Calibration calibration = without_gpu(log);
    const auto cache =
        std::ranges::find(calibration.terms, "kvCache", &domain::CalibratedTerm::name);
    REQUIRE(cache != calibration.terms.end());
    CHECK(cache->predicted.expected == mib(320));
    CHECK_FALSE(cache->is_off);
  }

  // https://github.com/ggml-org/llama.cpp/issues/7968 and 9106: "LLaMA v2" is no name, and two
  // lines came out as one.
  TEST_CASE("llama.cpp's model is named by its file where its own name is none") {
    const EngineLog log = read_lines(
        "llama_model_loader: loaded meta data with 19 key-value pairs and 291 tensors from "
        "/models/gguf/llama-2-7b.Q4_0.gguf (version GGUF V2)\n"
        "llm_load_print_meta: general.name     = LLaMA v2\n"
        "llm_load_tensors:      SYCL0 buffer size =  3577.56 MiB\n"
        "llama_new_context_with_model: n_batch    = 2048      llama_new_context_with_model: "
        "n_ubatch   = 512\n");
    CHECK(log.start.served_name == "/models/gguf/llama-2-7b.Q4_0.gguf");
    CHECK(log.start.max_num_batched_tokens == 512);
    CHECK_FALSE(calibrate::find_started_model(log.start.model, built_in_catalog()));
    CHECK(calibrate::find_started_model(log.start.served_name, built_in_catalog())->base ==
          "meta-llama/Llama-2-7b-hf");
  }

  // https://github.com/Ryukijano/NV-Disruptron, logs/llama-server.log
  TEST_CASE("llama.cpp's model has its whole name, and its compute buffer is no projector's") {
    const EngineLog log = read_lines(
        "llama_model_loader: - kv   4:                               general.name str              "
        "= Nvidia-Nemotron-3-Nano-Omni-30B-A3B-R...\n"
        "print_info: general.name          = Nvidia-Nemotron-3-Nano-Omni-30B-A3B-Reasoning\n"
        "load_tensors:        CUDA0 model buffer size = 22454.03 MiB\n"
        "llama_context: n_ctx         = 16384\n"
        "llama_kv_cache:      CUDA0 KV buffer size =    96.00 MiB\n"
        "sched_reserve:      CUDA0 compute buffer size =   271.75 MiB\n"
        "alloc_compute_meta:      CUDA0 compute buffer size =    35.24 MiB\n");
    CHECK(log.start.model == "Nvidia-Nemotron-3-Nano-Omni-30B-A3B-Reasoning");
    CHECK(log.start.compute_gib == doctest::Approx(271.75 / 1024));
  }

  // https://github.com/ghghang2/v1.6, llama_server.log: unsloth's own recipe by that name.
  TEST_CASE("a GGUF file that is not llama.cpp's own mix of that name is said to be another") {
    const EngineLog log = read_lines(
        "print_info: file type   = IQ4_NL - 4.5 bpw\n"
        "print_info: file size   = 12.48 GiB (4.25 BPW)\n"
        "print_info: general.name          = Gemma-4-26B-A4B-It\n"
        "load_tensors: offloaded 31/31 layers to GPU\n"
        "load_tensors:        CUDA0 model buffer size = 12782.11 MiB\n"
        "build: 8854 (de71b5f81)\n");
    const domain::Calibration calibration = without_gpu(log);
    REQUIRE_FALSE(calibration.terms.empty());
    REQUIRE_FALSE(calibration.terms.front().causes.empty());
    CHECK(calibration.terms.front().causes.front().contains("the file is no"));
  }
}
