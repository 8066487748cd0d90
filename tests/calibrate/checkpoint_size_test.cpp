// Sizes and weights that vLLM prints, GiB: 0.27.1 on RTX 5090 of copies called "Qwen3.8-27B-NVFP4"
// (https://github.com/Kaminarly/ai-model-nvfp4, https://github.com/Murai-Labs/qwen3.8-27b-rtx5090,
// which drafts), 0.26.0 (https://github.com/justinwkUKM/Gemma4UnslothDynamicNVFP4).
#include "calibrate/checkpoint_size.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include "calibrate/as_started.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;

namespace {

struct Start {
  const char* model;
  double checkpoint = 0;
  double loaded = 0;
  std::int64_t draft_tokens = 0;
};

domain::Model model_of(const Start& start) {
  Result<domain::Model> model = example::built_in_catalog().find_name(start.model);
  REQUIRE(model);
  calibrate::EngineStart printed;
  printed.checkpoint_gib = start.checkpoint;
  if (start.draft_tokens > 0) printed.draft_tokens = start.draft_tokens;
  return calibrate::as_started(*std::move(model), printed);
}

domain::Range weights_of(const domain::Model& model, std::int64_t draft_tokens) {
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::Workload workload = example::workload(4096, 1);
  workload.engine.version = example::flag(domain::EngineVersion{0, 27, 1});
  if (draft_tokens > 0) workload.engine.draft_tokens = example::flag(draft_tokens);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(model, workload, *engine, std::nullopt);
  REQUIRE(estimate);
  domain::Range loaded = domain::part_bytes(*estimate, domain::Part::Weights);
  return loaded;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a name that leaves its recipe open loads what its checkpoint's size tells") {
    for (const Start& start : std::to_array<Start>({
             {"Qwen3.8-27B-NVFP4", 19.18, 18.77},     // as sakamakismile's copy
             {"Qwen3.8-27B-NVFP4", 21.81, 22.13, 1},  // as unsloth's
             {"unsloth/gemma-4-26B-A4B-it-NVFP4", 15.75, 16.35},
         })) {
      CAPTURE(start.checkpoint);
      const domain::Range weights = weights_of(model_of(start), start.draft_tokens);
      CHECK(weights.expected.gib() == doctest::Approx(start.loaded).epsilon(0.005));
      CHECK(weights.low.gib() <= start.loaded);
      CHECK(start.loaded <= weights.high.gib());
      CHECK((weights.high - weights.low).gib() < 0.03 * start.loaded);
    }
    // Whose recipe it is stands among the sources, and nothing says that the name told it.
    const domain::Model told = model_of({"Qwen3.8-27B-NVFP4", 21.81, 22.13, 1});
    CHECK(told.sources.back().source.starts_with("as copies by unsloth: "));
    const Result<domain::Model> named = example::built_in_catalog().find_name("Qwen3.8-27B-NVFP4");
    REQUIRE(named);
    CHECK(told.notes == named->notes);
  }

  TEST_CASE("what no recipe explains stays in doubt by half of it") {
    const Start start{"unsloth/gemma-4-E4B-it-NVFP4", 7.55, 7.97};
    const domain::Model model = model_of(start);
    REQUIRE(model.weights.doubt);
    // 7.14 GiB by its recipe: 5.4 % of the size.
    CHECK(model.weights.doubt->more == doctest::Approx(0.027).epsilon(0.03));
    const domain::Range weights = weights_of(model, 0);
    CHECK(weights.low.gib() <= start.loaded);
    CHECK(start.loaded <= weights.high.gib());
  }

  TEST_CASE("weights that config files or publishers tell stay as they are") {
    for (const char* name : {"Qwen/Qwen3-8B", "nvidia/Qwen3.8-27B-NVFP4"}) {
      const Result<domain::Model> model = example::built_in_catalog().find_name(name);
      REQUIRE(model);
      CHECK(calibrate::of_checkpoint_size(*model, 3, false) == *model);
    }
    // Other files than those of the name: the weights alone are 17 GiB.
    const Result<domain::Model> open = example::built_in_catalog().find_name("Qwen3.8-27B-NVFP4");
    REQUIRE(open);
    for (const double size : {0.2, 3.6, 500.0, -1.0, 1e300})
      CHECK(calibrate::of_checkpoint_size(*open, size, false) == *open);
  }
}
