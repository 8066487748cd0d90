// Estimates beside what vLLM 0.19.0 printed on H100 80GB. The figures of the first table come from
// the start-up logs published with https://github.com/llm-d-incubation/llm-d-planner/pull/205.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/comparison.hpp"
#include "calibrate/error_summary.hpp"
#include "calibrate/started_model.hpp"
#include "document/text_format.hpp"
#include "estimate/facts.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/source_settings.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using calibrate::ErrorSummary;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

struct LogRow {
  const char* model;
  const char* dtype;
  const char* quantization;
  const char* kv_cache_type;
  std::int64_t tensor_parallel;
  std::int64_t pipeline_parallel;
  double weights_gib;
  double pool_gib;
  std::int64_t tokens;
  double pool_tolerance;
};

EngineStart start_of(const LogRow& row) {
  EngineStart start;
  start.id = row.model;
  start.engine = "vllm";
  start.engine_version = "0.19.0";
  start.model = row.model;
  start.gpu = "H100 80GB (SXM)";
  start.gpu_total_gib = 79.19;
  start.tensor_parallel = row.tensor_parallel;
  start.pipeline_parallel = row.pipeline_parallel;
  start.context_tokens = 8192;
  start.max_num_batched_tokens = 8192;
  start.utilization = 0.95;
  start.dtype = row.dtype;
  start.quantization = row.quantization;
  start.kv_cache_type = row.kv_cache_type;
  start.weights_gib = row.weights_gib;
  start.pool_gib = row.pool_gib;
  start.pool_tokens = row.tokens;
  return start;
}

constexpr auto kRows = std::to_array<LogRow>({
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 1, 1, 14.99, 58.11, 476016, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "bfloat16", "", "fp8", 1, 1, 14.99, 58.11, 952032, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "fp8", "auto", 1, 1, 8.49, 64.61, 529248, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "float32", "", "auto", 1, 1, 29.98, 42.80, 175296, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 4, 1, 3.77, 67.44, 2209792, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 1, 4, 4.26, 68.89, 2257264, 0.03},
    {"codellama/CodeLlama-7b-hf", "auto", "", "auto", 1, 1, 12.56, 61.66, 126256, 0.005},
    {"moonshotai/Kimi-Dev-72B", "auto", "", "auto", 2, 1, 67.82, 3.02, 19776, 0.02},
    {"RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic", "auto", "", "auto", 4, 1, 16.96, 54.09, 708992,
     0.005},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "float16", "", "auto", 1, 1, 5.38,
     67.71, 554704, 0.005},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "float16", "", "auto", 1, 1, 8.49, 64.60,
     529200, 0.005},
    // Mistral's own format, whose class holds the whole encoder on every rank; experts without
    // shared ones; local memory of Granite's kernels. From the same series
    // (https://github.com/jgchn/llm-d-planner accuracy/results/v0.19.0).
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503", "auto", "", "auto", 2, 1, 22.80, 48.33,
     633408, 0.005},
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503", "auto", "", "auto", 4, 1, 11.86, 59.18,
     1551344, 0.005},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1", "auto", "", "auto", 2, 1, 43.51, 28.44, 465936, 0.005},
    {"Qwen/Qwen3-30B-A3B", "auto", "", "auto", 1, 1, 56.88, 15.41, 168288, 0.005},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "auto", "", "auto", 4, 1, 53.12, 16.75, 365968,
     0.005},
    {"ibm-granite/granite-3.1-8b-instruct", "auto", "", "auto", 1, 1, 15.25, 58.66, 384432, 0.005},
});

std::vector<Comparison> compared(const std::vector<EngineStart>& starts) {
  std::vector<Comparison> comparisons;
  for (const EngineStart& start : calibrate::distinct(starts))
    comparisons.push_back(calibrate::compare(start, built_in_catalog(), built_in_profiles()));
  return comparisons;
}

/// Records of the ground truth, or nothing where it is not at hand.
std::optional<std::vector<EngineStart>> shared_starts(const std::string& name) {
  const char* folder = std::getenv("GPUSHAPE_SHARED");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr) {
    MESSAGE("skipped: GPUSHAPE_SHARED names no folder with the records of engine starts");
    return std::nullopt;
  }
  const std::string path = std::string(folder) + "/data/ground-truth/" + name;
  const Result<std::string> text = document::read_file(path);
  REQUIRE_MESSAGE(text.has_value(), path);
  auto starts = calibrate::read_engine_starts(*text, path);
  REQUIRE(starts.has_value());
  std::ranges::for_each(*starts, example::complete);
  return *starts;
}

bool is_sixteen_bit(const EngineStart& start) {
  return start.quantization.empty() && !start.model.contains("quantized") &&
         !start.model.contains("fp8") && start.dtype != "float32";
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("estimates meet the figures of published start-up logs") {
    for (const LogRow& row : kRows) {
      const Comparison comparison =
          calibrate::compare(start_of(row), built_in_catalog(), built_in_profiles());
      CAPTURE(row.model);
      CAPTURE(row.dtype);
      CAPTURE(row.quantization);
      CAPTURE(row.tensor_parallel);
      CAPTURE(row.pipeline_parallel);
      REQUIRE(comparison.excluded == "");
      REQUIRE(comparison.weights);
      CHECK(comparison.weights->error() == doctest::Approx(0).epsilon(0.001).scale(1));
      CHECK(comparison.weights->is_in_range());
      REQUIRE(comparison.pool);
      CHECK(std::abs(comparison.pool->error()) <= row.pool_tolerance);
      CHECK(comparison.pool->is_in_range());
      REQUIRE(comparison.tokens);
      CHECK(comparison.tokens->holds());
    }
  }

  TEST_CASE("the controlled series of vLLM 0.19 is met within its bars") {
    const auto starts = shared_starts("engine-starts-vllm-0.19.jsonl");
    if (!starts) return;
    std::size_t count = 0;
    double pool_errors = 0;
    for (const Comparison& comparison : compared(*starts)) {
      const EngineStart& start = comparison.start;
      const bool is_of_the_bar = start.model.contains("Llama") || start.model.contains("Kimi-Dev");
      if (!is_of_the_bar) continue;
      CAPTURE(start.id);
      REQUIRE(comparison.excluded == "");
      REQUIRE(comparison.weights);
      REQUIRE(comparison.pool);
      REQUIRE(comparison.tokens);
      // Two printed decimals allow half of the last digit beside the bar itself.
      const double weights_bar = is_sixteen_bit(start) ? 0.0005 : 0.005;
      CHECK(std::abs(comparison.weights->error_gib()) <=
            weights_bar * comparison.weights->measured_gib + 0.005);
      const double pool_bar = start.pipeline_parallel > 1 ? 0.03 : 0.02;
      CHECK(std::abs(comparison.pool->error_gib()) <=
            std::max(0.1, pool_bar * comparison.pool->measured_gib));
      CHECK(comparison.tokens->holds());
      CHECK(comparison.weights->is_in_range());
      CHECK(comparison.pool->is_in_range());
      pool_errors += std::abs(comparison.pool->error());
      ++count;
    }
    CHECK(count == 22);
    CHECK(pool_errors / static_cast<double>(count) <= 0.005);
  }

  TEST_CASE(
      "starts of dense models from public threads: weights to a percent, blocks to the block") {
    const auto starts = shared_starts("engine-logs-dense.jsonl");
    if (!starts) return;
    const std::vector<Comparison> comparisons = compared(*starts);
    const ErrorSummary weights = calibrate::summarize(comparisons, &Comparison::weights);
    CHECK(weights.count >= 30);
    CHECK(weights.median <= 0.0002);
    std::size_t tokens = 0;
    for (const Comparison& comparison : comparisons) {
      if (!comparison.tokens) continue;
      CAPTURE(comparison.start.id);
      CHECK(comparison.tokens->holds());
      ++tokens;
    }
    CHECK(tokens >= 18);
  }

  TEST_CASE("what cannot be compared says why") {
    EngineStart start = start_of(kRows.front());
    start.engine = "mlc-llm";
    const auto reason = [&] {
      return calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded;
    };
    CHECK(reason().contains("mlc-llm"));
    start = start_of(kRows.front());
    start.model = "no-such/model";
    CHECK(reason().contains("no-such/model"));
    start = start_of(kRows.front());
    start.notes = "a drafter loaded too";
    CHECK(reason().contains("draft model"));
    start = start_of(kRows.front());
    start.tensor_parallel = 3;
    CHECK(reason().contains("does not divide"));
  }

  // Containers hold 4 bits or 8: a model named without its repository leaves that open.
  TEST_CASE("a format that is not told is asked for rather than taken for 16 bits") {
    EngineStart start = start_of(kRows.front());
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
    EngineStart start = start_of(kRows.front());
    start.model = "Qwen/Qwen3.5-27B";
    start.gpu = "RTX 3090";
    start.gpu_total_gib = 23.56;
    start.tensor_parallel = 1;
    start.weights_gib = 14.26;
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles())
              .excluded.contains("does not fit the GPU"));
    start.tensor_parallel = 4;
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).excluded == "");
  }

  // A start of September 2025 on 79.25 GiB (https://github.com/benyucong/neo4j-graphrag-python
  // logs/vllm.out): an A100, which gets 256 sequences where an H100 gets 1,024.
  TEST_CASE("80 GB without a name may be an A100") {
    EngineStart start = start_of(kRows.front());
    start.model = "meta-llama/Llama-2-7b-hf";
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
    EngineStart start = start_of(kRows.front());
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
    EngineStart start = start_of(kRows.front());
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
    EngineStart start = start_of(kRows.front());
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
    EngineStart start = start_of(kRows.front());
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
  // takes 8,192 tokens, that a program started the engine or that the model takes text alone.
  TEST_CASE("who does not tell the most sequences may have changed other settings, too") {
    EngineStart start = start_of(kRows.front());
    start.model = "Qwen/Qwen2.5-VL-7B-Instruct";
    start.activation_gib = 1;
    const auto range_of = [&](const auto& figure) {
      return (figure->predicted.high - figure->predicted.low).gib();
    };
    const Comparison open = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    start.has_default_sequences = true;
    const Comparison told = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE((open.activation && told.activation && open.pool && told.pool));
    CHECK(open.knowledge == calibrate::Knowledge::Settings);
    CHECK(range_of(open.activation) > range_of(told.activation) + 0.5);
    // 3,584 x 152,064 logits and the 1.2 GiB of the tower.
    CHECK(range_of(open.weights) > range_of(told.weights) + 1);
    CHECK(open.activation->predicted.expected == told.activation->predicted.expected);
    CHECK(open.pool->predicted.low <= told.pool->predicted.low);
    CHECK(open.pool->predicted.high >= told.pool->predicted.high);
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
    EngineStart start = start_of(kRows.front());
    start.model = "Qwen/Qwen3.8-27B";
    start.engine_version = "0.27.1";
    start.context_tokens = 786432;
    start.weights_gib = 51.35;
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
    CHECK(model_of("Qwen3-8B (local path)") == domain::Quantization::Bf16);
    CHECK(model_of("Qwen3-8B-AWQ (recipe of 2026)") == domain::Quantization::Awq);
    CHECK(model_of("Qwen3-8B (BF16)") == domain::Quantization::Bf16);
    CHECK(model_of("Qwen3-8B (FP8 checkpoint)") == domain::Quantization::Fp32);  // not found
  }

  TEST_CASE("starts that ask for the same count once") {
    const EngineStart start = start_of(kRows.front());
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
}
