// Which release a start is nearest to. Months: https://github.com/vllm-project/vllm/releases.
#include "calibrate/nearest_release.hpp"

#include <doctest/doctest.h>

using namespace gpushape;
using calibrate::nearest_release;
using domain::EngineVersion;

TEST_SUITE("calibrate") {
  TEST_CASE("a stated release counts, then a month in the version, then the date") {
    calibrate::EngineStart start;
    CHECK_FALSE(nearest_release(start).has_value());
    start.date = "2025-03-20";
    REQUIRE(nearest_release(start));
    CHECK(nearest_release(start)->version == EngineVersion{0, 8, 0});
    CHECK_FALSE(nearest_release(start)->is_stated);
    start.engine_version = "nightly 1acd67a7 (June 2026)";
    CHECK(nearest_release(start)->version == EngineVersion{0, 22, 0});
    CHECK(nearest_release(start)->from == "the month 2026-06");
    start.engine_version = "v0.6.3.post1";
    CHECK(nearest_release(start)->version == EngineVersion{0, 6, 3});
    CHECK(nearest_release(start)->is_stated);
    start.engine_version = "vdev";
    start.date = "2023-01-01";
    CHECK_FALSE(nearest_release(start).has_value());
  }
}
