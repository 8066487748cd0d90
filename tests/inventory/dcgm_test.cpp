#include "inventory/dcgm.hpp"

#include <doctest/doctest.h>

#include "document/text_format.hpp"

using namespace gpushape;
using domain::UsageMetric;

namespace {

Result<std::vector<domain::UsageSeries>> series_of(const std::string& text) {
  const auto document = document::read_json(text, "usage.json");
  REQUIRE(document.has_value());
  return inventory::read_usage(*document);
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("an answer of Prometheus becomes series in our units") {
    const auto series = series_of(R"({"status":"success","data":{"resultType":"vector","result":[
      {"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","UUID":"GPU-1","gpu":"0","Hostname":"n",
                 "pci_bus_id":"00000000:3B:00.0","exported_namespace":"a","exported_pod":"b",
                 "namespace":"gpu-operator","pod":"exporter"},"value":[1758013200.5,"25"]},
      {"metric":{"__name__":"DCGM_FI_DEV_FB_USED","UUID":"GPU-1"},"value":[1758013200,"1024"]},
      {"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","UUID":"GPU-1"},"value":[1758013200,"41"]}]}})");
    REQUIRE(series.has_value());
    REQUIRE(series->size() == 2);
    CHECK((*series)[0].metric == UsageMetric::Utilization);
    CHECK((*series)[0].samples[0].value == doctest::Approx(0.25));
    CHECK((*series)[0].pci_address == "0000:3b:00.0");
    CHECK((*series)[0].holder == "a/b");
    CHECK((*series)[1].samples[0].value == doctest::Approx(1024.0 * 1048576));
  }

  TEST_CASE("a range is in order of time, and what is no number is passed over") {
    const auto series = series_of(R"({"status":"success","data":{"resultType":"matrix","result":[
      {"metric":{"__name__":"DCGM_FI_PROF_GR_ENGINE_ACTIVE","UUID":"GPU-1"},
       "values":[[20,"0.5"],[10,"0.1"],[30,"NaN"]]}]}})");
    REQUIRE(series.has_value());
    REQUIRE(series->front().samples.size() == 2);
    CHECK(series->front().samples[0].seconds == doctest::Approx(10));
  }

  TEST_CASE("other answers are complaints") {
    CHECK_FALSE(series_of(R"({"status":"error","error":"bad query"})").has_value());
    CHECK_FALSE(series_of(R"({"data":{"result":[]}})").has_value());
    const auto wrong = series_of(R"({"data":{"result":[{"metric":{
      "__name__":"DCGM_FI_PROF_GR_ENGINE_ACTIVE"},"value":[1,"7"]}]}})");
    REQUIRE_FALSE(wrong.has_value());
    CHECK(to_text(wrong.error()).find("usage.json:2") != std::string::npos);
  }
}
