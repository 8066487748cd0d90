// SGLang held against what its starts print: weights, pools and graphs.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "estimate/estimate_memory.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

struct SglangStart {
  std::string_view model;
  std::string version;
  std::int64_t tensor = 1;
  double total_gib = 139.8;  ///< of an H200
  std::string capability = "9.0";
};

template <class T>
domain::Fact<T> told(T value) {
  return {std::move(value), domain::Origin::Flag, "the test"};
}

domain::Workload started_with(const SglangStart& start) {
  domain::Workload workload;
  workload.engine.engine = told(std::string("sglang"));
  workload.engine.version = told(*domain::engine_version(start.version));
  workload.engine.tensor = told(start.tensor);
  return workload;
}

domain::Estimate estimate_of(const SglangStart& start, const domain::Workload& workload) {
  domain::VisibleMemory gpu;
  gpu.bytes = domain::exactly(gib_of(start.total_gib));
  gpu.parent_bytes = gib_of(start.total_gib * 1.027);  // NVML counts what the driver keeps
  gpu.compute_capability = start.capability;
  gpu.vendor = "nvidia";
  gpu.multiprocessors = 132;
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*example::built_in_catalog().find(start.model), workload,
                                *example::built_in_catalog().engine("sglang"), gpu);
  REQUIRE_MESSAGE(estimate.has_value(), estimate.error().front().message);
  return *estimate;
}

domain::Range part_of(const domain::Estimate& estimate, domain::Part part) {
  return domain::part_bytes(estimate, part);
}

}  // namespace

TEST_SUITE("estimate") {
  // Printed "mem usage" of https://github.com/mattbucci/2x-3090-GA102-300-A1-sglang-inference,
  // benchmarks/sprint-2026-06-kv-decode: AWQ with groups of 128 for the linear layers of the
  // decoder (scripts/quantize/quantize_gemma4_qat_rtn_awq.py), on two GPUs.
  TEST_CASE("SGLang keeps Gemma's embedding whole on every rank") {
    const SglangStart row{"google/gemma-4-12B-it", "0.5.10", 2, 24, "8.6"};
    domain::Workload workload = started_with(row);
    workload.quantization = told(domain::Quantization::Awq);
    const domain::Estimate estimate = estimate_of(row, workload);
    const domain::Range weights = part_of(estimate, domain::Part::Weights);
    CHECK(weights.expected.gib() == doctest::Approx(5.42).epsilon(0.02));
    CHECK(weights.low.gib() <= 5.42);
    CHECK(weights.high.gib() >= 5.42);
  }

  // "mem usage=81.64 GB" of R1 on eight H200 (https://github.com/Michaelvll/llm-ie-benchmarks):
  // eight copies of 3 x 7,168 x 2,048 bytes over eight ranks in place of one, 58 layers:
  // 58 x 44,040,192 x 7 / 8 are 2.08 GiB more than before.
  TEST_CASE("SGLang 0.4.5 has DeepSeek-R1's shared expert once for every rank") {
    const auto weights = [](const std::string& version) {
      const SglangStart start{.model = "deepseek-ai/DeepSeek-R1", .version = version, .tensor = 8};
      return part_of(estimate_of(start, started_with(start)), domain::Part::Weights);
    };
    const domain::Range whole = weights("0.4.5");
    CHECK(whole.expected.gib() == doctest::Approx(81.64).epsilon(0.003));
    CHECK((whole.expected - weights("0.4.4").expected).gib() ==
          doctest::Approx(2.08).epsilon(0.03));
    CHECK(weights("0.4.9").expected == weights("0.4.4").expected);
  }

  // "Capture cuda graph end": https://github.com/sgl-project/sglang/issues/6753, pull/4826 (13.95
  // less 9.72 GB) and issues/4257, 23 sizes up to 160.
  TEST_CASE("SGLang's older graphs keep the logits of every size") {
    struct Row {
      SglangStart start;
      double printed_gib;
    };
    const auto rows = std::to_array<Row>({
        {{"meta-llama/Meta-Llama-3-8B-Instruct", "0.4.6", 1}, 2.51},
        {{"google/gemma-3-4b-it", "0.4.4", 1}, 4.23},
        {{"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "0.4.3", 2}, 3.38},
    });
    for (const Row& row : rows) {
      CAPTURE(row.start.model);
      const domain::Estimate estimate = estimate_of(row.start, started_with(row.start));
      CHECK(part_of(estimate, domain::Part::Graphs).expected.gib() ==
            doctest::Approx(row.printed_gib).epsilon(0.05));
    }
  }

  // A start of April 2026 on two RTX 4090, of which 22.93 GB are free before loading: mem
  // usage=8.85 GB, max_mamba_cache_size: 186, #tokens: 327310, K and V 2.50 GB each. Source of the
  // table's length: SGLang layers/rotary_embedding/mrope.py.
  TEST_CASE("SGLang's table of a rope with sections is no longer than others") {
    const SglangStart row{"Qwen/Qwen3.5-9B", "0.5.10", 2, 23.6, "8.9"};
    domain::Workload workload = started_with(row);
    workload.engine.gpu_memory_utilization = told(0.8);
    const domain::Estimate estimate = estimate_of(row, workload);
    const double weights = part_of(estimate, domain::Part::Weights).expected.gib();
    CHECK(weights == doctest::Approx(8.85).epsilon(0.01));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() == doctest::Approx(5.00).epsilon(0.02));
    CHECK(static_cast<double>(estimate.capacity->kv_pool_tokens) ==
          doctest::Approx(327310).epsilon(0.02));
  }

  // https://github.com/sgl-project/sglang/pull/4826: mem usage=8.13 GB, #tokens 834615, K and V
  // 54.12 GB each on H200, March 2025. A table for each of two ropes, of the model's 131,072
  // positions.
  TEST_CASE("SGLang turns Gemma 3 without the scaling of its positions") {
    const SglangStart row{"google/gemma-3-4b-it", "0.4.4", 1};
    const domain::Estimate estimate = estimate_of(row, started_with(row));
    const double weights = part_of(estimate, domain::Part::Weights).expected.gib();
    CHECK(weights == doctest::Approx(8.13).epsilon(0.02));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(108.24).epsilon(0.005));
    CHECK(static_cast<double>(estimate.capacity->kv_pool_tokens) ==
          doctest::Approx(834615).epsilon(0.005));
  }

  // A start on GB10: SWAKVPool mem usage: 79.94 GB, swa size: 798276, full size: 997846.
  TEST_CASE("SGLang gives layers that share a cache room of their own") {
    const SglangStart row{"google/gemma-4-E4B-it", "0.5.13", 1, 119.7, "12.1"};
    domain::Workload workload = started_with(row);
    workload.engine.kv_cache_memory_bytes = told(gib_of(79.94));
    const domain::Estimate estimate = estimate_of(row, workload);
    REQUIRE(estimate.capacity);
    CHECK(static_cast<double>(estimate.capacity->kv_pool_tokens) ==
          doctest::Approx(997846).epsilon(0.0001));
  }
}
