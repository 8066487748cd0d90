// What a name tells of the weights, and what it leaves to the publisher. Printed weights are of
// starts of vLLM on one GPU (https://github.com/sostrowsk/dgx-spark-local-llm, 0.25.1; the first of
// 0.10.0 on an RTX 3090).
#include "estimate/open_recipe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/quantization.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

domain::Range weights_of(const std::string& name, const std::string& engine_name,
                         const domain::Workload& workload) {
  const Result<domain::Model> model = example::built_in_catalog().find_name(name);
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine(engine_name);
  REQUIRE(engine);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, std::nullopt);
  REQUIRE(estimate);
  return domain::part_bytes(*estimate, domain::Part::Weights);
}

domain::Range weights_of_name(const std::string& name, std::int64_t draft_tokens = 0,
                              std::int64_t tensor = 1,
                              std::optional<domain::EngineVersion> version = {}) {
  domain::Workload workload = example::workload(4096, 1);
  workload.engine.version.reset();
  if (version) workload.engine.version = example::flag(*version);
  workload.engine.tensor = example::flag(tensor);
  if (draft_tokens > 0)
    workload.engine.draft_tokens = {draft_tokens, domain::Origin::Flag, "the test"};
  return weights_of(name, "vllm", workload);
}

domain::Range weights_with_drafts(const std::string& name) { return weights_of_name(name, 3); }

domain::Range weights_asked_for(const std::string& name, const std::string& engine,
                                std::int64_t tensor, domain::Quantization quantization) {
  domain::Workload workload = example::workload(4096, 1);
  workload.engine.version.reset();
  workload.engine.tensor = {tensor, domain::Origin::Flag, "the test"};
  workload.quantization = {quantization, domain::Origin::Flag, "the test"};
  return weights_of(name, engine, workload);
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("the bounds of a mixture's 4-bit weights hold the recipes that publishers use") {
    struct Printed {
      std::string_view name;
      double gib;
      std::int64_t draft_tokens = 0;
    };
    constexpr auto kPrinted = std::to_array<Printed>({
        {"cpatonn/Qwen3-30B-A3B-Thinking-2507-AWQ-4bit", 15.61},
        {"cyankiwi/gemma-4-26B-A4B-it-qat-AWQ-INT4", 16.63},
        {"RedHatAI/gemma-4-26B-A4B-it-NVFP4", 15.88},
        {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", 18.21},
        {"unsloth/Qwen3.8-27B-NVFP4", 22.13, 3},
        {"RedHatAI/Qwen3.8-27B-INT4", 18.50, 3},
        {"RedHatAI/Qwen3.6-35B-A3B-NVFP4", 23.45, 3},
    });
    for (const Printed& row : kPrinted) {
      CAPTURE(row.name);
      const domain::Range weights = weights_of_name(std::string(row.name), row.draft_tokens);
      CHECK(weights.low.gib() <= row.gib);
      CHECK(weights.high.gib() >= row.gib);
    }
  }

  // Groups of 32: 4.81 GiB on each of two RTX 4090 with vLLM 0.8.4, where groups of 128 come to
  // 4.52 (https://huggingface.co/gaunernst/gemma-3-12b-it-qat-autoawq).
  TEST_CASE("the bounds of a dense model's 4-bit weights hold small groups, too") {
    constexpr domain::EngineVersion kVersion{0, 8, 4};
    const domain::Range open =
        weights_of_name("someone/gemma-3-12b-it-qat-autoawq", 0, 2, kVersion);
    CHECK(open.expected.gib() < 4.6);
    CHECK(open.high.gib() > 4.81);
    const domain::Range known =
        weights_of_name("gaunernst/gemma-3-12b-it-qat-autoawq", 0, 2, kVersion);
    CHECK(known.expected.gib() == doctest::Approx(4.81).epsilon(0.005));
  }

  // Of 117 config files of AWQ repositories whose names do not tell 116 have groups of 128. Of GPTQ
  // some scale whole rows: 6.98 billion values less a 16-bit scale and four bits for 128 of them.
  TEST_CASE("AWQ of a dense model has groups of 128, GPTQ those or larger") {
    const domain::Range awq = weights_of_name("someone/Llama-3.1-8B-Instruct-AWQ");
    CHECK(awq.high.gib() < 1.03 * awq.expected.gib());
    const domain::Range gptq = weights_of_name("someone/Llama-3.1-8B-Instruct-GPTQ-Int4");
    CHECK(gptq.high.gib() < 1.03 * gptq.expected.gib());
    CHECK(gptq.low.gib() < gptq.expected.gib() - 6.98e9 * 16 / 128 / 8 / (1 << 30));
    // TheBloke's main branches are known: no scale for 128 but for a whole row from 30B on.
    const domain::Range large = weights_of_name("TheBloke/Llama-2-70B-Chat-GPTQ");
    CHECK(large.high.gib() < 1.03 * large.expected.gib());
  }

  // Recipes from model cards; what is printed, by vLLM 0.17.2 on B200, 0.20.2 on eight RTX PRO 6000
  // and with three layers that draft, 0.20.1 and 0.19 on GB10, 0.20.2 on four RTX 5060 Ti.
  TEST_CASE("publishers' recipes of mixtures and hybrids load what is printed") {
    struct Printed {
      std::string_view name;
      double gib;
      std::int64_t tensor = 1;
      std::int64_t draft_tokens = 0;
    };
    constexpr auto kPrinted = std::to_array<Printed>({
        {"vrfai/Qwen3.6-27B-FP8", 33.66},
        {"AxionML/Qwen3.5-27B-NVFP4", 18.48},
        {"lukealonso/GLM-5.1-NVFP4-MTP", 55.67, 8},
        {"lukealonso/GLM-5.1-NVFP4-MTP", 56.62, 8, 3},
        {"chankhavu/Nemotron-Cascade-2-30B-A3B-NVFP4", 18.54},
        {"Intel/Qwen3.5-122B-A10B-int4-AutoRound", 67.35, 1, 1},
        {"AEON-7/Qwen3.6-27B-AEON-Ultimate-Uncensored-Multimodal-NVFP4-MTP", 6.89, 4, 3},
    });
    for (const Printed& row : kPrinted) {
      CAPTURE(row.name);
      const domain::Range weights = weights_of_name(std::string(row.name), row.draft_tokens,
                                                    row.tensor, domain::EngineVersion{0, 20, 2});
      CHECK(weights.expected.gib() == doctest::Approx(row.gib).epsilon(0.012));
      CHECK(weights.low.gib() <= row.gib + 0.005);
      CHECK(row.gib <= weights.high.gib() + 0.005);
      CHECK((weights.high - weights.low).gib() < 0.05 * row.gib);
    }
  }

  // vLLM 0.7.3 on L4 (https://github.com/vllm-project/vllm/issues/13765): files of 14.9 GB, 14.15
  // of which all in four bits would take.
  TEST_CASE("a copy whose layers are not public takes what its files take") {
    const domain::Range weights =
        weights_of_name("unsloth/Mistral-Small-24B-Instruct-2501-unsloth-bnb-4bit", 0, 1,
                        domain::EngineVersion{0, 7, 3});
    CHECK(weights.expected.gib() == doctest::Approx(13.92).epsilon(0.003));
    CHECK(weights.low.gib() <= 13.92);
    CHECK(13.92 <= weights.high.gib());
  }

  // Attention is in one of them, and nobody says how much of the rest: 8.03 billion values, of
  // which 6.98 are linear, of 0.5625 bytes each or of one.
  TEST_CASE("weights of a name with two formats lie between all in the one and all in the other") {
    const domain::Range mixed = weights_of_name("someone/Llama-3.1-8B-Instruct-NVFP4-FP8", 0);
    const auto whole = [](const std::string& format) {
      return weights_of_name("someone/Llama-3.1-8B-Instruct-" + format, 0).expected;
    };
    CHECK(mixed.low <= whole("NVFP4"));
    CHECK(mixed.high >= whole("FP8-Dynamic"));
    CHECK(mixed.high.gib() <= 1.01 * whole("FP8-Dynamic").gib());
  }

  // vLLM 0.30.0 on L4 loads 8.01 GiB, 0.29.0 on T4 8.02; one table of 262,144 x 1,536 is 0.75.
  TEST_CASE("a copy that stores the head beside the embedding loads both") {
    const domain::Range both = weights_of_name("google/gemma-4-E2B-it-qat-w4a16-ct", 0, 1,
                                               domain::EngineVersion{0, 30, 0});
    CHECK(both.expected.gib() == doctest::Approx(8.01).epsilon(0.003));
  }

  // RedHatAI/Qwen3.8-27B-INT4 18.50 GiB, RedHatAI/Qwen3.6-35B-A3B-NVFP4 23.45: linear attention and
  // the layer that predicts further tokens in 16 bits
  // (https://docs.vllm.ai/projects/llm-compressor).
  TEST_CASE("the layers that predict further tokens stay in 16 bits") {
    CHECK(weights_with_drafts("RedHatAI/Qwen3.8-27B-INT4").expected.gib() ==
          doctest::Approx(18.50).epsilon(0.005));
    CHECK(weights_with_drafts("RedHatAI/Qwen3.6-35B-A3B-NVFP4").expected.gib() ==
          doctest::Approx(23.45).epsilon(0.015));
  }

  // Printed by vLLM 0.18.0 on one H200:
  // https://github.com/ashishkamra/vllm-memory-estimator test_data/validation_db.json.
  TEST_CASE("linear attention stays in 16 bits where linear layers are quantized as they come") {
    CHECK(weights_of_name("RedHatAI/Qwen3-Coder-Next-FP8-dynamic").expected.gib() ==
          doctest::Approx(76.27).epsilon(0.001));
  }

  // Width 704: gate and up are one matrix of 1,408 rows, a multiple of 128 (15.88 GiB printed).
  TEST_CASE("gated experts in NVFP4 are padded to half as much as others") {
    CHECK(weights_of_name("RedHatAI/gemma-4-26B-A4B-it-NVFP4").expected.gib() ==
          doctest::Approx(15.88).epsilon(0.01));
  }

  TEST_CASE("publishers who keep attention in 8 bits, or in 16, say so with their name") {
    const double in_8 = weights_with_drafts("unsloth/Qwen3.8-27B-NVFP4").expected.gib();
    CHECK(in_8 == doctest::Approx(22.13).epsilon(0.015));
    CHECK(weights_with_drafts("RedHatAI/Qwen3.8-27B-NVFP4").expected.gib() > in_8);
  }

  // https://github.com/noonghunna/club-3090/issues/1047: 19.75 GiB on an A6000; 19.78 by a build of
  // 0.26.1 on an RTX 5090.
  TEST_CASE("a name without its publisher is read as the copy that most starts are of") {
    const domain::Range anyones = weights_of_name("Qwen3.8-27B-NVFP4");
    CHECK(anyones.expected.gib() == doctest::Approx(19.8).epsilon(0.006));
    CHECK(anyones.low.gib() < 19.75);
    CHECK(anyones.high.gib() > 21.34);  // unsloth's by 0.27.1
  }

  // https://unsloth.ai/blog/dynamic-4bit. Of the 0.5B the list is public: 0.5138 and 0.5153 GiB on
  // RTX 4090 D and RTX 3090 with vLLM 0.8.5 and 0.10.0, slots of adapters of rank 16 included
  // (0.02), which is 0.455 with all layers in 4 bits.
  TEST_CASE("a publisher who chooses layers model by model takes up to a fifth more") {
    const domain::Range chosen = weights_of_name("unsloth/qwen2.5-7b-instruct-unsloth-bnb-4bit");
    const domain::Range plain = weights_of_name("unsloth/qwen2.5-7b-instruct-bnb-4bit");
    CHECK(chosen.expected == plain.expected);
    CHECK(chosen.high.gib() - plain.high.gib() ==
          doctest::Approx(0.2 * plain.expected.gib()).epsilon(0.05));
    const domain::Range listed = weights_of_name("unsloth/qwen2.5-0.5b-instruct-unsloth-bnb-4bit");
    CHECK(listed.expected.gib() == doctest::Approx(0.5138 - 0.02).epsilon(0.02));
    CHECK(listed.high.gib() < 0.53);
  }

  // 48 layers of 2,048 x (4,096 + 512 + 512) and 4,096 x 2,048 values of attention: 0.906 G values.
  // In 16 bits they take 1.69 GiB, in 4 bits with a scale and a zero point for each 128, 0.44.
  TEST_CASE("attention may stand in 16 bits, and groups may be small") {
    const domain::Range weights = weights_of_name("someone/Qwen3-30B-A3B-AWQ");
    const double attention = 48 * 2048.0 * (4096 + 512 + 512 + 4096) / (1 << 30);
    const double experts = 48 * 128 * 3 * 2048.0 * 768 / (1 << 30);
    // AWQ: 4 bits, a scale of 16 and a zero point of 4 for each 128 values.
    const double smaller_groups = experts * ((16.0 + 4) / 32 - (16.0 + 4) / 128) / 8;
    const double wider_attention = attention * (2 - (4 + 20.0 / 128) / 8);
    const double more = weights.high.gib() - weights.expected.gib();
    CHECK(more == doctest::Approx(smaller_groups + wider_attention).epsilon(0.08));
  }

  // Printed: mattbucci's own AWQ of Gemma 4 26B on two RTX 3090, SGLang 0.5.10, groups of 32
  // (https://github.com/mattbucci/2x-3090-GA102-300-A1-sglang-inference,
  // scripts/quantize/convert_gemma4_26b_ct_to_awq.py).
  TEST_CASE("a format that is asked for may be any publisher's checkpoint") {
    const domain::Range gemma =
        weights_asked_for("google/gemma-4-26B-A4B-it", "sglang", 2, domain::Quantization::Awq);
    CHECK(gemma.low.gib() <= 9.34);
    CHECK(gemma.high.gib() >= 9.34);

    // 32 layers of 4,096 x (4,096 + 2 x 1,024 + 4,096) and 3 x 4,096 x 14,336: 6.98 G values, of
    // which each 128 have a scale and a zero point, or each 32.
    const domain::Range llama =
        weights_asked_for("meta-llama/Llama-3.1-8B-Instruct", "vllm", 1, domain::Quantization::Awq);
    const double values = 32 * (4096 * (4096 + 2 * 1024 + 4096.0) + 3 * 4096 * 14336.0) / (1 << 30);
    CHECK(llama.high.gib() - llama.expected.gib() ==
          doctest::Approx(values * ((16.0 + 4) / 32 - (16.0 + 4) / 128) / 8).epsilon(0.15));
    // What the engine turns by itself has one recipe.
    const domain::Range turned =
        weights_asked_for("meta-llama/Llama-3.1-8B-Instruct", "vllm", 1, domain::Quantization::Fp8);
    CHECK(turned.high.gib() / turned.low.gib() < 1.04);
  }

  TEST_CASE("publishers who keep to one size of groups have one recipe, and so has the catalog") {
    for (const std::string_view name :
         {"Qwen/Qwen2.5-14B-Instruct-AWQ", "RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16",
          "nvidia/Qwen3-30B-A3B-NVFP4", "Qwen/Qwen3-30B-A3B-FP8"}) {
      CAPTURE(name);
      const domain::Range weights = weights_of_name(std::string(name));
      CHECK(weights.high.gib() / weights.low.gib() < 1.04);
    }
  }
}
