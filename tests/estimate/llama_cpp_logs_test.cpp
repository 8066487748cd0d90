// llama.cpp's buffers beside those that public logs print.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>

#include "support/llama_cpp_plans.hpp"

using namespace gpushape;
using example::LlamaCase;
using example::mib_of;
using example::planned;

namespace {

// Buffers that logs print, MiB.
struct LoggedRow {
  const char* source;
  LlamaCase asked;
  double weights;
  double cache;
  double compute;
};

constexpr double kPrinted = 0.005;  // two digits of a MiB

void check_buffers(std::span<const LoggedRow> rows) {
  for (const LoggedRow& row : rows) {
    CAPTURE(row.source);
    const auto estimate = planned(row.asked);
    REQUIRE(estimate.has_value());
    CHECK(mib_of(*estimate, "weights") == doctest::Approx(row.weights).epsilon(3e-6));
    CHECK(mib_of(*estimate, "kvCache") == doctest::Approx(row.cache).epsilon(3e-6));
    CHECK(mib_of(*estimate, "computeBuffer") ==
          doctest::Approx(row.compute).epsilon(std::max(2e-5, kPrinted / row.compute)));
  }
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("buffers of one GPU are those that public logs print") {
    const auto rows = std::to_array<LoggedRow>({
        {"github.com/Kelsidavis/rusteze llama.log",
         {"Qwen/Qwen2.5-7B-Instruct", "q8_0", "fp16", 32768, 1, "b6400", 1},
         7165.44,
         1792.00,
         382.01},
        {"github.com/madcamp-2025w-week4/FSD llama-server.log",
         {"Qwen/Qwen2.5-14B", "q4_k_m", "fp16", 32768, 1, "b8000", 1},
         8148.38,
         6144.00,
         307.00},
        {"ggml-org/llama.cpp issue 5592",
         {"meta-llama/Llama-2-13b-chat-hf", "fp16", "fp16", 40960, 1, "b2500", 1},
         24514.08,
         32000.00,
         3320.00},
        {"ggml-org/llama.cpp issue 9436",
         {"mistralai/Mistral-7B-v0.1", "q4_k_m", "fp16", 8192, 1, "b3500", 1},
         4095.05,
         1024.00,
         560.00},
        // A gate in place: 2 x 28 MiB of network beside the stream, fewer than the logits' 64.
        {"ggml-org/llama.cpp issue 8213",
         {"mistralai/Mistral-7B-Instruct-v0.3", "q8_0", "fp16", 512, 1, "b3250", 1},
         7209.02,
         64.00,
         81.00},
        {"github.com/deepyes02/yeti-ai llama_server.log, which prints LLAMA_SET_ROWS=0",
         {"mistralai/Mistral-Nemo-Instruct-2407", "q5_k_m", "fp16", 4096, 1, "b6050", 1},
         7875.80,
         640.00,
         312.00},
    });
    check_buffers(rows);
  }

  // https://github.com/ggml-org/llama.cpp/issues/9451, build 3735: one tensor in Q5_K for queries,
  // keys and values, and copies of its parts. 24 KiB of the file are not in the architecture.
  TEST_CASE("heads in one tensor have a type of their own, and were copied apart") {
    const LlamaCase asked{"microsoft/Phi-3.5-mini-instruct", "q4_k_m", "fp16", 4096, 1, "b3735", 1};
    const auto estimate = planned(asked);
    REQUIRE(estimate.has_value());
    CHECK(mib_of(*estimate, "weights") == doctest::Approx(2228.84).epsilon(2e-5));
    CHECK(mib_of(*estimate, "kvCache") == doctest::Approx(1536.00).epsilon(3e-6));
    CHECK(mib_of(*estimate, "computeBuffer") == doctest::Approx(300.00).epsilon(2e-5));
  }

  // https://github.com/ggml-org/llama.cpp/issues/11635: "--cache-type-k q4_0" alone, without flash
  // attention, prints "K (q4_0): 6588.00 MiB, V (f16): 15616.00 MiB" for 8,192 cells of 61 layers:
  // 128 heads of 192 values of 4.5 bits, and of 128 of 16.
  TEST_CASE("keys may be kept in fewer bits than values") {
    const LlamaCase asked{.model = "deepseek-ai/DeepSeek-R1",
                          .file_type = "q4_k_m",
                          .cache_type = "q4_0",
                          .context = 8192,
                          .version = "b4625",
                          .gpus = 1,
                          .value_type = "fp16"};
    const auto estimate = planned(asked);
    REQUIRE(estimate.has_value());
    CHECK(mib_of(*estimate, "kvCache") == doctest::Approx(6588.00 + 15616.00).epsilon(1e-6));
    CHECK(std::ranges::none_of(estimate->notes, [](const std::string& note) {
      return note.contains("needs flash attention");
    }));
  }

  // Scores of a step's tokens with one another, the mask, and four or five of the step's streams:
  // 12
  // + 1 + 4 x 0.75 MiB, and 64 + 4 + 5 x 4. The cache is one of the context that nothing reads.
  TEST_CASE("encoders have buffers as long as the step, and had a cache") {
    const auto rows = std::to_array<LoggedRow>({
        {"github.com/ggml-org/ci, build 4310 on V100",
         {"BAAI/bge-small-en-v1.5", "fp16", "fp16", 512, 1, "b4310", 1},
         40.73,
         9.00,
         16.00},
        {"github.com/ggml-org/ci, build 4310 on V100",
         {"BAAI/bge-small-en-v1.5", "q8_0", "fp16", 512, 1, "b4310", 1},
         21.76,
         9.00,
         16.00},
        // What chooses rows takes a hundredth more: 88.01.
        {"ggml-org/llama.cpp issue 12836",
         {"Snowflake/snowflake-arctic-embed-l-v2.0", "q8_0", "fp16", 4096, 1, "b5080", 1, 10'000,
          1024},
         307.22,
         384.00,
         88.00},
    });
    for (const LoggedRow& row : rows) {
      CAPTURE(row.asked.model);
      auto asked = row.asked;
      const auto estimate = planned(asked);
      REQUIRE(estimate.has_value());
      CHECK(mib_of(*estimate, "weights") == doctest::Approx(row.weights).epsilon(2e-4));
      CHECK(mib_of(*estimate, "kvCache") == doctest::Approx(row.cache).epsilon(3e-6));
      CHECK(mib_of(*estimate, "computeBuffer") == doctest::Approx(row.compute).epsilon(3e-6));
      const bool is_longer = asked.context > 1024;
      CHECK(std::ranges::any_of(estimate->notes, [](const std::string& note) {
              return note.contains("a text in one step");
            }) == is_longer);
      asked.version = "b5400";
      const auto since = planned(asked);
      REQUIRE(since.has_value());
      CHECK(mib_of(*since, "kvCache") == 0);
    }
  }

  // The first GPU computes with the layers of the host, and has copies of their weights and caches
  // for a while.
  TEST_CASE("a GPU with a part of the layers, or none, has the compute buffer that logs print") {
    const auto rows = std::to_array<LoggedRow>({
        {"github.com/Dahaka52/Nira-AI logs/llama_server.log",
         {"mistralai/Mistral-Nemo-Instruct-2407", "q4_k_m", "q8_0", 8192, 1, "b8133", 1, 40},
         6597.68,
         663.00,
         266.00},
        {"github.com/DzKriMo/Aigis llama-server.log",
         {"Qwen/Qwen2.5-3B-Instruct", "q4_k_m", "fp16", 2048, 1, "b8179", 1, 35},
         1740.74,
         68.00,
         300.75},
        {"github.com/Yudeg1128/Alpy llama_server.log",
         {"Qwen/Qwen3-4B", "q6_k", "fp16", 4096, 1, "b5285", 1, 0},
         0,
         0,
         606.03},
        {"github.com/bgpr/armage llama_server.log",
         {"meta-llama/Llama-3.2-1B-Instruct", "q4_k_m", "fp16", 131072, 1, "b8319", 1, 0},
         0,
         0,
         658.25},
    });
    check_buffers(rows);
  }

  // llama.cpp src/llama-model.cpp, i_gpu_start. DeepSeek-R1-0528-Qwen3-8B in Q8_0 with 19 of 37,
  // July 2025: "offloading 19 repeating layers to GPU", 3715.11 MiB and 9728.00 of cache.
  TEST_CASE("the head went to a GPU last, and goes first since") {
    LlamaCase asked{"Qwen/Qwen3-8B", "q8_0", "fp16", 131072, 1, "b5950", 1, 19};
    const auto before = planned(asked);
    REQUIRE(before.has_value());
    CHECK(mib_of(*before, "weights") == doctest::Approx(3715.11).epsilon(3e-6));
    CHECK(mib_of(*before, "kvCache") == doctest::Approx(9728.00).epsilon(3e-6));
    asked.version = "b8133";
    const auto since = planned(asked);
    REQUIRE(since.has_value());
    CHECK(mib_of(*since, "kvCache") == doctest::Approx(9216.00).epsilon(3e-6));
    asked.gpu_layers = 37;
    asked.version = "b5950";
    const auto all = planned(asked);
    REQUIRE(all.has_value());
    CHECK(mib_of(*all, "kvCache") == doctest::Approx(18432.00).epsilon(3e-6));
  }

  TEST_CASE("two GPUs share layers, and copies of what passes between them") {
    // ggml-org/llama.cpp issue 8117: CUDA0 20038.81 + CUDA1 19940.67 MiB of weights, CUDA0 1312.00
    // of cache and 1216.01 of compute buffer.
    const auto llama =
        planned({"meta-llama/Meta-Llama-3-70B", "q4_k_m", "fp16", 8192, 1, "b3000", 2});
    REQUIRE(llama.has_value());
    REQUIRE(llama->all_gpus.has_value());
    CHECK(llama->all_gpus->weights.gib() * 1024 ==
          doctest::Approx(20038.81 + 19940.67).epsilon(3e-6));
    CHECK(mib_of(*llama, "kvCache") == doctest::Approx(1312.00).epsilon(3e-6));
    CHECK(mib_of(*llama, "computeBuffer") == doctest::Approx(1216.01).epsilon(2e-5));
    // ggml-org/llama.cpp issue 8490: CUDA0 2484.45 + CUDA1 3003.94 MiB, the second with the tied
    // head: 320.00 of cache, 567.02 of compute buffer.
    const auto gemma = planned({"google/gemma-2-9b-it", "q4_k_m", "fp16", 2048, 1, "b3500", 2});
    REQUIRE(gemma.has_value());
    CHECK(mib_of(*gemma, "weights") == doctest::Approx(3003.94).epsilon(3e-6));
    CHECK(mib_of(*gemma, "kvCache") == doctest::Approx(320.00).epsilon(3e-6));
    CHECK(mib_of(*gemma, "computeBuffer") == doctest::Approx(567.02).epsilon(2e-5));
  }

  TEST_CASE("states and windows have cells of their own") {
    // strix-halo-guide, qwen36-35b-a3b of b9010: 8 slots of 4,096: KV 640.00 and RS 502.50 MiB.
    const auto hybrid = planned({"Qwen/Qwen3.6-35B-A3B", "q4_k_m", "fp16", 4096, 8, "b9010", 1});
    REQUIRE(hybrid.has_value());
    CHECK(mib_of(*hybrid, "kvCache") == doctest::Approx(640.00).epsilon(3e-6));
    CHECK(mib_of(*hybrid, "state") == doctest::Approx(502.5).epsilon(1e-5));
    // gpt-oss-120b with 2 slots of 65,536: 18 layers hold 65,536 cells a slot (4608 MiB), 18 with
    // their window 128 + 512 padded to 256: 768 cells, 18 x 2 x 8 x 64 x 2 x 2 B x 768 = 54 MiB.
    const auto windows = planned({"openai/gpt-oss-120b", "", "fp16", 65536, 2, "b9010", 1});
    REQUIRE(windows.has_value());
    CHECK(mib_of(*windows, "kvCache") == doctest::Approx(4608.0 + 54.0).epsilon(3e-6));
    // github.com/ghghang2/v1.3 llama_server.log, gpt-oss-20b: 1536.00 and 18.00 MiB of cache.
    const auto small = planned({"openai/gpt-oss-20b", "", "fp16", 65536, 1, "b7772", 1});
    REQUIRE(small.has_value());
    CHECK(mib_of(*small, "kvCache") == doctest::Approx(1536.0 + 18.0).epsilon(3e-6));
    CHECK(mib_of(*small, "computeBuffer") == doctest::Approx(398.38).epsilon(2e-5));
    // github.com/ghghang2/v1.6 llama_server.log, 2 slots of 16,384: experts beside a network.
    const auto beside =
        planned({"google/gemma-4-26B-A4B-it", "q8_0", "fp16", 16384, 2, "b8854", 1});
    REQUIRE(beside.has_value());
    CHECK(mib_of(*beside, "kvCache") == doctest::Approx(640.0 + 600.0).epsilon(3e-6));
    CHECK(mib_of(*beside, "computeBuffer") == doctest::Approx(532.62).epsilon(2e-5));
    // A layer of the host: 2 x 704 x 2,816 x 128 values at 4.5 bits are copied, 272.25 MiB, and are
    // gone when the logits take their 512.
    const auto split =
        planned({"google/gemma-4-26B-A4B-it", "q4_k_m", "fp16", 16384, 2, "b8854", 1, 20});
    REQUIRE(split.has_value());
    CHECK(mib_of(*split, "computeBuffer") == doctest::Approx(532.62).epsilon(2e-5));
  }
}
