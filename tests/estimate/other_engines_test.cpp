// SGLang, TensorRT-LLM and plain transformers beside what was published of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "estimate/engine_choices.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using domain::Estimate;
using domain::Fact;
using domain::Origin;

namespace {

template <class T>
Fact<T> asked(T value) {
  return {std::move(value), Origin::Flag, "the test"};
}

domain::VisibleMemory gpu(double total_gib, double nvml_mib, const std::string& capability) {
  domain::VisibleMemory memory;
  memory.bytes = domain::exactly(gib_of(total_gib));
  memory.parent_bytes = gib_of(nvml_mib / 1024);
  memory.compute_capability = capability;
  memory.vendor = "nvidia";
  memory.multiprocessors = 132;
  return memory;
}
domain::VisibleMemory h100() { return gpu(79.19, 81559, "9.0"); }
domain::VisibleMemory h200() { return gpu(139.8, 143771, "9.0"); }

struct Asked {
  std::string_view model;
  std::string_view engine;
  std::string version = {};
  std::int64_t tensor = 1;
};

domain::Workload workload_of(const Asked& row) {
  domain::Workload workload;
  workload.engine.engine = asked(std::string(row.engine));
  if (!row.version.empty()) workload.engine.version = asked(*domain::engine_version(row.version));
  workload.engine.tensor = asked(row.tensor);
  return workload;
}

Estimate estimated(const Asked& row, const domain::Workload& workload,
                   const std::optional<domain::VisibleMemory>& memory) {
  const Result<Estimate> estimate =
      estimate::estimate_memory(*example::built_in_catalog().find(row.model), workload,
                                *example::built_in_catalog().engine(row.engine), memory);
  REQUIRE_MESSAGE(estimate.has_value(), estimate.error().front().message);
  return *estimate;
}

domain::Range range_of(const Estimate& estimate, std::string_view name) {
  for (const domain::Term& one : estimate.terms) {
    if (one.name == name) return one.bytes;
  }
  return {};
}

}  // namespace

TEST_SUITE("estimate") {
  // TensorRT-LLM quantization/quantize.py, kv_cache_quantize: kv_cache_scaling_factor has shape
  // (1, ), so that a token of 32 layers and 8 heads of 128 keeps 32 x 8 x 2 x 128 bytes. vLLM has
  // a float32 scale for each token, head and side.
  TEST_CASE("TensorRT-LLM's 8-bit integers have one scale a layer, vLLM's one a token and head") {
    struct Row {
      std::string_view engine;
      std::int64_t bytes;
    };
    for (const Row& row : {Row{"tensorrt-llm", 65'536}, Row{"vllm", 67'584}}) {
      CAPTURE(row.engine);
      const Asked asked_for{.model = "meta-llama/Llama-3.1-8B", .engine = row.engine};
      domain::Workload workload = workload_of(asked_for);
      workload.kv_cache_type = asked(domain::KvCacheType::Int8);
      CHECK(estimated(asked_for, workload, std::nullopt).kv_bytes_per_token == Bytes(row.bytes));
    }
  }

  // Printed "mem usage" of public starts: https://github.com/sgl-project/sglang/issues/6753, /4127,
  // /4257; https://github.com/lennonYe/6998_project.
  TEST_CASE("SGLang's weights are the segments that free memory lost") {
    struct Row {
      Asked asked;
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
      const Estimate estimate = estimated(row.asked, workload_of(row.asked), h200());
      CHECK(std::abs(range_of(estimate, "weights").expected.gib() - row.printed_gib) < 0.016);
    }
  }

  // https://github.com/sgl-project/sglang/issues/6753: mem_fraction_static=0.8717961202189594,
  // #tokens: 871371, K and V 53.18 GB each.
  TEST_CASE("SGLang on H200 keeps the pool that it printed") {
    const Asked row{"meta-llama/Meta-Llama-3-8B-Instruct", "sglang", "0.4.6", 1};
    const Estimate estimate = estimated(row, workload_of(row), h200());
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
    const Asked older{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.3", 1};
    const Asked newer{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.10", 1};
    CHECK(estimated(older, workload_of(older), h100()).settings.gpu_memory_utilization.value ==
          0.835);
    CHECK(estimated(newer, workload_of(newer), h100()).settings.gpu_memory_utilization.value ==
          0.83);
    const domain::VisibleMemory small = gpu(23.6, 24564, "8.9");
    const Estimate estimate = estimated(older, workload_of(older), small);
    CHECK(estimate.settings.gpu_memory_utilization.value == 0.847);
    CHECK(estimate.settings.max_num_batched_tokens.value == 2048);
  }

  // A start of April 2026 on one H200 (https://github.com/bowenwan6/sglang-vllm-profiler): its
  // config calls the encoder's 27 layers `depth`, and SGLang takes 24.
  TEST_CASE("SGLang leaves encoders of images the room that its reading of their config gives") {
    const Asked row{"Qwen/Qwen3-VL-8B-Instruct", "sglang", "0.5.8", 1};
    const Estimate estimate = estimated(row, workload_of(row), h200());
    CHECK(estimate.settings.gpu_memory_utilization.value == doctest::Approx(0.8387624218749999));
    REQUIRE(estimate.capacity);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(100.12).epsilon(0.003));
  }

  TEST_CASE("SGLang gives windows fewer tokens, and states a part of their own") {
    const Asked windows{"openai/gpt-oss-20b", "sglang", "0.5.3", 1};
    domain::Workload workload = workload_of(windows);
    workload.engine.kv_cache_memory_bytes = asked(gib(10));
    // 24 layers x 8 heads x 64 x 2 sides x 2 bytes: 2,048 a layer; half of them hold windows.
    const double bytes = 12 * 2048 + 0.8 * 12 * 2048;
    const Estimate estimate = estimated(windows, workload, h100());
    CHECK(estimate.capacity->kv_pool_tokens ==
          static_cast<std::int64_t>(10 * 1024.0 * 1024 * 1024 / bytes));
    const Asked states{"Qwen/Qwen3-Next-80B-A3B-Instruct", "sglang", "0.5.3", 4};
    const Estimate hybrid = estimated(states, workload_of(states), h200());
    REQUIRE(hybrid.capacity);
    CHECK(hybrid.capacity->kv_pool_tokens > 0);
    // 0.9 / 1.9 of the rest are states: keys and values get 1 / 1.9.
    const double rest = (139.8 - 0.65 - 1) * hybrid.capacity->utilization -
                        range_of(hybrid, "weights").expected.gib();
    CHECK(hybrid.capacity->kv_pool_bytes.expected.gib() ==
          doctest::Approx(rest / 1.9).epsilon(0.01));
  }

  // https://github.com/sgl-project/sglang/issues/7590: 24 layers x 2 x 16 heads x 64 x 2 bytes,
  // 98,304 a token; TensorRT-LLM makes a cache for models that generate only.
  TEST_CASE("SGLang makes pools for encoders, too; other engines need none to fit") {
    const Asked row{"BAAI/bge-m3", "sglang", "0.4.8", 1};
    domain::Workload workload = workload_of(row);
    workload.engine.kv_cache_memory_bytes = asked(Bytes(98304LL * 256568));
    CHECK(estimated(row, workload, h100()).capacity->kv_pool_tokens == 256568);
    for (const std::string_view engine : {"sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(engine);
      const Asked encoder{"BAAI/bge-m3", engine, {}, 1};
      domain::Workload load = workload_of(encoder);
      load.context_tokens = asked<std::int64_t>(512);
      load.concurrency = asked<std::int64_t>(8);
      CHECK(estimated(encoder, load, h100()).capacity->fits);
    }
  }

  // By hand: 8,192 tokens x 8 experts each hold max(2 x 768, 2,048) + 768 values of 2 bytes; beside
  // them 4 hidden states of 2,048 a token, its 128 logits and weights of 4 bytes, and the matrix
  // library's 32 MiB.
  TEST_CASE("a mixture's peak holds its routed tokens between the projections") {
    const Asked row{"Qwen/Qwen3-30B-A3B", "sglang", "0.5", 1};
    domain::Workload workload = workload_of(row);
    workload.engine.max_num_batched_tokens = asked<std::int64_t>(8192);
    workload.engine.max_num_seqs = asked<std::int64_t>(16);  // the sampler stays below
    CHECK(range_of(estimated(row, workload, h200()), "activation").expected ==
          Bytes(8192LL * 8 * (2048 + 768) * 2 + 8192LL * (4 * 2048 * 2 + 128 * 8)) + mib(32));
  }

  // 32 layers, each with 2 inputs of 2,560 in 16 bits and 40 states of 64 x 64 in 32.
  TEST_CASE("RWKV-5 keeps states only, and runs by its published code alone") {
    const Asked row{"RWKV/rwkv-5-world-3b", "transformers", {}, 1};
    domain::Workload workload = workload_of(row);
    workload.context_tokens = asked<std::int64_t>(4096);
    workload.concurrency = asked<std::int64_t>(4);
    const Estimate estimate = estimated(row, workload, h100());
    CHECK(range_of(estimate, "state").expected ==
          Bytes(4LL * 32 * (2 * 2560 * 2 + 40 * 64 * 64 * 4)));
    CHECK(estimate.kv_bytes_per_token == Bytes(0));
    const auto refused =
        estimate::estimate_memory(*example::built_in_catalog().find(row.model), workload,
                                  *example::built_in_catalog().engine("vllm"), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message.contains("rwkv5"));
  }

  TEST_CASE("in a vGPU guest the reservation is nobody's") {
    for (const std::string_view engine : {"sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(engine);
      const Asked row{"meta-llama/Llama-3.1-8B-Instruct", engine, {}, 1};
      domain::VisibleMemory guest = h100();
      const Bytes whole = estimated(row, workload_of(row), guest).capacity->kv_pool_bytes.expected;
      guest.takeable_bytes = gib(70);
      CHECK(estimated(row, workload_of(row), guest).capacity->kv_pool_bytes.expected < whole);
    }
  }

  // A start of DeepSeek-V3.2 on 8 B200 prints 43.67 GB and 975,424 tokens
  // (https://github.com/sgl-project/sglang/pull/11309): 512 + 16,384 x 1.5 + 512 x 2 + 1,024 + 512
  // x 8 x 3 = 39,424 MiB of 183,359.
  TEST_CASE("DP attention reserves for every rank, and each has the whole attention") {
    const Asked row{"deepseek-ai/DeepSeek-V3.2-Exp", "sglang", "0.5.3", 1};
    domain::Workload workload = workload_of(row);
    workload.engine.data = asked<std::int64_t>(8);
    workload.engine.expert = asked<std::int64_t>(8);
    const Estimate estimate = estimated(row, workload, gpu(178.36, 183359, "10.0"));
    CHECK(estimate.settings.gpu_memory_utilization.value == 0.785);
    CHECK(estimate.capacity->kv_pool_bytes.expected.gib() == doctest::Approx(43.67).epsilon(0.03));
    // 61 layers x (656 + 132) bytes
    CHECK(estimate.kv_bytes_per_token == Bytes(61LL * (656 + 132)));
  }

  TEST_CASE("an unknown version takes the nearest older facts and says so") {
    const Asked row{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.9", 1};
    const Estimate estimate = estimated(row, workload_of(row), h100());
    CHECK(example::has_note(estimate, "no facts of sglang 0.9 itself: those of 0.5.13 are used"));
  }

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
      const Asked one{row.model, "tensorrt-llm", "1.2", row.tensor};
      domain::Workload workload = workload_of(one);
      workload.kv_cache_type = asked(domain::KvCacheType::Bf16);
      workload.context_tokens = asked(row.input + row.output + 1000);
      workload.engine.max_num_batched_tokens = asked(2 * row.input);
      workload.engine.gpu_memory_utilization = asked(row.share);
      const Estimate estimate = estimated(one, workload, h100());
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
      Asked asked;
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
      domain::Workload workload = workload_of(row.asked);
      workload.context_tokens = asked(std::min<std::int64_t>(row.longest, 2048));
      workload.engine.max_num_batched_tokens = asked(row.tokens);
      const Estimate estimate = estimated(row.asked, workload, h100());
      const domain::Range weights = range_of(estimate, "weights");
      CHECK(weights.low.gib() <= row.weights_gib);
      CHECK(weights.high.gib() >= row.weights_gib);
      CHECK(std::abs(range_of(estimate, "activation").expected.gib() - row.step_gib) < 0.03);
    }
  }

  // tensorrt_llm/_torch/modules/fused_moe/quantization.py, MXFP4WeightCutlassFusedMoEMethod: 2,880
  // to 2,944 both ways, in the three matrices of 128 experts in 36 layers, with a scale for 32
  // values and biases as long.
  TEST_CASE("TensorRT-LLM pads experts in MXFP4 to 128 both ways") {
    const auto weights_of = [](std::string_view version) {
      const Asked row{"openai/gpt-oss-120b", "tensorrt-llm", std::string(version), 1};
      const Estimate estimate = estimated(row, workload_of(row), h100());
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
    const Asked row{"meta-llama/Meta-Llama-3-8B-Instruct", "tensorrt-llm", "1.2", 1};
    domain::Workload workload = workload_of(row);
    workload.context_tokens = asked<std::int64_t>(1025);
    workload.engine.kv_cache_memory_bytes = asked(Bytes(28150LL * 32 * 131072 + 1000));
    const Estimate estimate = estimated(row, workload, h200());
    CHECK(estimate.capacity->kv_pool_tokens == 900800);
    CHECK(estimate.capacity->max_concurrency_at_context == doctest::Approx(28150 / 33.0));
  }

  TEST_CASE("TensorRT-LLM holds adapters and a draft model beside the weights") {
    const Asked row{"meta-llama/Llama-3.1-8B-Instruct", "tensorrt-llm", "1.2"};
    domain::Workload workload = workload_of(row);
    const Estimate alone = estimated(row, workload, h200());
    CHECK(range_of(alone, "adapters") == domain::Range{});
    workload.adapters.emplace();
    workload.adapters->count = asked<std::int64_t>(4);
    workload.adapters->rank = asked<std::int64_t>(16);
    workload.adapters->modules = asked(domain::AdapterModules::Attention);
    workload.engine.draft_model = domain::DraftModel{
        .name = asked(std::string("meta-llama/Llama-3.2-1B-Instruct")),
        .model = std::make_shared<const domain::Model>(
            *example::built_in_catalog().find("meta-llama/Llama-3.2-1B-Instruct"))};
    const Estimate with = estimated(row, workload, h200());
    // Per layer q and o take and give 4,096, k and v give 1,024: 2 x 8,192 + 2 x 5,120 values.
    CHECK(range_of(with, "adapters").expected.gib() ==
          doctest::Approx(4.0 * 16 * 32 * (2 * 8192 + 2 * 5120) * 2 / 1073741824).epsilon(0.02));
    // 1,235,814,400 parameters in 16 bits, with the rotary table of 131,072 positions x 64 x 4.
    CHECK(range_of(with, "draft").expected.gib() ==
          doctest::Approx((1235814400.0 * 2 + 131072 * 64 * 4) / 1073741824).epsilon(0.005));
    REQUIRE(with.capacity);
    CHECK(with.capacity->kv_pool_bytes.expected < alone.capacity->kv_pool_bytes.expected);
  }

  // By hand: 8,030,261,248 parameters; one token keeps 32 x 2 x 8 x 128 values.
  TEST_CASE("transformers holds weights, a cache and the prefill of the whole prompt") {
    const Asked row{"meta-llama/Llama-3.1-8B-Instruct", "transformers", "5.0", 1};
    domain::Workload workload = workload_of(row);
    workload.context_tokens = asked<std::int64_t>(8192);
    workload.concurrency = asked<std::int64_t>(1);
    const Estimate estimate = estimated(row, workload, h100());
    CHECK(range_of(estimate, "weights").expected.gib() ==
          doctest::Approx(8030261248.0 * 2 / 1073741824).epsilon(0.001));
    CHECK(range_of(estimate, "kvCache").expected == gib(1));
    CHECK(range_of(estimate, "cacheGrowth").expected == mib(32));  // of one layer
    // 8,192 x 2 bytes x (3 x 14,336 + 4 x 4,096)
    CHECK(range_of(estimate, "activation").expected == Bytes(8192LL * 2 * (3 * 14336 + 4 * 4096)));
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
      Asked asked;
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
        domain::Workload workload = workload_of(row.asked);
        workload.quantization = asked(domain::Quantization::Bf16);
        workload.context_tokens = asked(peak.prompt);
        workload.concurrency = asked<std::int64_t>(1);
        const Estimate estimate = estimated(row.asked, workload, h100());
        double allocated = 0;
        for (const std::string_view name : {"weights", "kvCache", "cacheGrowth", "activation"})
          allocated += range_of(estimate, name).expected.gib();
        CHECK(allocated == doctest::Approx(peak.gib).epsilon(row.tolerance));
      }
    }
  }

  TEST_CASE("older transformers upcast the logits of the prompt, and load in 32 bits") {
    const Asked row{"meta-llama/Llama-3.1-8B-Instruct", "transformers", "4.40", 1};
    domain::Workload workload = workload_of(row);
    workload.context_tokens = asked<std::int64_t>(8192);
    workload.concurrency = asked<std::int64_t>(1);
    const Estimate plain = estimated(row, workload, h100());
    CHECK(plain.quantization.value == domain::Quantization::Fp32);
    CHECK(example::has_note(plain, "loads in 32 bits"));
    workload.quantization = asked(domain::Quantization::Bf16);
    const Estimate half = estimated(row, workload, h100());
    // 8,192 rows x 128,256 x (2 + 4) bytes, beside the hidden states.
    CHECK(range_of(half, "activation").expected == Bytes(8192LL * 128256 * 6 + 8192LL * 4096 * 2));
    CHECK(range_of(plain, "weights").expected.gib() ==
          doctest::Approx(2 * range_of(half, "weights").expected.gib()).epsilon(0.01));
  }

  TEST_CASE("the share that is chosen leaves room for what stands beside it") {
    const Asked row{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.10", 1};
    const Estimate estimate = estimated(row, workload_of(row), h100());
    const std::optional<double> share = estimate::safe_share(estimate, h100(), 0.95);
    REQUIRE(share);
    const double before = range_of(estimate, "cudaContext").high.gib();
    const double beside = range_of(estimate, "activation").high.gib() +
                          range_of(estimate, "graphs").high.gib() +
                          range_of(estimate, "nonTorch").high.gib();
    CHECK((79.19 - before) * (1 - *share) >= beside);
    const Asked trt{"meta-llama/Llama-3.1-8B-Instruct", "tensorrt-llm", "1.2", 1};
    CHECK_FALSE(
        estimate::safe_share(estimated(trt, workload_of(trt), h100()), h100(), 0.95).has_value());
    CHECK(estimate::usual_steps("transformers").empty());
  }
}
