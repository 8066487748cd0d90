// Start-up logs of SGLang and TensorRT-LLM. That of SGLang is written for these tests with the
// phrases of published ones: its figures are ours, so it shows that logs are read, not that
// predictions hold. The figures of TensorRT-LLM are those of a start on H200
// (https://github.com/faradawn/bench3).
#include <doctest/doctest.h>

#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using example::calibrated;
using example::calibrated_term;

namespace {

constexpr const char* kSglang = "tests/cases/calibrate/sglang-0.5-form.log";
constexpr const char* kTensorRt = "examples/logs/tensorrt-llm-1.2-llama-3-8b.log";

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a log of SGLang says what was asked for and what every rank measured") {
    const EngineLog log = example::engine_log(kSglang);
    CHECK(log.start.engine == "sglang");
    CHECK(log.start.model == "Qwen/Qwen2.5-32B-Instruct");
    // The release is told from the arguments: mamba_full_memory_ratio came with 0.5.3.
    CHECK(log.start.engine_version == "0.5.3");
    CHECK(log.version_from == "told from the arguments");
    CHECK(log.start.utilization == 0.834);
    CHECK(log.start.tensor_parallel == 2);
    CHECK(log.start.max_num_batched_tokens == 8192);
    CHECK(log.start.max_num_seqs == 4096);
    CHECK(log.start.context_tokens == 32768);
    REQUIRE(log.ranks.size() == 2);
    CHECK(log.ranks[0].free_gib == 77.54);
    CHECK(log.ranks[1].weights_gib == 30.74);
    CHECK(log.ranks[1].pool_gib == doctest::Approx(33.92));
    CHECK(log.start.pool_tokens == 277944);
    CHECK(log.start.graphs_gib == 1.58);
    CHECK_FALSE(log.has_drafts);
  }

  TEST_CASE("the count of SGLang's tokens follows from its pool") {
    const domain::Calibration calibration = calibrated(example::engine_log(kSglang), "h100");
    // 33.92 GiB / (64 layers x 2 x 4 heads x 128 x 2 bytes) = 277,873 to 277,955 for +- 0.01 GiB.
    REQUIRE(calibration.tokens);
    CHECK(calibration.tokens->least <= 277944);
    CHECK(calibration.tokens->most >= 277944);
    CHECK(calibrated_term(calibration, "kvPool").ranks.size() == 2);
  }

  TEST_CASE("DP attention is read as data parallelism whose ranks share the experts") {
    const std::string text =
        "[2025-10-07 10:00:00] server_args=ServerArgs(model_path='deepseek-ai/DeepSeek-V3', "
        "mem_fraction_static=0.8, chunked_prefill_size=8192, tp_size=8, pp_size=1, dp_size=8, "
        "enable_dp_attention=True, swa_full_tokens_ratio=0.8)\n"
        "[2025-10-07 10:00:09 DP3 TP3] KV Cache is allocated. #tokens: 975424, KV size: 43.67 GB\n";
    const Result<EngineLog> log = calibrate::read_engine_log(text, "a log");
    REQUIRE(log.has_value());
    CHECK(log->start.tensor_parallel == 1);
    CHECK(log->start.data_parallel == 8);
    CHECK(log->start.expert_parallel == 8);
    CHECK(log->start.pool_gib == 43.67);
  }

  TEST_CASE("a log of TensorRT-LLM gives the second of its pools") {
    const EngineLog log = example::engine_log(kTensorRt);
    CHECK(log.start.engine == "tensorrt-llm");
    CHECK(log.start.engine_version == "1.2.0rc4");
    CHECK(log.start.model == "meta-llama/Meta-Llama-3-8B-Instruct");
    CHECK(log.start.weights_gib == 15.06);
    CHECK(log.start.activation_gib == 0.14);
    CHECK(log.start.non_torch_gib == 2.55);
    CHECK(log.start.pool_gib == 109.96);
    CHECK(log.start.pool_tokens == 900800);
    CHECK(log.start.gpu_total_gib == 139.8);
    CHECK(log.start.utilization == 0.9);
    CHECK(log.start.max_num_batched_tokens == 1056);
    CHECK(log.start.max_num_seqs == 64);
  }

  TEST_CASE("every figure of the start on H200 lies in its range") {
    const domain::Calibration calibration = calibrated(example::engine_log(kTensorRt), "h200");
    for (const domain::CalibratedTerm& one : calibration.terms) {
      CAPTURE(one.name);
      CHECK_FALSE(one.is_off);
    }
    CHECK(calibration.agrees());
    const domain::CalibratedTerm& pool = calibrated_term(calibration, "kvPool");
    CHECK(pool.predicted.expected.gib() == doctest::Approx(109.96).epsilon(0.01));
  }

  TEST_CASE("a log without a figure is refused by name") {
    const Result<EngineLog> log =
        calibrate::read_engine_log("[TensorRT-LLM] TensorRT-LLM version: 1.0.0\n", "short.log");
    REQUIRE_FALSE(log.has_value());
    CHECK(log.error().front().message ==
          "short.log is a log of TensorRT-LLM without a figure of its memory");
  }
}
