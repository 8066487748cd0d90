// What of a start is compared with its estimate, what is left open where the source does not say
// it, and what is not compared at all.
#include "calibrate/comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibrate/started_model.hpp"
#include "estimate/facts.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/published_starts.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

/// Llama-3.1-8B on one H100.
EngineStart published_start() { return example::start_of(example::kPublishedStarts.front()); }

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("what cannot be compared says why") {
    EngineStart start = published_start();
    start.engine = "mlc-llm";
    const auto reason = [&] {
      return calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded;
    };
    CHECK(reason().contains("mlc-llm"));
    start = published_start();
    start.model = "no-such/model";
    CHECK(reason().contains("no-such/model"));
    start = published_start();
    start.notes = "a drafter loaded too";
    CHECK(reason().contains("draft model"));
    start = published_start();
    start.gpu = "Ascend 910B (64GB HBM)";
    CHECK(reason().contains("NPUs"));
    start = published_start();
    start.tensor_parallel = 3;
    CHECK(reason().contains("does not divide"));
  }

  // Llama-3-8B of May 2024 in https://github.com/vllm-project/vllm/pull/4893: "kv-cache Dtype
  // FP16", which 0.4 has no name for.
  TEST_CASE("a cache in 16 bits is the model's before the engine has a name for it") {
    EngineStart start = published_start();
    start.engine_version = "0.4.2";
    start.kv_cache_type = "FP16";
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded.empty());
    start.kv_cache_type = "int8";
    CHECK_FALSE(
        calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded.empty());
  }

  // Containers hold 4 bits or 8: a model named without its repository leaves that open.
  TEST_CASE("a format that is not told is asked for rather than taken for 16 bits") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen3-8B";
    start.quantization = "compressed-tensors";
    const Comparison unclear = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(unclear.excluded == "'compressed-tensors' does not tell the format of the weights");
    start.model = "RedHatAI/Qwen3-8B-quantized.w4a16";
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded.empty());
    start.model = "Qwen/Qwen3-8B";
    start.quantization = "fp8";
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded.empty());
  }

  // 27 G parameters in 16 bits are 51 GiB: what ran on 24 was another copy, under a name of its
  // own.
  TEST_CASE("a model that does not fit its GPU is not the one that ran") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen3.5-27B";
    start.gpu = "RTX 3090";
    start.gpu_total_gib = 23.56;
    start.tensor_parallel = 1;
    start.weights_gib = 14.26;
    start.pool_gib = 5;
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles())
              .excluded.contains("does not fit the GPU"));
    start.tensor_parallel = 4;
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded == "");
  }

  // 476,016 tokens x 2 x 32 layers x 8 heads x 128 x 2 B = 58.11 GiB, as that start prints.
  TEST_CASE("a count of tokens or blocks tells the pool that it fills") {
    EngineStart start = published_start();
    start.pool_gib.reset();
    const auto measured_pool = [&] {
      const Comparison comparison =
          calibrate::compare(start, built_in_catalog(), built_in_profiles());
      REQUIRE(comparison.pool);
      CHECK_FALSE(comparison.tokens);  // nothing printed to check the count against
      return comparison.pool->measured_gib;
    };
    CHECK(measured_pool() == doctest::Approx(58.11).epsilon(1e-4));
    start.pool_tokens.reset();
    start.pool_blocks = 29751;  // of 16
    CHECK(measured_pool() == doctest::Approx(58.11).epsilon(1e-4));
    start.pool_blocks.reset();
    CHECK_FALSE(calibrate::compare(start, built_in_catalog(), built_in_profiles()).pool);
  }

  // An n-gram drafter has no weights, and the model no layers that predict further tokens.
  TEST_CASE("tokens that are drafted without a model change no weights") {
    EngineStart start = published_start();
    const auto weights = [&] {
      const Comparison comparison =
          calibrate::compare(start, built_in_catalog(), built_in_profiles());
      REQUIRE(comparison.weights);
      return comparison.weights->predicted.expected;
    };
    const Bytes alone = weights();
    CHECK(alone > Bytes(0));
    start.draft_tokens = 5;
    CHECK(weights() == alone);
  }

  // A start of September 2025 on 79.25 GiB (https://github.com/benyucong/neo4j-graphrag-python
  // logs/vllm.out): an A100, which gets 256 sequences where an H100 gets 1,024.
  TEST_CASE("80 GB without a name may be an A100") {
    EngineStart start = published_start();
    start.model = "meta-llama/Llama-2-7b-hf";
    start.pool_tokens.reset();
    start.engine_version = "0.10.2";
    start.gpu = "";
    start.gpu_total_gib = 79.25;
    start.tensor_parallel = 1;
    start.max_num_seqs.reset();
    start.has_default_sequences = true;
    start.max_num_batched_tokens = 2048;
    start.activation_gib = 0.32;
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(comparison.activation);
    CHECK(comparison.activation->is_in_range());
    start.gpu = "H100";
    const Comparison named = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(named.activation);
    CHECK_FALSE(named.activation->is_in_range());
  }

  TEST_CASE("a format is told among other words") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen3-0.6B";
    start.quantization = "inc (W4A16, auto-round; gptq_marlin kernel)";
    start.weights_gib = 0.52;  // printed by 0.19.1
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(comparison.excluded == "");
    REQUIRE(comparison.weights);
    CHECK(comparison.weights->is_in_range());
  }

  TEST_CASE("a start of no known release keeps its weights, and no pool is compared") {
    EngineStart start = published_start();
    start.engine_version = "vdev";
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(comparison.excluded == "");
    REQUIRE(comparison.weights);
    CHECK(comparison.weights->is_in_range());
    CHECK_FALSE(comparison.pool);
    CHECK(comparison.without_pool.contains("release"));
  }

  TEST_CASE("a start without a GPU keeps its weights and its tokens") {
    EngineStart start = published_start();
    start.gpu.clear();
    start.gpu_total_gib.reset();
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(comparison.weights);
    CHECK_FALSE(comparison.pool);
    CHECK_FALSE(comparison.without_pool.empty());
    REQUIRE(comparison.tokens);
    CHECK(comparison.tokens->holds());
  }

  TEST_CASE("what a source does not state widens the range, and nothing else does") {
    EngineStart start = published_start();
    const Comparison known = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    start.utilization.reset();
    const Comparison open = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(known.pool);
    REQUIRE(open.pool);
    CHECK(known.knowledge == calibrate::Knowledge::Settings);
    CHECK(open.knowledge == calibrate::Knowledge::Parts);
    // 0.85 to 0.95 of 79.19 GiB is 7.9 GiB more than one share of it.
    CHECK(open.pool->width() * open.pool->measured_gib >
          known.pool->width() * known.pool->measured_gib + 7.9);
    CHECK(open.pool->is_in_range());
    CHECK(open.weights->predicted == known.weights->predicted);
  }

  // What an excerpt leaves out may be that few sequences run, that prompts are not cut, that a step
  // takes 8,192 tokens, that a program started the engine or that the model takes text alone. Who
  // tells GPU, release and utilization tells limits that are not the engine's own, too.
  TEST_CASE("who tells neither utilization nor sequences may have changed other settings, too") {
    EngineStart start = published_start();
    start.model = "unsloth/qwen2.5-vl-7b-instruct-unsloth-bnb-4bit";
    start.pool_tokens.reset();
    start.activation_gib = 1;
    const auto compared = [](const EngineStart& one) {
      return calibrate::compare(one, built_in_catalog(), built_in_profiles());
    };
    const auto range_of = [&](const auto& figure) {
      return (figure->predicted.high - figure->predicted.low).gib();
    };
    const Comparison known = compared(start);
    CHECK(known.knowledge == calibrate::Knowledge::Settings);
    start.utilization.reset();
    const Comparison open = compared(start);
    start.has_default_sequences = true;
    const Comparison told = compared(start);
    REQUIRE((open.activation && told.activation && open.pool && told.pool));
    CHECK(open.knowledge == calibrate::Knowledge::Parts);
    CHECK(known.activation->predicted == told.activation->predicted);
    CHECK(range_of(open.activation) > range_of(told.activation) + 0.5);
    // 3,584 x 152,064 logits and the 1.2 GiB of the tower.
    CHECK(range_of(open.weights) > range_of(told.weights) + 1);
    CHECK(open.activation->predicted.expected == told.activation->predicted.expected);
    CHECK(open.pool->predicted.low <= told.pool->predicted.low);
    CHECK(open.pool->predicted.high >= told.pool->predicted.high);
  }

  // Qwen3.6-27B predicts with a layer of 424,699,392 values of its own, 0.79 GiB in 16 bits.
  TEST_CASE("whose arguments are not told may have loaded the layers that draft") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen3.6-27B";
    start.utilization.reset();
    const auto high_of = [](const EngineStart& one) {
      const Comparison comparison =
          calibrate::compare(one, built_in_catalog(), built_in_profiles());
      REQUIRE(comparison.weights);
      return comparison.weights->predicted.high;
    };
    const Bytes open = high_of(start);
    start.notes = "speculative_config=None";
    CHECK((open - high_of(start)).gib() == doctest::Approx(0.79).epsilon(0.1));
  }

  // DeepSeek-R1 on eight H200 in the middle of March 2025: 83.88 GiB, which 0.7.1 to 0.7.3 load
  // with matrices that decoding absorbs; 0.8.0, three days later, loads 79.6.
  TEST_CASE(
      "a date leaves every release open that lies between the one before and the one behind") {
    EngineStart start = published_start();
    start.model = "deepseek-ai/DeepSeek-R1";
    start.gpu = "NVIDIA H200";
    start.gpu_total_gib = 139.81;
    start.tensor_parallel = 8;
    start.weights_gib = 83.88;
    start.pool_gib.reset();
    start.engine_version.clear();
    start.date = "2025-03-15";
    const Comparison dated = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(dated.weights);
    CHECK(dated.weights->is_in_range());
    CHECK(dated.weights->predicted.low.gib() < 79.6);
  }

  // Qwen2.5-7B by 0.6.4 under WSL: 1.66 GiB of non-torch memory, 3.51 of pool
  // (https://github.com/XtionDoubleAI/m2a results/vllm_server.log).
  TEST_CASE("under WSL the bounds hold what Windows takes of the GPU") {
    EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.6.4";
    start.model = "Qwen/Qwen2.5-7B-Instruct";
    start.gpu_total_gib = 23.99;
    start.utilization = 0.9;
    start.context_tokens = 16384;
    start.max_num_seqs = 256;
    start.non_torch_gib = 1.66;
    start.pool_gib = 3.51;
    start.is_parallelism_stated = true;
    const Comparison plain = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE((plain.non_torch && plain.pool));
    CHECK_FALSE(plain.non_torch->is_in_range());
    start.is_under_wsl = true;
    const Comparison windows = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(windows.non_torch->is_in_range());
    CHECK(windows.pool->is_in_range());
  }

  // A start of Qwen3.8-27B by 0.27.1 with 786,432 tokens by --hf-overrides: 51.35 GiB, of which a
  // table of 262,144 angles would take 0.25 less.
  TEST_CASE("a context above the model's own has as many more angles") {
    EngineStart start = published_start();
    start.model = "Qwen/Qwen3.8-27B";
    start.engine_version = "0.27.1";
    start.context_tokens = 786432;
    start.weights_gib = 51.35;
    start.pool_gib.reset();
    start.max_num_batched_tokens = 2048;
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(comparison.weights);
    CHECK(comparison.weights->predicted.expected.gib() == doctest::Approx(51.35).epsilon(0.0003));
  }

  TEST_CASE("remarks behind a model's name are passed over, but for what they say of its weights") {
    const auto model_of = [](const std::string& name) {
      const auto model = calibrate::find_started_model(name, built_in_catalog());
      return model ? model->weights.linear : domain::Quantization::Fp32;
    };
    CHECK(model_of("Qwen3-8B (snapshot 26e1bd6e)") == domain::Quantization::Bf16);
    CHECK(model_of("Qwen3-8B (local path)") == domain::Quantization::Bf16);
    CHECK(model_of("Llama-3.1-405B-FP8 (folder)") == domain::Quantization::Fp8Channel);
    CHECK(model_of("/mnt/models (Qwen/Qwen3-8B-AWQ)") == domain::Quantization::Awq);
    CHECK(model_of("/model (Qwen3-8B mounted)\r") == domain::Quantization::Bf16);
    CHECK(model_of("D:\\Models\\Qwen3-8B-AWQ") == domain::Quantization::Awq);
    CHECK(model_of("Qwen3-8B (Qwen3ForCausalLM @ b968826d)") == domain::Quantization::Bf16);
    CHECK(model_of("/model (Qwen3-8B pruned)") == domain::Quantization::Fp32);  // not found
    CHECK(model_of("Qwen3-8B (title: 4 bits)") == domain::Quantization::Bf16);
    CHECK(model_of("Qwen3-8B-AWQ (recipe of 2026)") == domain::Quantization::Awq);
    CHECK(model_of("Qwen3-8B (BF16)") == domain::Quantization::Bf16);
    CHECK(model_of("Sehyo qwen3.5-122b-a10b-nvfp4") == domain::Quantization::Nvfp4);
    CHECK(model_of("somebody Qwen3-8B merged") == domain::Quantization::Fp32);   // not found
    CHECK(model_of("Qwen3-8B (FP8 checkpoint)") == domain::Quantization::Fp32);  // not found
    CHECK(model_of("the AWQ of Qwen (Qwen3-8B-AWQ)") == domain::Quantization::Awq);
    CHECK(model_of("w4a8 of somebody (Qwen3-8B)") == domain::Quantization::Fp32);  // not found
    CHECK(model_of("DSV2-Lite BF16 (DeepSeek-V2-Lite)") == domain::Quantization::Bf16);
    CHECK(model_of("DSV2-Lite FP8 (DeepSeek-V2-Lite)") == domain::Quantization::Fp32);  // not found
    CHECK(model_of("Qwen/Qwen3-8B-AWQ (text: Qwen3-8B-AWQ @ 3559b226)") ==
          domain::Quantization::Awq);
    CHECK(model_of("qwen3-8b-awq@ce0a741") == domain::Quantization::Awq);
    CHECK(model_of("nvidia-nemotron-nano-9b-v2 (NIM 1.12.2, bf16 profile)") ==
          domain::Quantization::Bf16);
  }

  TEST_CASE("starts that ask for the same count once") {
    const EngineStart start = published_start();
    EngineStart again = start;
    again.id = "again";
    again.pool_gib = 58.0;
    EngineStart longer = start;
    longer.context_tokens = 16384;
    CHECK(calibrate::distinct(std::vector{start, again, longer}).size() == 2);
  }

  TEST_CASE("the built-in facts of every engine can be read") {
    for (const std::string& name : built_in_catalog().engines()) {
      CAPTURE(name);
      const Result<domain::Engine> engine = built_in_catalog().engine(name);
      REQUIRE(engine.has_value());
      CHECK(to_text(domain::unreadable_conditions(*engine)) == "");
    }
  }

  // https://github.com/unslothai/notebooks, Qwen2_5_7B_VL_GRPO: 2.71 GiB on a T4, whose steps of
  // 2,048 tokens are shorter than the largest image. To 0.8.2 such an image was left out.
  TEST_CASE("the first generation from 0.8.3 on encodes an image that is longer than its step") {
    EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.9.2";
    start.model = "unsloth/qwen2.5-vl-7b-instruct-unsloth-bnb-4bit";
    start.dtype = "float16";
    start.gpu = "Tesla T4";
    start.gpu_total_gib = 14.74;
    start.utilization = 0.77;
    start.context_tokens = 16384;
    start.max_num_seqs = 1;
    start.max_num_batched_tokens = 2048;
    start.activation_gib = 2.71;
    const auto peak = [&] {
      return calibrate::compare(start, built_in_catalog(), built_in_profiles()).activation.value();
    };
    CHECK(peak().is_in_range());
    CHECK(std::abs(peak().error()) < 0.03);
    start.engine_version = "0.8.2";
    CHECK(peak().predicted.high.gib() < 1);
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1: 55.67 GiB on each of eight;
  // with its attention in four bits, too, it would be 50.6.
  TEST_CASE("mixtures with latent attention in NVFP4 keep it in 16 bits") {
    EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.20.2";
    start.model = "lukealonso/GLM-5.1-NVFP4-MTP";
    start.gpu = "RTX PRO 6000";
    start.tensor_parallel = 8;
    start.weights_gib = 55.67;
    const Comparison comparison =
        calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(comparison.weights);
    CHECK(comparison.weights->is_in_range());
    CHECK(std::abs(comparison.weights->error()) < 0.012);
  }
}
