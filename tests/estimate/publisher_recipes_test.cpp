// Weights and caches of one series of starts: vLLM 0.30.0 on an RTX 3090 of 24 GiB, text alone, 16
// sequences and steps of 1,024 tokens, every start in a container of its own, so that it compiles
// (https://github.com/sinkarusa/jevemu docs/research). Printed to a hundredth of a GiB.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

struct SeriesStart {
  std::string_view model;
  double weights = 0;
  double utilization = 0;
  double pool = 0;
};

domain::Estimate started_estimate(const SeriesStart& start, std::optional<bool> compiles) {
  const Result<domain::Model> model =
      example::built_in_catalog().find_name(std::string(start.model));
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::VisibleMemory gpu;
  gpu.bytes = domain::exactly(gib_of(23.69));
  gpu.parent_bytes = gib_of(24);
  gpu.compute_capability = "8.6";
  gpu.vendor = "nvidia";
  domain::Workload workload = example::workload(8192, 1);
  workload.images = example::flag<std::int64_t>(0);
  workload.engine.version = example::flag(domain::EngineVersion{0, 30, 0});
  workload.engine.max_num_seqs = example::flag<std::int64_t>(16);
  workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(1024);
  workload.engine.gpu_memory_utilization = example::flag(start.utilization);
  if (compiles) workload.engine.compiles = example::flag(*compiles);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return *estimate;
}

}  // namespace

TEST_SUITE("estimate") {
  // Qwen3.6-27B without its tower by 0.20.0, and Qwen3.8-27B with it by 0.28.0, on RTX 5090.
  TEST_CASE("a copy for text alone leaves the encoders out") {
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(engine);
    const auto loaded = [&](const char* name, domain::EngineVersion version) {
      const auto model = example::built_in_catalog().find_name(name);
      REQUIRE(model);
      domain::Workload workload = example::workload(8192, 1);
      workload.engine.version = example::flag(version);
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
      REQUIRE(estimate);
      return domain::part_bytes(*estimate, domain::Part::Weights).expected.gib();
    };
    CHECK(loaded("sakamakismile/Qwen3.6-27B-Text-NVFP4-MTP", {0, 20, 0}) ==
          doctest::Approx(17.62).epsilon(0.015));
    CHECK(loaded("sakamakismile/Qwen3.8-27B-MTP-NVFP4", {0, 28, 0}) ==
          doctest::Approx(18.48).epsilon(0.015));
  }

  TEST_CASE("copies of publishers whose recipes are known load what they print") {
    constexpr auto kStarts = std::to_array<SeriesStart>({
        {"cyankiwi/Qwen3.8-27B-AWQ-INT4", 18.37, 0.95, 1.33},
        {"cyankiwi/Qwen3.6-27B-AWQ-INT4", 18.32, 0.95, 1.39},
        {"cyankiwi/Qwen3.5-9B-AWQ-4bit", 7.55, 0.90, 11.51},
        {"cyankiwi/Qwen3.5-9B-AWQ-BF16-INT8", 12.19, 0.90, 6.84},
        {"cyankiwi/gemma-4-26B-A4B-it-qat-AWQ-INT4", 15.56, 0.90, 3.98},
        {"QuantTrio/Qwen3.6-27B-AWQ", 19.05, 0.95, 0},
        {"QuantTrio/Qwen3.5-9B-AWQ", 10.35, 0.90, 8.71},
        {"RedHatAI/Qwen3.8-27B-INT4", 16.84, 0.95, 2.88},
        {"RedHatAI/Qwen3.5-9B-FP8-dynamic", 11.88, 0.90, 7.18},
        {"palmfuture/Qwen3.8-27B-GPTQ-Int4", 17.88, 0.95, 1.72},
        {"btbtyler09/Qwen3.8-27B-GPTQ-4bit", 17.88, 0.95, 1.72},
        {"groxaxo/Qwen3.8-27B-GPTQ-Pro-4bit-g64-calib128", 17.20, 0.95, 2.42},
        {"groxaxo/Qwen3.6-27B-GPTQ-Pro-4bit", 16.83, 0.95, 2.81},
        {"Qwen/Qwen3.5-35B-A3B-GPTQ-Int4", 20.27, 0.95, 0.72},
        {"palmfuture/Qwen3.6-35B-A3B-GPTQ-Int4", 20.27, 0.95, 0.72},
    });
    for (const SeriesStart& start : kStarts) {
      CAPTURE(std::string(start.model));
      const domain::Estimate estimate = started_estimate(start, true);
      const domain::Range weights = domain::part_bytes(estimate, domain::Part::Weights);
      CHECK(weights.expected.gib() == doctest::Approx(start.weights).epsilon(0.007));
      CHECK(weights.low.gib() <= start.weights);
      CHECK(weights.high.gib() >= start.weights);
    }
  }

  // A copy of the table that tokens are looked up in, of 1.449 GiB for Qwen3-14B (151,936 x 5,120 x
  // 2 bytes) and 0.724 for Qwen3-4B, whose head is the table: it counts twice.
  TEST_CASE("a start that compiles has the cache that is left beside the compiler's copies") {
    constexpr auto kStarts = std::to_array<SeriesStart>({
        {"Qwen/Qwen3-14B-AWQ", 9.44, 0.90, 10.11},
        {"Qwen/Qwen3-32B-AWQ", 18.24, 0.95, 2.43},
        {"Qwen/Qwen2.5-32B-Instruct-AWQ", 18.14, 0.95, 2.52},
        {"Qwen/Qwen3-4B", 7.56, 0.90, 12.0},
        {"microsoft/Phi-4-mini-instruct", 7.17, 0.90, 11.6},
        {"meta-llama/Llama-3.2-3B-Instruct", 6.04, 0.90, 13.5},
        {"Qwen/Qwen3.5-9B", 16.80, 0.90, 2.28},
        {"Qwen/Qwen3.5-2B", 3.63, 0.90, 16.4},
    });
    for (const SeriesStart& start : kStarts) {
      CAPTURE(std::string(start.model));
      const domain::Estimate cold = started_estimate(start, true);
      REQUIRE(cold.capacity);
      const domain::Range pool = cold.capacity->kv_pool_bytes;
      CHECK(std::abs(pool.expected.gib() - start.pool) < 0.35);
      CHECK(pool.low.gib() <= start.pool);
      CHECK(pool.high.gib() >= start.pool);
      const domain::Estimate warm = started_estimate(start, false);
      CHECK(warm.capacity->kv_pool_bytes.expected > pool.expected + mib(500));
      // Which of both it is is said where it is assumed, and only there.
      const auto says = [](const domain::Estimate& estimate) {
        return std::ranges::any_of(estimate.notes, [](const std::string& note) {
          return note.contains("a first start is assumed");
        });
      };
      CHECK(says(started_estimate(start, std::nullopt)));
      CHECK_FALSE(says(cold));
      CHECK_FALSE(says(warm));
    }
  }
}
