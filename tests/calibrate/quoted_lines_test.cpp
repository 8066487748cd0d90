// Records whose fields hold less than the lines that they quote, or something else.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "calibrate/comparison.hpp"
#include "calibrate/engine_start.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

EngineStart start_of(const std::string& record) {
  const auto starts = calibrate::read_engine_starts(record, "records");
  REQUIRE(starts);
  REQUIRE(starts->size() == 1);
  return starts->front();
}

}  // namespace

TEST_SUITE("calibrate") {
  // https://github.com/mattbucci/2x-3090-GA102-300-A1-sglang-inference, June 2026: layers with a
  // window hold 2.70 + 2.70 GiB, those without 4.31 + 4.31; the start itself says 14.02.
  TEST_CASE("two pools of SGLang are one, though the record's field holds the first") {
    const std::string fields =
        R"({"engine": "sglang", "model": "google/gemma-4-12b-it", "kv_cache_gib": 5.4, )"
        R"("kv_cache_tokens": 35340, "quotes": )";
    const EngineStart both = start_of(
        fields +
        R"q(["TP0] KV Cache is allocated. #tokens: 35340, K size: 2.70 GB, V size: 2.70 GB", )q"
        R"q("TP0] KV Cache is allocated. #tokens: 565446, K size: 4.31 GB, V size: 4.31 GB"]})q");
    CHECK(both.pool_gib == doctest::Approx(14.02));
    CHECK(both.pool_tokens == 565446);
    // A draft model's pool holds as many tokens as the model's, and is not printed as its.
    const EngineStart draft = start_of(
        fields +
        R"q(["TP0] KV Cache is allocated. #tokens: 35340, K size: 2.70 GB, V size: 2.70 GB", )q"
        R"q("TP0] KV Cache is allocated. #tokens: 35340, K size: 0.07 GB, V size: 0.07 GB"]})q");
    CHECK(draft.pool_gib == doctest::Approx(5.4));
    CHECK(draft.pool_tokens == 35340);
  }

  // https://github.com/sgl-project/sglang/issues/4257: 0.87 of 40 GB leave 5.1 GiB, and 22.59 are
  // free behind a pool of 0.94, of 10,240 tokens.
  TEST_CASE("a pool of SGLang behind which much is free was told its size") {
    const std::string fields =
        R"({"engine": "sglang", "engine_version": "0.4.3.post4", "tp": 2, "gpu": "A100-40GB", )"
        R"("model": "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "gpu_memory_utilization": 0.87, )"
        R"("kv_cache_gib": 0.94, "kv_cache_tokens": 10240, "quotes": )";
    const auto left_with = [&](const std::string& free) {
      return calibrate::compare(
          start_of(fields + R"q(["TP0] Memory pool end. avail mem=)q" + free + R"q( GB"]})q"),
          built_in_catalog(), built_in_profiles());
    };
    CHECK(left_with("22.59").without_pool == "the pool was told its size");
    CHECK(left_with("4.4").pool.has_value());
  }

  // https://github.com/acdtrx/llama-runner, llama-server.log of b8680 on an M4: 517.50 MiB of the
  // model's steps, and 101.27 of the encoder's.
  TEST_CASE("the buffer of an encoder's steps is not the model's") {
    const std::string record =
        R"({"engine": "llama.cpp", "engine_version": "b8680-15f786e65", "gpu": "Apple M4", )"
        R"("model": "gemma-4-E4B-it-Q8_0.gguf", "quantization": "Q8_0", "max_model_len": 65536, )"
        R"("max_num_seqs": 1, "device_buffers_mib": {"kv": 1064.0, "compute": 101.27}, )"
        R"q("quotes": ["llama_kv_cache:       MTL0 KV buffer size =  1024.00 MiB", )q"
        R"q("sched_reserve:       MTL0 compute buffer size =   517.50 MiB")q";
    CHECK(start_of(record +
                   R"q(, "alloc_compute_meta:       MTL0 compute buffer size =   101.27 MiB"]})q")
              .compute_gib.value() == doctest::Approx(517.5 / 1024));
    CHECK(start_of(record + "]}").compute_gib.value() == doctest::Approx(101.27 / 1024));
  }

  // https://github.com/ggml-org/llama.cpp/issues/7652, b3047: 11,298.50 MiB with Metal, the 137.50
  // of the embedding among them, which on a GPU with memory of its own stay with the host.
  TEST_CASE("Apple's GPUs hold the file as a whole") {
    EngineStart start = start_of(
        R"q({"engine": "llama.cpp", "engine_version": "3047 (e6157f94)", "gpu": "Apple M2 Max", )q"
        R"("model": "DeepSeek-V2-Lite-Chat.Q5_K.gguf", "quantization": "Q5_K", )"
        R"("max_model_len": 4096, "engine_extra": {"layers_offloaded": "28/28"}, )"
        R"("device_buffers_mib": {"model": 11298.5}})");
    const auto weights = [&] {
      return calibrate::compare(start, built_in_catalog(), built_in_profiles()).weights.value();
    };
    CHECK(weights().is_in_range());
    CHECK(std::abs(weights().error()) < 0.001);
    const double mapped = weights().predicted.expected.gib();
    start.gpu = "RTX 3090";
    CHECK_FALSE(weights().is_in_range());
    CHECK(mapped - weights().predicted.expected.gib() ==
          doctest::Approx(137.5 / 1024).epsilon(0.01));
    // With layers on the host the buffer begins behind them.
    start.gpu = "Apple M2 Max";
    start.gpu_layers = 20;
    CHECK(weights().predicted.expected.gib() < mapped * 0.75);
  }

  // https://github.com/ggml-org/llama.cpp/issues/14670: 810.97 MiB of 915 with Metal, of which its
  // tied embedding takes 105. By snapshots of October 2025 the head has a copy with the GPU.
  TEST_CASE("LFM2's head was the host's") {
    EngineStart start = start_of(
        R"q({"engine": "llama.cpp", "engine_version": "5890 (982e3472)", "gpu": "Apple M4 Max", )q"
        R"q("model": "LFM2-1.2B-Q6_K.gguf", "quantization": "Q6_K", "max_model_len": 4096, )q"
        R"q("engine_extra": {"layers_offloaded": "17/17"}, "device_buffers_mib": {"model": 810.97}})q");
    const auto weights = [&] {
      return calibrate::compare(start, built_in_catalog(), built_in_profiles()).weights.value();
    };
    CHECK(weights().is_in_range());
    CHECK(std::abs(weights().error()) < 0.005);
    start.engine_version = "b7000";
    CHECK(weights().predicted.expected.gib() == doctest::Approx(915.0 / 1024).epsilon(0.01));
  }
}
