// What SGLang, TensorRT-LLM and plain transformers have in common, and where one differs from
// another.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "estimate/engine_choices.hpp"
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
      const AskedEngine asked_for{.model = "meta-llama/Llama-3.1-8B", .engine = row.engine};
      domain::Workload workload = engine_workload(asked_for);
      workload.kv_cache_type = flag(domain::KvCacheType::Int8);
      CHECK(engine_estimate(asked_for, workload, std::nullopt).kv_bytes_per_token ==
            Bytes(row.bytes));
    }
  }

  // https://github.com/sgl-project/sglang/issues/7590: 24 layers x 2 x 16 heads x 64 x 2 bytes,
  // 98,304 a token; TensorRT-LLM makes a cache for models that generate only.
  TEST_CASE("SGLang makes pools for encoders, too; other engines need none to fit") {
    const AskedEngine row{"BAAI/bge-m3", "sglang", "0.4.8", 1};
    domain::Workload workload = engine_workload(row);
    workload.engine.kv_cache_memory_bytes = flag(Bytes(98304LL * 256568));
    CHECK(engine_estimate(row, workload, printed_h100()).capacity->kv_pool_tokens == 256568);
    for (const std::string_view engine : {"sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(engine);
      const AskedEngine encoder{"BAAI/bge-m3", engine, {}, 1};
      domain::Workload load = engine_workload(encoder);
      load.context_tokens = flag<std::int64_t>(512);
      load.concurrency = flag<std::int64_t>(8);
      CHECK(engine_estimate(encoder, load, printed_h100()).capacity->fits);
    }
  }

  // Qwen2.5-VL-7B takes images of 16,384 tokens. A prompt of 1,024 has 3 x 18,944 x 1,024 x 2 B =
  // 0.11 GiB in its networks, which 16,384 would make 1.73.
  TEST_CASE("a prompt of plain transformers is as long as it is, whatever images may come") {
    const AskedEngine row{"Qwen/Qwen2.5-VL-7B-Instruct", "transformers", {}, 1};
    domain::Workload workload = engine_workload(row);
    workload.context_tokens = flag<std::int64_t>(1024);
    workload.concurrency = flag<std::int64_t>(1);
    const domain::Range peak =
        term_range(engine_estimate(row, workload, printed_h100()), "activation");
    CHECK(peak.expected > Bytes(0));
    CHECK(peak.expected < gib(1));
  }

  // vLLM 0.19 on Hopper holds widths of MXFP4 experts in multiples of 128: of gpt-oss's 2,880,
  // eight ranks have 360 each, 384 as held. DeepSeek-V2-Lite's, in 16 bits, are as wide as they
  // are.
  TEST_CASE("weights say how wide kernels hold experts, where that is wider than they are") {
    const auto width_of = [](std::string_view model, std::string_view name,
                             std::string_view version = "0.19") {
      const AskedEngine row{model, "vllm", std::string(version), 8};
      const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h100());
      for (const domain::Input& input : estimate.terms.front().inputs) {
        if (input.name == name) return std::get<std::int64_t>(input.value);
      }
      return std::int64_t{0};
    };
    CHECK(width_of("openai/gpt-oss-120b", "expertWidth") == 360);
    CHECK(width_of("openai/gpt-oss-120b", "paddedExpertWidth") == 384);
    CHECK(width_of("deepseek-ai/DeepSeek-V2-Lite", "paddedExpertWidth") == 0);
    // Scales once they are laid out anew, and as they were loaded: both until 0.25.
    CHECK(width_of("openai/gpt-oss-120b", "expertScalesHeld") == 0);
    CHECK(width_of("openai/gpt-oss-120b", "expertScalesHeld", "0.18") == 2);
    CHECK(width_of("openai/gpt-oss-120b", "expertScalesHeld", "0.25.1") == 1);
  }

  TEST_CASE("in a vGPU guest the reservation is nobody's") {
    for (const std::string_view engine : {"sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(engine);
      const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", engine, {}, 1};
      domain::VisibleMemory guest = printed_h100();
      const Bytes whole =
          engine_estimate(row, engine_workload(row), guest).capacity->kv_pool_bytes.expected;
      guest.takeable_bytes = gib(70);
      CHECK(engine_estimate(row, engine_workload(row), guest).capacity->kv_pool_bytes.expected <
            whole);
    }
  }

  TEST_CASE("the share that is chosen leaves room for what stands beside it") {
    const AskedEngine row{"meta-llama/Llama-3.1-8B-Instruct", "sglang", "0.5.10", 1};
    const Estimate estimate = engine_estimate(row, engine_workload(row), printed_h100());
    const std::optional<double> share = estimate::safe_share(estimate, printed_h100(), 0.95);
    REQUIRE(share);
    const double before = term_range(estimate, "cudaContext").high.gib();
    const double beside = term_range(estimate, "activation").high.gib() +
                          term_range(estimate, "graphs").high.gib() +
                          term_range(estimate, "nonTorch").high.gib();
    CHECK((79.19 - before) * (1 - *share) >= beside);
    const AskedEngine trt{"meta-llama/Llama-3.1-8B-Instruct", "tensorrt-llm", "1.2", 1};
    CHECK_FALSE(estimate::safe_share(engine_estimate(trt, engine_workload(trt), printed_h100()),
                                     printed_h100(), 0.95)
                    .has_value());
    CHECK(estimate::usual_steps("transformers").empty());
  }

  // transformers docs, "GGUF": the file is turned into floats while it is loaded. TensorRT-LLM's
  // examples read Hugging Face folders alone.
  TEST_CASE("engines that hold no GGUF types refuse them") {
    for (const std::string_view engine : {"transformers", "tensorrt-llm"}) {
      CAPTURE(engine);
      const domain::Engine row = *example::built_in_catalog().engine(engine);
      const domain::Model model = *example::built_in_catalog().find("Qwen/Qwen3-8B");
      domain::Workload workload;
      workload.engine.engine = flag(std::string(engine));
      CHECK(estimate::estimate_memory(model, workload, row, std::nullopt).has_value());
      workload.quantization = flag(domain::Quantization::MixQ4KM);
      const auto refused = estimate::estimate_memory(model, workload, row, std::nullopt);
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error().front().message.contains("q4_k_m"));
    }
  }

  // https://github.com/vllm-project/recipes/pull/12: eight engines on eight H20 of 139.8 GiB share
  // the experts, and have 48.66 GiB left at 0.9, 55.65 at 0.95. By hand: 8 x 8,192 tokens meet at
  // the experts, 32,768 at a time, each 8 times with 6,144 + 2,560 values of 2 bytes; what is
  // gathered and given back takes 2 x 65,536 x 6,144 x 2 bytes.
  TEST_CASE("engines that share experts gather each other's tokens") {
    const AskedEngine row{"Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "vllm", "0.10.1", 1};
    domain::Workload workload = engine_workload(row);
    workload.engine.data = flag<std::int64_t>(8);
    workload.engine.expert = flag<std::int64_t>(8);
    workload.context_tokens = flag<std::int64_t>(262'144);
    for (const auto& [share, printed] : {std::pair(0.9, 48.66), std::pair(0.95, 55.65)}) {
      workload.engine.gpu_memory_utilization = flag(share);
      const Estimate found = engine_estimate(row, workload, example::printed_h200());
      const domain::Range& pool = found.capacity->kv_pool_bytes;
      CHECK(pool.low.gib() <= printed);
      CHECK(pool.high.gib() >= printed);
      CHECK(term_range(found, "activation").expected.gib() >= (4.56 + 1.61) / 1.0737);
    }
    // Alone, each step's own tokens.
    workload.engine.data.reset();
    workload.engine.expert.reset();
    workload.engine.tensor = flag<std::int64_t>(8);
    const Estimate split = engine_estimate(row, workload, example::printed_h200());
    CHECK(term_range(split, "activation").expected.gib() < 2);
  }

  // Slots are whole: of states alone what is left over may be more in a smaller pool.
  TEST_CASE("what SGLang's slots leave of a pool is a range in order") {
    for (const std::string_view name :
         {"tiiuae/falcon-mamba-7b", "mistralai/Mamba-Codestral-7B-v0.1"}) {
      for (const auto& gpu : {printed_h100(), example::printed_h200()}) {
        CAPTURE(name);
        const AskedEngine row{name, "sglang", {}, 1};
        const Estimate found = engine_estimate(row, engine_workload(row), gpu);
        const domain::Range& pool = found.capacity->kv_pool_bytes;
        CHECK(pool.low <= pool.expected);
        CHECK(pool.expected <= pool.high);
      }
    }
  }
}
