// TensorRT-LLM beside what was published of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
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
using example::printed_h200;
using example::term_range;

TEST_SUITE("estimate") {
  // The largest numbers of sequences that were admitted: integration tests of
  // https://github.com/ai-dynamo/aiconfigurator.
  TEST_CASE("TensorRT-LLM admits as many sequences as were measured") {
    struct Row {
      std::string_view model;
      std::int64_t tensor, input, output;
      double share;
      double measured;
    };
    const auto rows = std::to_array<Row>({
        {"Qwen/Qwen3-32B-FP8", 1, 2048, 4096, 0.8, 19},
        {"Qwen/Qwen3-32B-FP8", 4, 4096, 4096, 0.8, 93},
        {"meta-llama/Meta-Llama-3.1-8B", 1, 2048, 2048, 0.8, 78},
        {"meta-llama/Meta-Llama-3.1-8B", 2, 4096, 2048, 0.8, 123},
        {"meta-llama/Meta-Llama-3.1-8B", 4, 2048, 2048, 0.8, 363},
    });
    for (const Row& row : rows) {
      CAPTURE(row.model);
      CAPTURE(row.tensor);
      const AskedEngine one{row.model, "tensorrt-llm", "1.2", row.tensor};
      domain::Workload workload = engine_workload(one);
      workload.kv_cache_type = flag(domain::KvCacheType::Bf16);
      workload.context_tokens = flag(row.input + row.output + 1000);
      workload.engine.max_num_batched_tokens = flag(2 * row.input);
      workload.engine.gpu_memory_utilization = flag(row.share);
      const Estimate estimate = engine_estimate(one, workload, printed_h100());
      REQUIRE(estimate.capacity);
      const double admitted = std::floor(estimate.capacity->max_concurrency_at_context);
      CHECK(std::abs(admitted - row.measured) <= std::max(1.0, 0.02 * row.measured));
    }
  }

  // https://github.com/waynehacking8/trtllm-triton-serving, results/waterfall (0.20.0, H100);
  // https://github.com/SRO-SA/trtllm-qwen-benchmark (1.1.0): "inside torch" after loading and
  // "dynamically allocated during inference".
  TEST_CASE("TensorRT-LLM's weights and step are what it prints") {
    struct Row {
      AskedEngine asked;
      std::int64_t tokens, longest;
      double weights_gib, step_gib;
    };
    const auto rows = std::to_array<Row>({
        {{"nvidia/Llama-3.1-8B-Instruct-FP8", "tensorrt-llm", "0.20", 1}, 8192, 257, 8.55, 1.05},
        {{"nvidia/Llama-3.1-8B-Instruct-FP8", "tensorrt-llm", "0.20", 1}, 4608, 269, 8.55, 0.60},
        {{"nvidia/Llama-3.1-8B-Instruct-FP8", "tensorrt-llm", "0.20", 2}, 4608, 269, 4.32, 0.39},
        {{"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "tensorrt-llm", "1.1", 1}, 8192, 2049, 2.23, 0.39},
    });
    for (const Row& row : rows) {
      CAPTURE(row.asked.model);
      CAPTURE(row.tokens);
      domain::Workload workload = engine_workload(row.asked);
      workload.context_tokens = flag(std::min<std::int64_t>(row.longest, 2048));
      workload.engine.max_num_batched_tokens = flag(row.tokens);
      const Estimate estimate = engine_estimate(row.asked, workload, printed_h100());
      const domain::Range weights = term_range(estimate, "weights");
      CHECK(weights.low.gib() <= row.weights_gib);
      CHECK(weights.high.gib() >= row.weights_gib);
      CHECK(std::abs(term_range(estimate, "activation").expected.gib() - row.step_gib) < 0.03);
    }
  }

  // tensorrt_llm/_torch/modules/fused_moe/quantization.py, MXFP4WeightCutlassFusedMoEMethod: 2,880
  // to 2,944 both ways, in the three matrices of 128 experts in 36 layers, with a scale for 32
  // values and biases as long.
  TEST_CASE("TensorRT-LLM pads experts in MXFP4 to 128 both ways") {
    const auto weights_of = [](std::string_view version) {
      const AskedEngine row{"openai/gpt-oss-120b", "tensorrt-llm", std::string(version), 1};
      const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h100());
      return *std::ranges::find(estimate.terms, "weights", &domain::Term::name);
    };
    const auto tensor_bytes = [](const domain::Term& weights) {
      const auto input = std::ranges::find(weights.inputs, "tensorBytes", &domain::Input::name);
      return std::get<std::int64_t>(input->value);
    };
    const auto expert_bytes = [](std::int64_t size) {
      return 128 * 36 * (3 * size * size / 32 * 17 + 3 * size * 2);
    };
    CHECK(tensor_bytes(weights_of("1.1")) - tensor_bytes(weights_of("1.0")) ==
          expert_bytes(2944) - expert_bytes(2880));
  }

  // https://github.com/faradawn/bench3: 28,150 blocks of 32 tokens in 109.96 GiB.
  TEST_CASE("TensorRT-LLM counts whole blocks of 32 tokens") {
    const AskedEngine row{"meta-llama/Meta-Llama-3-8B-Instruct", "tensorrt-llm", "1.2", 1};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(1025);
    workload.engine.kv_cache_memory_bytes = flag(Bytes(28150LL * 32 * 131072 + 1000));
    const Estimate estimate = engine_estimate(row, workload, printed_h200());
    CHECK(estimate.capacity->kv_pool_tokens == 900800);
    CHECK(estimate.capacity->max_concurrency_at_context == doctest::Approx(28150 / 33.0));
  }

  TEST_CASE("TensorRT-LLM holds adapters and a draft model beside the weights") {
    const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", "tensorrt-llm", "1.2"};
    domain::Workload workload = engine_workload(row);
    const Estimate alone = engine_estimate(row, workload, printed_h200());
    CHECK(term_range(alone, "adapters") == domain::Range{});
    workload.adapters.emplace();
    workload.adapters->count = flag<std::int64_t>(4);
    workload.adapters->rank = flag<std::int64_t>(16);
    workload.adapters->modules = flag(domain::AdapterModules::Attention);
    workload.engine.draft_model = domain::DraftModel{
        .name = flag(std::string("meta-llama/Llama-3.2-1B-Instruct")),
        .model = std::make_shared<const domain::Model>(
            *example::built_in_catalog().find("meta-llama/Llama-3.2-1B-Instruct"))};
    const Estimate with = engine_estimate(row, workload, printed_h200());
    // Per layer q and o take and give 4,096, k and v give 1,024: 2 x 8,192 + 2 x 5,120 values.
    CHECK(term_range(with, "adapters").expected.gib() ==
          doctest::Approx(4.0 * 16 * 32 * (2 * 8192 + 2 * 5120) * 2 / 1073741824).epsilon(0.02));
    // 1,235,814,400 parameters in 16 bits, with the rotary table of 131,072 positions x 64 x 4.
    CHECK(term_range(with, "draft").expected.gib() ==
          doctest::Approx((1235814400.0 * 2 + 131072 * 64 * 4) / 1073741824).epsilon(0.005));
    REQUIRE(with.capacity);
    CHECK(with.capacity->kv_pool_bytes.expected < alone.capacity->kv_pool_bytes.expected);
  }
}
