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

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

domain::Range weights_of_name(const std::string& name,
                              std::optional<std::int64_t> draft_tokens = std::nullopt) {
  const Result<domain::Model> model = example::built_in_catalog().find_name(name);
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::Workload workload = example::workload(4096, 1);
  workload.engine.version.reset();
  if (draft_tokens)
    workload.engine.draft_tokens =
        domain::Fact<std::int64_t>{*draft_tokens, domain::Origin::Flag, ""};
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, std::nullopt);
  REQUIRE(estimate);
  return domain::part_bytes(*estimate, domain::Part::Weights);
}

domain::Range weights_with_drafts(const std::string& name) { return weights_of_name(name, 3); }

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("the bounds of a mixture's 4-bit weights hold the recipes that publishers use") {
    struct Printed {
      std::string_view name;
      double gib;
    };
    constexpr auto kPrinted = std::to_array<Printed>({
        {"cpatonn/Qwen3-30B-A3B-Thinking-2507-AWQ-4bit", 15.61},
        {"cyankiwi/gemma-4-26B-A4B-it-qat-AWQ-INT4", 16.63},
        {"RedHatAI/gemma-4-26B-A4B-it-NVFP4", 15.88},
        {"unsloth/Qwen3.8-27B-NVFP4", 22.13},
        {"RedHatAI/Qwen3.8-27B-INT4", 18.50},
    });
    for (const Printed& row : kPrinted) {
      CAPTURE(row.name);
      const domain::Range weights = weights_of_name(std::string(row.name));
      CHECK(weights.low.gib() <= row.gib);
      CHECK(weights.high.gib() >= row.gib);
    }
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

  // Width 704: gate and up are one matrix of 1,408 rows, a multiple of 128 (15.88 GiB printed).
  TEST_CASE("gated experts in NVFP4 are padded to half as much as others") {
    CHECK(weights_of_name("RedHatAI/gemma-4-26B-A4B-it-NVFP4").expected.gib() ==
          doctest::Approx(15.88).epsilon(0.01));
  }

  TEST_CASE("publishers who keep attention in 8 bits, or in 16, say so with their name") {
    const double in_8 = weights_with_drafts("unsloth/Qwen3.8-27B-NVFP4").expected.gib();
    CHECK(in_8 == doctest::Approx(22.13).epsilon(0.015));
    CHECK(weights_with_drafts("someone/Qwen3.8-27B-NVFP4").expected.gib() > in_8);
    const domain::Range anyones = weights_with_drafts("someone/Qwen3.8-27B-NVFP4");
    CHECK(anyones.low.gib() < 20);
    CHECK(anyones.high.gib() > anyones.expected.gib());
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

  TEST_CASE("a dense model's recipe is the usual one, and so is one that the catalog knows") {
    for (const std::string_view name :
         {"someone/Qwen2.5-14B-Instruct-AWQ", "RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16",
          "nvidia/Qwen3-30B-A3B-NVFP4", "Qwen/Qwen3-30B-A3B-FP8"}) {
      CAPTURE(name);
      const domain::Range weights = weights_of_name(std::string(name));
      CHECK(weights.high.gib() / weights.low.gib() < 1.04);
    }
  }
}
