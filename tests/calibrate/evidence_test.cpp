// What a start leaves as evidence: its terms with what they hang on, less those of somebody else.
#include "calibrate/evidence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calibrate/calibration.hpp"
#include "calibrate/causes.hpp"
#include "calibrate/engine_log.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using example::calibrated;

namespace {

std::vector<std::string> names(const domain::Measurement& measurement) {
  std::vector<std::string> all;
  for (const domain::MeasuredTerm& term : measurement.terms) all.push_back(term.name);
  return all;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("evidence has what the log says of the start") {
    const domain::Measurement plain =
        calibrated(example::recorded_log("vllm-0.19-llama-8b.log"), "h100-sxm-80").measurement;
    CHECK(names(plain) == std::vector<std::string>{"weights", "activation", "nonTorch", "graphs"});
    CHECK(plain.notes.empty());
    CHECK(plain.gpu == "h100-sxm-80");
    CHECK(plain.context_tokens == 8192);
    CHECK(plain.kv_cache_type == domain::KvCacheType::Bf16);
    CHECK(plain.data == 1);
    CHECK(plain.expert == 1);
    CHECK_FALSE(plain.adapters);
    CHECK(plain.draft_model.empty());
    CHECK(plain.offloaded_bytes == Bytes(0));
  }

  TEST_CASE("adapters, a draft, offload, ranks of data and what is let in are written with it") {
    EngineLog log = example::recorded_log("vllm-0.19-llama-8b.log");
    log.start.data_parallel = 2;
    log.start.has_adapters = true;
    log.start.adapters = 4;
    log.start.adapter_rank = 32;
    log.start.offload_gib = 10;
    log.start.has_tables_elsewhere = false;
    log.start.takes_no_images = true;
    log.start.draft_tokens = 3;
    calibrate::name_draft(log.start, "own/draft");
    const domain::Measurement start = calibrated(log, "h100-sxm-80").measurement;
    CHECK(start.data == 2);
    CHECK(start.adapters == domain::MeasuredAdapters{.count = 4, .rank = 32});
    CHECK(start.offloaded_bytes == gib(10));
    CHECK(start.has_tables_on_host == false);
    CHECK(start.draft_model == "own/draft");
    CHECK(start.draft_tokens == 3);
    // Llama takes no videos either way, so that it was for text alone.
    CHECK_FALSE(start.takes_images);
    CHECK_FALSE(start.takes_videos);
  }

  TEST_CASE("what a model of other sizes took is no evidence of the one it is named after") {
    EngineLog log = example::recorded_log("vllm-0.19-llama-8b.log");
    log.start.has_other_sizes = true;
    log.start.weights_gib = 1.85;
    log.ranks.front().weights_gib = 1.85;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    CHECK(names(calibration.measurement).empty());
    REQUIRE_FALSE(calibration.measurement.notes.empty());
    CHECK(calibration.measurement.notes.front().contains("hf_overrides"));
    const auto weights =
        std::ranges::find(calibration.terms, "weights", &domain::CalibratedTerm::name);
    REQUIRE(weights != calibration.terms.end());
    REQUIRE_FALSE(weights->causes.empty());
    CHECK(weights->causes.front().contains("give --model a config.json"));
  }

  // 79.19 GiB in all and 70 free: 9.19 less a context of 0.5 are another's.
  TEST_CASE("graphs of batches that the engine does not choose are no evidence of what it does") {
    EngineLog log = example::recorded_log("vllm-0.19-llama-8b.log");
    log.start.graph_batches = {1, 2, 4};
    const domain::Measurement measurement = calibrated(log, "h100-sxm-80").measurement;
    CHECK(names(measurement) == std::vector<std::string>{"weights", "activation", "nonTorch"});
    REQUIRE(measurement.notes.size() == 1);
    CHECK(measurement.notes.front().contains("cudagraph_capture_sizes"));
  }

  TEST_CASE("what another process holds is no evidence of the engine, and the note says so") {
    EngineLog log = example::recorded_log("vllm-0.19-llama-8b.log");
    log.ranks.front().free_gib = 70.0;
    log.start.non_torch_gib = 5.25;  // 0.25 are the engine's
    const domain::Measurement start = calibrated(log, "h100-sxm-80").measurement;
    CHECK(names(start) == std::vector<std::string>{"weights", "activation", "graphs"});
    REQUIRE(start.notes.size() == 1);
    CHECK(start.notes.front().starts_with(
        "nonTorch, 5.25 GiB, is left out: another process held 8.7 GiB"));
  }

  TEST_CASE("a peak of other batch sizes than are known is no evidence for these") {
    EngineLog log = example::recorded_log("vllm-0.19-llama-8b.log");
    log.start.max_num_seqs.reset();
    // 256 x 128,256 x 14 bytes + 132 x 128,256 x 4 + (8,192 + 512) x 8,192 + 32 MiB = 0.59 GiB
    log.start.activation_gib = 0.59;
    const domain::Measurement start = calibrated(log, "h100-sxm-80").measurement;
    CHECK(std::ranges::count(names(start), "activation") == 0);
    REQUIRE_FALSE(start.notes.empty());
    CHECK(start.notes.front().contains("the engine took max_num_seqs 256"));
  }

  TEST_CASE("every cause that speaks against a figure is one that there is") {
    std::size_t count = 0;
    for (const calibrate::CauseRow& row : calibrate::causes())
      count += calibrate::speaks_against(row.name) ? 1 : 0;
    CHECK(count == 9);
    CHECK_FALSE(calibrate::speaks_against("sampler-path"));
  }

  TEST_CASE("engines that plan buffers leave their weights, of one GPU") {
    for (const char* name :
         {"tensorrt-llm-1.2-llama-3-8b.log", "vllm-0.10-qwen2-7b-flashinfer.log"}) {
      CAPTURE(name);
      for (const std::string& term :
           names(calibrated(example::recorded_log(name), "h100-sxm-80").measurement))
        CHECK(
            (term == "weights" || term == "activation" || term == "nonTorch" || term == "graphs"));
    }
  }
}
