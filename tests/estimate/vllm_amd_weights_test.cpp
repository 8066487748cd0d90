// Weights that vLLM printed on AMD's GPUs, whose driver does not give back what loading takes.
#include <doctest/doctest.h>

#include <array>

#include "support/printed_weights.hpp"

using namespace gpushape;
using example::check_weights;
using example::PrintedWeights;
using example::weights_by_vllm;

TEST_SUITE("estimate") {
  // https://github.com/amdgoose/arno_vllm_chat, https://github.com/apollo-mg/Project-Apollo
  // vllm_results.log and vllm_results_fp8_redhat.log, https://github.com/fpolica91/triton-example
  // (MI300X).
  TEST_CASE("on AMD's GPUs weights are what free memory lost while they were loaded") {
    const auto printed = std::to_array<PrintedWeights>({
        {.model = "Qwen/Qwen2.5-7B-Instruct", .version = "0.17", .gib = 14.37},
        {.model = "casperhansen/deepseek-r1-distill-qwen-14b-awq",
         .version = "0.14",
         .gib = 9.4922},
        {.model = "RedHatAI/DeepSeek-R1-Distill-Qwen-14B-FP8-dynamic",
         .version = "0.14",
         .gib = 15.4668},
        {.model = "zai-org/GLM-5-FP8", .version = "0.16", .tensor = 8, .gib = 91.36},
    });
    for (PrintedWeights row : printed) {
      CAPTURE(row.model);
      row.is_on_amd = true;
      const domain::Range weights = weights_by_vllm(row);
      CHECK(weights.low.gib() <= row.gib);
      CHECK(weights.high.gib() >= row.gib);
    }
  }

  // 48 layers of 128 experts: rows of 2,048 and of 768 values in 16 bits, 256 bytes behind each.
  // The wider second matrix (384 MiB, then 448) lies where the first one was (768), and 320 MiB of
  // that are lost; what the last layer's second one leaves is not given back.
  TEST_CASE("on AMD's GPUs rows of experts are set apart once they are loaded") {
    const PrintedWeights row = {
        .model = "Qwen/Qwen3-30B-A3B", .version = "0.10", .is_on_amd = true};
    const double rows = 48 * 128.0 * (2 * 768 + 2048) * 256 / (1 << 30);
    const double lost = (48 * 320.0 + 384) / 1024;
    const domain::Range weights = weights_by_vllm(row);
    CHECK(weights.expected.gib() == doctest::Approx(56.94 + rows + lost).epsilon(0.005));
    CHECK(weights.low.gib() < 56.94);
  }

  // https://github.com/ashishkamra/vllm-memory-estimator, logs 568509ab and 9d45cb21 (MI300X).
  TEST_CASE("room that widened matrices leave behind them is lost to AMD's driver") {
    check_weights({.model = "RedHatAI/Ministral-3-14B-Instruct-2512",
                   .version = "0.14.1",
                   .gib = 17.60,
                   .is_on_amd = true},
                  0.005);
    check_weights({.model = "Qwen/Qwen3-VL-30B-A3B-Instruct",
                   .version = "0.14.1",
                   .gib = 79.29,
                   .is_on_amd = true},
                  0.008);
  }

  // vllm serve gemma-4-12B-it --quantization fp8 with VLLM_ROCM_USE_AITER=1 by 0.26.0 on gfx942.
  TEST_CASE("the bounds of FP8 on AMD's GPUs hold rows without room behind them") {
    const domain::Range weights = weights_by_vllm({.model = "google/gemma-4-12B-it",
                                                   .version = "0.26",
                                                   .quantization = "fp8",
                                                   .is_on_amd = true});
    CHECK(weights.low.gib() <= 12.495);
    CHECK(weights.low.gib() >= 12.0);
    CHECK(weights.high.gib() >= 12.495);
  }
}
