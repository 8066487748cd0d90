// vLLM's start-up logs of three generations, written for these tests with the phrases and figures
// of published ones (https://github.com/llm-d-incubation/llm-d-planner/pull/205 and issue threads).
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/causes.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::read_engine_log;
using calibrate::SamplerPath;
using example::calibrated;
using example::calibrated_term;

namespace {

EngineLog read(const std::string& name) { return example::engine_log("examples/logs/" + name); }

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a log of the newest layout says model, flags, version and every term") {
    const EngineLog log = read("vllm-0.19-llama-8b.log");
    CHECK(log.start.engine == "vllm");
    CHECK(log.start.engine_version == "0.19.0");
    CHECK(log.start.model == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(log.start.dtype == "bfloat16");
    CHECK(log.start.context_tokens == 8192);
    CHECK(log.start.max_num_seqs == 1024);
    CHECK(log.start.max_num_batched_tokens == 8192);
    CHECK(log.start.utilization == 0.95);
    CHECK_FALSE(log.start.enforce_eager);
    CHECK_FALSE(log.start.is_library);
    CHECK(log.start.weights_gib == 14.99);
    CHECK(log.start.activation_gib == 1.89);
    CHECK(log.start.non_torch_gib == 0.25);
    CHECK(log.start.graphs_gib == 0.91);
    CHECK(log.start.pool_gib == 58.11);
    CHECK(log.start.gpu_total_gib == 79.19);
    CHECK(log.start.pool_tokens == 476016);
    CHECK(log.graph_estimate_gib == 0.82);
    CHECK(log.sampler == SamplerPath::Native);
    REQUIRE(log.ranks.size() == 1);
    CHECK(log.ranks.front().free_gib == 78.68);
  }

  TEST_CASE("a log of the first generation says the same in its own words, for two ranks") {
    const EngineLog log = read("vllm-0.6-two-ranks.log");
    CHECK(log.start.engine_version == "0.6.6.post1");
    CHECK(log.start.model == "Qwen/Qwen2.5-1.5B-Instruct");
    CHECK(log.start.tensor_parallel == 2);
    CHECK(log.start.max_num_seqs == 256);
    CHECK(log.start.utilization == 0.9);
    CHECK(log.start.pool_blocks == 171755);
    CHECK(log.start.gpu_total_gib == 44.52);
    REQUIRE(log.ranks.size() == 2);
    // The rank that has least left stands for the start.
    CHECK(log.start.pool_gib == 36.70);
    CHECK(log.start.non_torch_gib == 0.52);
    CHECK(log.start.graphs_gib == 0.21);
  }

  TEST_CASE("a start as predicted is said to be one, and its tokens are counted") {
    const domain::Calibration calibration =
        calibrated(read("vllm-0.19-llama-8b.log"), "h100-sxm-80");
    CHECK(calibration.agrees());
    CHECK(calibration.terms.size() == 5);
    CHECK(calibration.verdict.contains("every measured figure"));
    REQUIRE(calibration.tokens);
    CHECK(calibration.tokens->least <= 476016);
    CHECK(calibration.tokens->most >= 476016);
    CHECK(calibration.asks.empty());
    CHECK(calibration.measurement.terms.size() == 4);
    CHECK(calibration.measurement.model == "meta-llama/Llama-3.1-8B-Instruct");
  }

  TEST_CASE("the term that is off is named with what explains it") {
    EngineLog log = read("vllm-0.19-llama-8b.log");
    // As if the torch sort had sampled: 36 bytes a logit beside the logits of 1,024 x 128,256
    // instead of 12 and a row a multiprocessor: 24 x 131,334,144 bytes = 2.94 GiB more, less 0.06.
    log.start.activation_gib = 1.89 + 2.94;
    log.start.pool_gib = 58.11 - 2.94;
    const domain::Calibration sorted = calibrated(log, "h100-sxm-80");
    CHECK_FALSE(sorted.agrees());
    REQUIRE(calibrated_term(sorted, "activation").is_off);
    REQUIRE_FALSE(calibrated_term(sorted, "activation").causes.empty());
    CHECK(calibrated_term(sorted, "activation").causes.front().contains("torch sort"));
    CHECK(sorted.verdict.contains("activation is off"));
    REQUIRE_FALSE(calibrated_term(sorted, "kvPool").causes.empty());
    CHECK(
        calibrated_term(sorted, "kvPool").causes.front().contains("follows from the other terms"));
  }

  TEST_CASE("another tenant is noticed by the memory that is not free at the start") {
    EngineLog log = read("vllm-0.19-llama-8b.log");
    log.ranks.front().free_gib = 70.0;
    log.start.non_torch_gib = 1.5;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    REQUIRE_FALSE(calibrated_term(calibration, "nonTorch").causes.empty());
    CHECK(calibrated_term(calibration, "nonTorch")
              .causes.front()
              .contains("another process held 8.7 GiB"));
  }

  TEST_CASE("batch sizes that are not the defaults are recognised by the peak") {
    EngineLog log = read("vllm-0.19-llama-8b.log");
    log.start.max_num_seqs.reset();
    // 256 sequences: 256 x 128,256 x 14 bytes + 132 rows x 128,256 x 4 + (8,192 + 512) x 8,192 B +
    // 32 MiB = 0.59 GiB; the forward pass needs more: 8,192 x (3 x 14,336 + 3.75 x 4,096) x 2 B.
    log.start.activation_gib = 0.92;
    log.start.pool_gib = 59.08;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    REQUIRE(calibrated_term(calibration, "activation").is_off);
    REQUIRE_FALSE(calibrated_term(calibration, "activation").causes.empty());
    CHECK(calibrated_term(calibration, "activation").causes.front().contains("fewer sequences"));
  }

  TEST_CASE("what a log does not say is asked for") {
    EngineLog log = read("vllm-0.19-llama-8b.log");
    log.start.utilization.reset();
    const auto catalog = catalog::Catalog::open();
    const calibrate::Surroundings surroundings{.model = *catalog->find(log.start.model),
                                               .engine = *catalog->engine("vllm"),
                                               .gpu = std::nullopt};
    const auto calibration = calibrate::calibrate(log, surroundings);
    REQUIRE(calibration.has_value());
    REQUIRE(calibration->asks.size() == 2);
    CHECK(calibration->asks[0].contains("--gpu"));
    CHECK(calibration->asks[1].contains("--gpu-memory-utilization"));
    log.start.engine_version.clear();
    const auto refused = calibrate::calibrate(log, surroundings);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().front().help.contains("--engine-version"));
  }

  TEST_CASE("text that is no log of an engine is refused") {
    CHECK_FALSE(read_engine_log("", "empty.log").has_value());
    const auto other = read_engine_log("hello\nworld\n", "other.log");
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().front().help.contains("vllm"));
    const auto cut = read_engine_log("INFO vLLM API server version 0.19.0\n", "cut.log");
    REQUIRE_FALSE(cut.has_value());
    CHECK(cut.error().front().message.contains("without a figure"));
  }

  TEST_CASE("no bytes bring a reader down") {
    const std::string start =
        "(EngineCore pid=1) INFO Initializing a V1 LLM engine (v0.19.0) with "
        "config: model='a/b', tensor_parallel_size=";
    rc::check("any tail after a recognised head", [&](const std::string& tail) {
      static_cast<void>(read_engine_log(
          start + tail + "\nAvailable KV cache memory: " + tail + "\nGPU KV cache size: " + tail,
          "any.log"));
    });
    const std::string endless(1U << 20U, 'x');
    CHECK_FALSE(read_engine_log(endless, "endless.log").has_value());
  }

  TEST_CASE("figures and values are found behind their words") {
    using calibrate::leading_count;
    using calibrate::leading_gib;
    using calibrate::value_of_key;
    CHECK(leading_gib("14.99 GiB memory") == 14.99);
    CHECK(leading_gib("21.21GiB;") == 21.21);
    CHECK(leading_gib("512.00 MiB first") == 0.5);
    CHECK(leading_count("1,277,184 tokens") == 1277184);
    CHECK_FALSE(leading_count("tokens").has_value());
    CHECK_FALSE(leading_count("99999999999999999999").has_value());
    CHECK(value_of_key("served_model_name=x, model='a/b', tp=2", "model") == "a/b");
    CHECK(value_of_key("{'max_num_seqs': 256, 'model': 'a'}", "max_num_seqs") == "256");
    CHECK_FALSE(value_of_key("model_tag=1", "model").has_value());
    std::string_view coloured = "\x1b[0;36m(EngineCore pid=3)\x1b[0;0m INFO\r\nnext";
    std::string line;
    REQUIRE(calibrate::next_line(coloured, line));
    CHECK(line == "(EngineCore pid=3) INFO");
    CHECK(calibrate::process_of(line) == "EngineCore pid=3");
  }

  TEST_CASE("every reader and every cause says what it is") {
    for (const auto& row : calibrate::log_readers()) CHECK_FALSE(row.description.empty());
    for (const auto& row : calibrate::causes()) CHECK_FALSE(row.description.empty());
  }
}
