// SGLang beside what was published of it.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "estimate/samples.hpp"
#include "support/asked_engines.hpp"

using namespace gpushape;
using domain::Estimate;
using example::AskedEngine;
using example::engine_estimate;
using example::engine_workload;
using example::flag;
using example::printed_gpu;
using example::printed_h100;
using example::printed_h200;
using example::term_range;

TEST_SUITE("estimate") {
  // Printed "mem usage" of public starts: https://github.com/sgl-project/sglang/issues/6753, /4127,
  // /4257; https://github.com/lennonYe/6998_project.
  TEST_CASE("SGLang's weights are the segments that free memory lost") {
    struct Row {
      AskedEngine asked;
      double printed_gib;
    };
    const auto rows = std::to_array<Row>({
        {{"meta-llama/Meta-Llama-3-8B-Instruct", "sglang", "0.4.6", 1}, 14.98},
        {{"Qwen/QwQ-32B", "sglang", "0.4.3", 4}, 15.54},
        {{"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "sglang", "0.4.3", 2}, 14.00},
        {{"Qwen/Qwen2.5-1.5B-Instruct", "sglang", "0.5", 1}, 3.03},
    });
    for (const Row& row : rows) {
      CAPTURE(row.asked.model);
      const Estimate estimate =
          engine_estimate(row.asked, engine_workload(row.asked), printed_h200());
      CHECK(std::abs(term_range(estimate, "weights").expected.gib() - row.printed_gib) < 0.016);
    }
  }

  // https://github.com/sgl-project/sglang/issues/6753: mem_fraction_static=0.8717961202189594,
  // #tokens: 871371, K and V 53.18 GB each.
  TEST_CASE("SGLang on H200 keeps the pool that it printed") {
    const AskedEngine row{"meta-llama/Meta-Llama-3-8B-Instruct", "sglang", "0.4.6", 1};
    const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h200());
    CHECK(estimate.settings.gpu_memory_utilization.value == doctest::Approx(0.8717961202189594));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(106.36).epsilon(0.003));
    CHECK(static_cast<double>(estimate.capacity->kv_pool_tokens) ==
          doctest::Approx(871371).epsilon(0.003));
    // 871,371 / 8,192 x 512 is more than 4,096.
    CHECK(estimate.settings.max_num_seqs.value == 4096);
  }

  // 0.5.3: 512 + 8,192 x 1.5 + 256 x 2 + 1,024 / 8 = 13,440 MiB of 81,559; the 58 piecewise graphs
  // of 0.5.10 take 464 MiB more. 24 GB: 512 + 2,048 x 1.5 + 24 x 2 + 128 = 3,760 of 24,564.
  TEST_CASE("SGLang's share follows from the chunk and the graphs") {
    const AskedEngine older{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.3", 1};
    const AskedEngine newer{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.10", 1};
    CHECK(engine_estimate(older, engine_workload(older), printed_h100())
              .settings.gpu_memory_utilization.value == 0.835);
    CHECK(engine_estimate(newer, engine_workload(newer), printed_h100())
              .settings.gpu_memory_utilization.value == 0.83);
    const domain::VisibleMemory small = printed_gpu(23.6, 24564, "8.9");
    const Estimate estimate = engine_estimate(older, engine_workload(older), small);
    CHECK(estimate.settings.gpu_memory_utilization.value == 0.847);
    CHECK(estimate.settings.max_num_batched_tokens.value == 2048);
  }

  // A start of April 2026 on one H200 (https://github.com/bowenwan6/sglang-vllm-profiler): its
  // config calls the encoder's 27 layers `depth`, and SGLang takes 24.
  TEST_CASE("SGLang leaves encoders of images the room that its reading of their config gives") {
    const AskedEngine row{"Qwen/Qwen3-VL-8B-Instruct", "sglang", "0.5.8", 1};
    const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h200());
    CHECK(estimate.settings.gpu_memory_utilization.value == doctest::Approx(0.8387624218749999));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(100.12).epsilon(0.003));
  }

  TEST_CASE("SGLang gives windows fewer tokens, and states a part of their own") {
    const AskedEngine windows{"openai/gpt-oss-20b", "sglang", "0.5.3", 1};
    domain::Workload workload = engine_workload(windows);
    workload.engine.kv_cache_memory_bytes = flag(gib(10));
    // 24 layers x 8 heads x 64 x 2 sides x 2 bytes: 2,048 a layer; half of them hold windows.
    const double bytes = 12 * 2048 + 0.8 * 12 * 2048;
    const Estimate estimate = engine_estimate(windows, workload, printed_h100());
    CHECK(estimate.capacity->kv_pool_tokens ==
          static_cast<std::int64_t>(10 * 1024.0 * 1024 * 1024 / bytes));
    const AskedEngine states{"Qwen/Qwen3-Next-80B-A3B-Instruct", "sglang", "0.5.3", 4};
    const Estimate hybrid = engine_estimate(states, engine_workload(states), printed_h200());
    REQUIRE(hybrid.capacity);
    CHECK(hybrid.capacity->kv_pool_tokens > 0);
    // 0.9 / 1.9 of the rest are states: keys and values get 1 / 1.9.
    const double rest = (139.8 - 0.65 - 1) * hybrid.capacity->utilization -
                        term_range(hybrid, "weights").expected.gib();
    CHECK(hybrid.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(rest / 1.9).epsilon(0.01));
  }

  // By hand: 8,192 tokens x 8 experts each hold max(2 x 768, 2,048) + 768 values of 2 bytes; beside
  // them 4 hidden states of 2,048 a token, its 128 logits and weights of 4 bytes, and the matrix
  // library's 32 MiB.
  TEST_CASE("a mixture's peak holds its routed tokens between the projections") {
    const AskedEngine row{"Qwen/Qwen3-30B-A3B", "sglang", "0.5", 1};
    domain::Workload workload = engine_workload(row);
    workload.engine.max_num_batched_tokens = flag<std::int64_t>(8192);
    workload.engine.max_num_seqs = flag<std::int64_t>(16);  // the sampler stays below
    CHECK(term_range(engine_estimate(row, workload, printed_h200()), "activation").expected ==
          Bytes(8192LL * 8 * (2048 + 768) * 2 + 8192LL * (4 * 2048 * 2 + 128 * 8)) + mib(32));
  }

  // A start of DeepSeek-V3.2 on 8 B200 prints 43.67 GB and 975,424 tokens
  // (https://github.com/sgl-project/sglang/pull/11309): 512 + 16,384 x 1.5 + 512 x 2 + 1,024 + 512
  // x 8 x 3 = 39,424 MiB of 183,359.
  TEST_CASE("DP attention reserves for every rank, and each has the whole attention") {
    const AskedEngine row{"deepseek-ai/DeepSeek-V3.2-Exp", "sglang", "0.5.3", 1};
    domain::Workload workload = engine_workload(row);
    workload.engine.data = flag<std::int64_t>(8);
    workload.engine.expert = flag<std::int64_t>(8);
    const Estimate estimate = engine_estimate(row, workload, printed_gpu(178.36, 183359, "10.0"));
    CHECK(estimate.settings.gpu_memory_utilization.value == 0.785);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() == doctest::Approx(43.67).epsilon(0.03));
    // 61 layers x (656 + 132) bytes
    CHECK(estimate.kv_bytes_per_token == Bytes(61LL * (656 + 132)));
  }

  TEST_CASE("an unknown version takes the nearest older facts and says so") {
    const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.9", 1};
    const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h100());
    CHECK(example::has_note(estimate, "no facts of sglang 0.9 itself: those of 0.5.13 are used"));
  }
}
