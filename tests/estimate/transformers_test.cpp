// Plain transformers beside what was published of it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "catalog/catalog.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/asked_engines.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using domain::Estimate;
using example::AskedEngine;
using example::engine_estimate;
using example::engine_workload;
using example::flag;
using example::printed_h100;
using example::term_range;

TEST_SUITE("estimate") {
  // 32 layers, each with 2 inputs of 2,560 in 16 bits and 40 states of 64 x 64 in 32.
  TEST_CASE("RWKV-5 keeps states only, and runs by its published code alone") {
    const AskedEngine row{"RWKV/rwkv-5-world-3b", "transformers", {}, 1};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(4096);
    workload.concurrency = flag<std::int64_t>(4);
    const Estimate estimate = engine_estimate(row, workload, printed_h100());
    CHECK(term_range(estimate, "state").expected ==
          Bytes(4LL * 32 * (2 * 2560 * 2 + 40 * 64 * 64 * 4)));
    CHECK(estimate.kv_bytes_per_token == Bytes(0));
    const auto refused =
        estimate::estimate_memory(*example::built_in_catalog().find(row.model), workload,
                                  *example::built_in_catalog().engine("vllm"), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message.contains("rwkv5"));
  }

  // By hand: 8,030,261,248 parameters; one token keeps 32 x 2 x 8 x 128 values.
  TEST_CASE("transformers holds weights, a cache and the prefill of the whole prompt") {
    const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", "transformers", "5.0", 1};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(8192);
    workload.concurrency = flag<std::int64_t>(1);
    const Estimate estimate = engine_estimate(row, workload, printed_h100());
    CHECK(term_range(estimate, "weights").expected.gib() ==
          doctest::Approx(8030261248.0 * 2 / 1073741824).epsilon(0.001));
    CHECK(term_range(estimate, "kvCache").expected == gib(1));
    CHECK(term_range(estimate, "cacheGrowth").expected == mib(32));  // of one layer
    // 8,192 x 2 bytes x (3 x 14,336 + 4 x 4,096)
    CHECK(term_range(estimate, "activation").expected ==
          Bytes(8192LL * 2 * (3 * 14336 + 4 * 4096)));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->fits);
  }

  // Peaks of torch.cuda.max_memory_allocated over a prompt and 2,048 tokens more, one sequence, on
  // A100 80 GB with FlashAttention 2: QwenLM/Qwen3, docs/source/benchmark/speed_benchmark.rst of
  // 5c4e69c (transformers 4.38.2) and 010c37c (4.46.0), GiB. The peak is that of the prompt.
  TEST_CASE("transformers peaks where its users measured it") {
    struct Peak {
      std::int64_t prompt;
      double gib;
    };
    struct PeakRow {
      AskedEngine asked;
      std::array<Peak, 3> peaks;
      double tolerance;
    };
    const auto rows = std::to_array<PeakRow>({
        {{"Qwen/Qwen2-7B-Instruct", "transformers", "4.38"},
         {{{6144, 20.26}, {14336, 27.71}, {30720, 42.62}}},
         0.025},
        {{"Qwen/Qwen2.5-0.5B-Instruct", "transformers", "4.46"},
         {{{6144, 1.23}, {14336, 1.60}, {30720, 2.34}}},
         0.02},
        {{"Qwen/Qwen2.5-1.5B-Instruct", "transformers", "4.46"},
         {{{6144, 3.43}, {14336, 4.16}, {30720, 5.62}}},
         0.01},
        {{"Qwen/Qwen2.5-3B-Instruct", "transformers", "4.46"},
         {{{6144, 6.59}, {14336, 7.47}, {30720, 9.30}}},
         0.02},
        {{"Qwen/Qwen2.5-7B-Instruct", "transformers", "4.46"},
         {{{6144, 15.38}, {14336, 16.91}, {30720, 19.97}}},
         0.01},
        {{"Qwen/Qwen2.5-14B-Instruct", "transformers", "4.46"},
         {{{6144, 29.50}, {14336, 31.95}, {30720, 36.85}}},
         0.01},
        {{"Qwen/Qwen2.5-32B-Instruct", "transformers", "4.46"},
         {{{6144, 63.72}, {14336, 67.31}, {30720, 74.47}}},
         0.01},
    });
    for (const PeakRow& row : rows) {
      for (const Peak& peak : row.peaks) {
        CAPTURE(row.asked.model);
        CAPTURE(peak.prompt);
        domain::Workload workload = engine_workload(row.asked);
        workload.quantization = flag(domain::Quantization::Bf16);
        workload.context_tokens = flag(peak.prompt);
        workload.concurrency = flag<std::int64_t>(1);
        const Estimate estimate = engine_estimate(row.asked, workload, printed_h100());
        double allocated = 0;
        for (const std::string_view name : {"weights", "kvCache", "cacheGrowth", "activation"})
          allocated += term_range(estimate, name).expected.gib();
        CHECK(allocated == doctest::Approx(peak.gib).epsilon(row.tolerance));
      }
    }
  }

  TEST_CASE("older transformers upcast the logits of the prompt, and load in 32 bits") {
    const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", "transformers", "4.40", 1};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(8192);
    workload.concurrency = flag<std::int64_t>(1);
    const Estimate plain = engine_estimate(row, workload, printed_h100());
    CHECK(plain.quantization.value == domain::Quantization::Fp32);
    CHECK(example::has_note(plain, "loads in 32 bits"));
    workload.quantization = flag(domain::Quantization::Bf16);
    const Estimate half = engine_estimate(row, workload, printed_h100());
    // 8,192 rows x 128,256 x (2 + 4) bytes, beside the hidden states.
    CHECK(term_range(half, "activation").expected ==
          Bytes(8192LL * 128256 * 6 + 8192LL * 4096 * 2));
    CHECK(term_range(plain, "weights").expected.gib() ==
          doctest::Approx(2 * term_range(half, "weights").expected.gib()).epsilon(0.01));
  }
}
