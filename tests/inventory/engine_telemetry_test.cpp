// Answers of Prometheus about engines: what is taken, what is counted, what is refused.
#include "inventory/engine_telemetry.hpp"

#include <doctest/doctest.h>

#include "document/text_format.hpp"

using namespace gpushape;

namespace {

Result<domain::EngineTelemetry> telemetry_of(const std::string& result) {
  const auto document = document::read_json(
      "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" + result + "]}}",
      "answer.json");
  REQUIRE(document);
  const std::vector<document::Document> documents = {*document};
  return inventory::read_engine_telemetry(documents);
}

std::string series(const std::string& name, const std::string& values,
                   const std::string& labels = "") {
  return "{\"metric\":{\"__name__\":\"" + name + "\"" + labels + "},\"values\":[" + values + "]}";
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("uses, sequences, preemptions and the pool of an engine are taken") {
    const auto telemetry = telemetry_of(
        series("vllm:kv_cache_usage_perc", R"([0,"0.2"],[1800,"0.4"],[3600,"0.1"],[90000,"NaN"])") +
        "," + series("vllm:num_requests_running", R"([0,"4"],[1800,"9"])") + "," +
        // 5, then the process began again and counted 2, then 1 more
        series("vllm:num_preemptions_total", R"([0,"5"],[10,"10"],[20,"2"],[30,"3"])") + "," +
        series("vllm:cache_config_info", R"([0,"1"])",
               R"(,"num_gpu_blocks":"1000","block_size":"16","cache_dtype":"fp8")") +
        "," + series("up", R"([0,"1"])"));
    REQUIRE(telemetry);
    CHECK(telemetry->uses == std::vector<double>{0.1, 0.2, 0.4});
    CHECK(telemetry->running == std::vector<double>{4, 9});
    CHECK(telemetry->preemptions == 8);
    CHECK(telemetry->pool_tokens == 16'000);
    CHECK(telemetry->cache_type == "fp8");
    CHECK(telemetry->days == doctest::Approx(3600.0 / 86400));
    CHECK(telemetry->from == "answer.json");
    CHECK(domain::quantile_of(telemetry->uses, 0.5) == 0.2);
    CHECK(domain::quantile_of(telemetry->uses, 0.99) == 0.4);
  }

  TEST_CASE("a gap above an hour was not measured") {
    const auto telemetry =
        telemetry_of(series("vllm:gpu_cache_usage_perc", R"([0,"0.2"],[864000,"0.4"])"));
    REQUIRE(telemetry);
    CHECK(telemetry->days == doctest::Approx(1.0 / 24));
  }

  TEST_CASE("engines stand side by side, and the smallest pool counts") {
    const auto telemetry = telemetry_of(
        series("sglang:token_usage", R"([0,"0.2"],[60,"0.2"])", R"(,"instance":"a")") + "," +
        series("sglang:token_usage", R"([0,"0.6"],[60,"0.6"])", R"(,"instance":"b")") + "," +
        series("sglang:max_total_num_tokens", R"([0,"5000"])", R"(,"instance":"a")") + "," +
        series("sglang:max_total_num_tokens", R"([0,"4000"])", R"(,"instance":"b")"));
    REQUIRE(telemetry);
    CHECK(telemetry->engines == 2);
    CHECK(telemetry->uses.size() == 4);
    CHECK(telemetry->pool_tokens == 4000);
    CHECK_FALSE(telemetry->preemptions);
  }

  TEST_CASE("what is no answer, no sample or none of an engine is refused with its place") {
    const auto percent = telemetry_of(series("vllm:kv_cache_usage_perc", R"([0,"12"])"));
    REQUIRE_FALSE(percent);
    CHECK(percent.error().front().message ==
          "vllm:kv_cache_usage_perc: a sample is [seconds, \"value from 0 to 1\"]");
    CHECK(percent.error().front().span.line == 1);
    CHECK_FALSE(telemetry_of(series("vllm:kv_cache_usage_perc", R"([0,"-1"],["x","0.1"],[1])")));
    const auto none = telemetry_of(series("node_load1", R"([0,"12"])"));
    REQUIRE_FALSE(none);
    CHECK(none.error().front().help.find("kv_cache_usage_perc") != std::string::npos);
    const auto fault = document::read_json(
        R"({"status":"error","error":"query timed out","data":{}})", "answer.json");
    REQUIRE(fault);
    CHECK(inventory::is_prometheus_answer(*fault));
    const std::vector<document::Document> documents = {*fault};
    const auto refused = inventory::read_engine_telemetry(documents);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message.find("query timed out") != std::string::npos);
  }
}
