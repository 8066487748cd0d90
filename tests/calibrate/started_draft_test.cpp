// Weights that vLLM prints of a model and its draft together, and sizes of the draft's files, GiB:
// https://github.com/manojarulmurugan/SpecDecoding-Study-vLLM-SGLang (0.24.0, EAGLE),
// https://github.com/dishantghai/ai-perf-hw3-spec-decode-quant (0.20.0, EAGLE-3, whose head is the
// target's) and https://github.com/dcstang/eagle3-spec-dec (0.24.0, the same draft).
#include "calibrate/started_draft.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "calibrate/as_started.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/prediction.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using calibrate::EngineStart;

namespace {

struct Start {
  const char* model;
  const char* draft;
  const char* method;
  double files = 0;  ///< of the draft, GiB; 0 where they are not printed
  domain::EngineVersion version = {0, 24, 0};
  double loaded = 0;
};

EngineStart start_of(const Start& printed) {
  EngineStart start;
  start.engine = "vllm";
  start.model = printed.model;
  start.draft_tokens = 2;
  start.draft_method = printed.method;
  if (printed.files > 0) start.draft_checkpoint_gib = printed.files;
  calibrate::name_draft(start, printed.draft);
  return start;
}

domain::Range loaded(const Start& printed) {
  const auto& catalog = example::built_in_catalog();
  const Result<domain::Model> model = catalog.find_name(printed.model);
  const Result<domain::Engine> engine = catalog.engine("vllm");
  REQUIRE(model);
  REQUIRE(engine);
  EngineStart start = start_of(printed);
  calibrate::find_draft(start, catalog, *model);
  REQUIRE(start.draft_model->model);
  CHECK(start.draft_model->model->origin == calibrate::kDraftByMethod);
  const Result<domain::Estimate> estimate = estimate::estimate_memory(
      *model, calibrate::workload_of(start, *model, printed.version), *engine, std::nullopt);
  REQUIRE(estimate);
  return calibrate::loaded_bytes(*estimate);
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a draft that the catalog lacks is what its method trains") {
    for (const Start& start : std::to_array<Start>({
             {"TechxGenus/Meta-Llama-3-8B-Instruct-GPTQ",
              "yuhuili/EAGLE-LLaMA3-Instruct-8B",
              "eagle",
              0,
              {0, 24, 0},
              5.80},
             {"RedHatAI/Qwen3-8B-FP8-dynamic",
              "/data/hw3/output/checkpoints/checkpoint_best",
              "eagle3",
              2.82,
              {0, 20, 0},
              9.32},
             {"RedHatAI/Qwen3-8B-FP8-dynamic",
              "output/checkpoints/4",
              "eagle3",
              2.82,
              {0, 24, 0},
              9.35},
             {"RedHatAI/Qwen3-8B-FP8-dynamic",
              "output/checkpoints/4",
              "eagle3",
              0,
              {0, 24, 0},
              9.35},
         })) {
      CAPTURE(start.draft);
      CAPTURE(start.files);
      const domain::Range weights = loaded(start);
      CHECK(weights.low.gib() <= start.loaded);
      CHECK(start.loaded <= weights.high.gib());
      const bool is_exact = start.files > 0 || std::string(start.method) == "eagle";
      if (is_exact) CHECK(weights.expected.gib() == doctest::Approx(start.loaded).epsilon(0.006));
    }
  }

  // 15.39 GiB by 0.21.0 (https://github.com/dhayanesh/spec-decoding-bench); keys and values of the
  // eight layers once more are 8 x 2 x 512 x 2,880 values, 0.044 GiB of them.
  TEST_CASE("a draft of blocks holds its keys and values once more") {
    const auto& catalog = example::built_in_catalog();
    const Result<domain::Model> model = catalog.find_name("openai/gpt-oss-20b");
    REQUIRE(model);
    EngineStart start = start_of({"openai/gpt-oss-20b", "z-lab/gpt-oss-20b-DFlash", "dflash"});
    calibrate::find_draft(start, catalog, *model);
    const auto draft = [&](const domain::EngineVersion& version) {
      const Result<domain::Estimate> estimate =
          estimate::estimate_memory(*model, calibrate::workload_of(start, *model, version),
                                    *catalog.engine("vllm"), std::nullopt);
      REQUIRE(estimate);
      return *estimate;
    };
    const domain::Estimate now = draft({0, 21, 0});
    CHECK(calibrate::loaded_bytes(now).expected.gib() == doctest::Approx(15.39).epsilon(0.003));
    const auto term = std::ranges::find(now.terms, "draft", &domain::Term::name);
    REQUIRE(term != now.terms.end());
    const auto fused = std::ranges::find(term->inputs, "fusedBytes", &domain::Input::name);
    REQUIRE(fused != term->inputs.end());
    CHECK(std::get<std::int64_t>(fused->value) == 8 * 2 * 512 * 2880 * 2);
    CHECK(term->source.contains("qwen3_dflash.py"));
  }

  // The start of 0.20.0 above leaves 2.2 GiB less than without a draft, beside what it loads.
  TEST_CASE("drafts of all sequences are checked while the first runner profiles itself") {
    const auto& catalog = example::built_in_catalog();
    const Result<domain::Model> model = catalog.find_name("RedHatAI/Qwen3-8B-FP8-dynamic");
    const Result<domain::Engine> engine = catalog.engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    const auto peak = [&](const EngineStart& start) {
      const Result<domain::Estimate> estimate = estimate::estimate_memory(
          *model, calibrate::workload_of(start, *model, {0, 20, 0}), *engine, std::nullopt);
      REQUIRE(estimate);
      return calibrate::term_bytes(*estimate, "activation").expected.gib();
    };
    EngineStart start = start_of({"RedHatAI/Qwen3-8B-FP8-dynamic", "checkpoint_best", "eagle3"});
    start.max_num_seqs = 1024;
    start.max_num_batched_tokens = 8192;
    EngineStart without = start;
    without.draft_model.reset();
    without.draft_tokens.reset();
    calibrate::find_draft(start, catalog, *model);
    CHECK(peak(start) - peak(without) == doctest::Approx(2.24).epsilon(0.1));
  }

  TEST_CASE("a draft that neither the catalog nor its method tells stays unknown") {
    const auto& catalog = example::built_in_catalog();
    const Result<domain::Model> model = catalog.find_name("Qwen/Qwen3-8B");
    REQUIRE(model);
    for (const char* method : {"dflash", "draft_model", ""}) {
      EngineStart start = start_of({"Qwen/Qwen3-8B", "/drafter", method});
      calibrate::find_draft(start, catalog, *model);
      CHECK(start.draft_model->model == nullptr);
    }
    // Files that are no such head's.
    EngineStart other = start_of({"Qwen/Qwen3-8B", "/drafter", "eagle3", 40});
    calibrate::find_draft(other, catalog, *model);
    CHECK(other.draft_model->model == nullptr);
    // One that the catalog has.
    EngineStart known =
        start_of({"Qwen/Qwen3-8B", "RedHatAI/Qwen3-8B-speculator.eagle3", "eagle3"});
    calibrate::find_draft(known, catalog, *model);
    REQUIRE(known.draft_model->model);
    CHECK(known.draft_model->model->origin == "catalog");
  }

  // Lines of https://github.com/dcstang/eagle3-spec-dec: servers by 0.24.0, one behind the other.
  TEST_CASE("a server's arguments and sizes are those of its own start") {
    const auto server = [](const std::string& share, const std::string& files) {
      return "(APIServer pid=1) INFO 07-01 14:25:34 [api_utils.py:273] non-default args: "
             "{'model': 'Qwen3-8B-FP8-Dynamic', 'gpu_memory_utilization': " +
             share +
             "}\n(EngineCore pid=2) INFO 07-01 14:25:43 [core.py:114] Initializing a V1 LLM engine "
             "(v0.24.0) with config: model='Qwen3-8B-FP8-Dynamic', speculative_config="
             "SpeculativeConfig(method='eagle3', model='output/checkpoints/4', num_spec_tokens=3), "
             "tokenizer='Qwen3-8B-FP8-Dynamic'\nINFO 07-01 14:25:45 [weight_utils.py:849] "
             "Filesystem type for checkpoints: EXT4. Checkpoint size: 8.79 GiB. Available RAM: "
             "191.90 GiB.\nINFO 07-01 14:25:46 [weight_utils.py:849] Filesystem type for "
             "checkpoints: EXT4. Checkpoint size: " +
             files +
             " GiB. Available RAM: 191.88 GiB.\nINFO 07-01 14:25:47 [model_runner.py:302] Model "
             "loading took 9.35 GiB and 3.9 seconds\nINFO 07-01 14:25:56 [gpu_worker.py:508] "
             "Available KV cache memory: 57.95 GiB\nINFO 07-01 14:26:20 [core.py:281] init engine "
             "(profile, create kv cache, warmup model) took 30.55 seconds\n";
    };
    const auto log =
        calibrate::read_engine_log(server("0.5", "1.50") + server("0.88", "2.82"), "two.log");
    REQUIRE(log);
    CHECK(log->start.utilization == 0.88);
    CHECK(log->start.checkpoint_gib == 8.79);
    CHECK(log->start.draft_checkpoint_gib == 2.82);
    CHECK(log->start.draft_method == "eagle3");
    CHECK_FALSE(log->start.draft_has_own_head);
    const auto own = calibrate::read_engine_log(
        server("0.88", "2.82") +
            "INFO 07-01 14:26:21 [llm_base_proposer.py:1474] Detected EAGLE model with distinct "
            "lm_head weights. Keeping separate lm_head weights from the target model.\n",
        "own.log");
    REQUIRE(own);
    CHECK(own->start.draft_has_own_head);
    CHECK(log->earlier_models.size() == 1);
  }
}
