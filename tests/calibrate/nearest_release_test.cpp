// Which release a start is nearest to. Months: https://github.com/vllm-project/vllm/releases.
#include "calibrate/nearest_release.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/built_in_catalog.hpp"

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
    start.engine_version = "pytorch-vllm-serve:20260127_0916_RC01";
    CHECK(nearest_release(start)->from == "the month 2026-01");
    start.engine_version =
        "0.1.dev1+g4d2a68d64.d20260816";  // of a checkout without tags or history
    CHECK(nearest_release(start)->from == "the month 2026-08");
    start.engine_version = "dev";  // "Loading model weights took 2.9104 GB"
    start.prints_early_lines = true;
    start.date.clear();
    CHECK(nearest_release(start)->version == EngineVersion{0, 6, 0});
    CHECK(nearest_release(start)->from == "a line that releases to 0.7.3 print");
    start.date = "2024-03-30";
    CHECK(nearest_release(start)->version == EngineVersion{0, 4, 0});
    start.date = "2025-03-15";
    CHECK(nearest_release(start)->version == EngineVersion{0, 7, 3});
    CHECK(nearest_release(start)->from ==
          "the month 2025-03, and a line that releases to 0.7.3 print");
    start.prints_early_lines = false;
    start.engine_version = "vdev";
    start.date = "2023-01-01";
    CHECK_FALSE(nearest_release(start).has_value());
  }

  // Builds of checkouts without tags (logs of https://github.com/mnmehta/kimi-k3, of 27 July 2026,
  // https://github.com/HuXinjing/mineru-dllm-vllm-experiment-report, of 18 June, and
  // https://github.com/mystous/vllm_hybrid, of 25 April): 0.26.0 came out at the end of July, 0.23
  // on 15 June, 0.20 in the last week of April.
  TEST_CASE("a build that counts its commits stands behind the release that was cut before them") {
    calibrate::EngineStart start;
    start.engine = "vllm";
    start.date = "2026-10-01";
    start.engine_version = "0.1.dev19262+gb6bbf29dd.d20260727";
    CHECK(nearest_release(start)->version == EngineVersion{0, 26, 0});
    CHECK_FALSE(nearest_release(start)->is_stated);
    CHECK(nearest_release(start)->from == "the 19262 commits of its build");
    start.engine_version = "0.1.dev17674+gec36b4a1c";
    CHECK(nearest_release(start)->version == EngineVersion{0, 23, 0});
    start.engine_version = "0.1.dev16581+gdda4668b5.d20260528";
    CHECK(nearest_release(start)->version == EngineVersion{0, 21, 0});
    start.engine_version = "0.1.dev15917+g0a6396b45";
    CHECK(nearest_release(start)->version == EngineVersion{0, 19, 1});
    start.engine_version = "0.1.dev1+g6804e1b81";
    CHECK(nearest_release(start)->from == "the month 2026-10");
  }

  // Llama-2-7b by "0.6.3.dev114+g4f95ffee" on eight MI300X (October 2024) loads 1.5874 GiB, as
  // 0.6.2 and 0.6.3 do; 0.7 reads half a GiB of communication buffers with it.
  TEST_CASE("a build on the way to a release is of that or of the one before") {
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(engine);
    const auto releases = [&](domain::EngineVersion version, const std::string& build) {
      calibrate::EngineStart start;
      start.engine_version = build;
      std::vector<domain::EngineVersion> found =
          calibrate::releases_of_build(start, version, *engine);
      CHECK(found.front() == version);
      std::ranges::sort(found);
      return found;
    };
    CHECK(releases({0, 6, 3}, "0.6.3.dev114+g4f95ffee").front() == EngineVersion{0, 6, 0});
    CHECK(releases({0, 6, 3}, "0.6.3.dev114+g4f95ffee").back() == EngineVersion{0, 6, 3});
    // "0.22.1rc1.dev357" is one of main, which becomes 0.23; nothing came of 0.6.7.
    CHECK(releases({0, 22, 1}, "0.22.1rc1.dev357+g74b5964f0").front() == EngineVersion{0, 22, 0});
    CHECK(releases({0, 22, 1}, "0.22.1rc1.dev357+g74b5964f0").back() == EngineVersion{0, 23, 0});
    CHECK(releases({0, 6, 7}, "0.6.7.dev220+g84f5d47b").front() == EngineVersion{0, 6, 5});
    CHECK(releases({0, 6, 7}, "0.6.7.dev220+g84f5d47b").back() == EngineVersion{0, 7, 0});
  }

  TEST_CASE(
      "a log of a build without a tag is read by its commits, one without either is refused") {
    calibrate::EngineLog log;
    CHECK_FALSE(release_for(log).has_value());
    log.start.engine_version = "0.1.dev1+g6804e1b81";
    CHECK_FALSE(release_for(log).has_value());
    log.start.engine_version = "0.1.dev19262+gb6bbf29dd";
    REQUIRE(release_for(log).has_value());
    CHECK(release_for(log)->version == EngineVersion{0, 26, 0});
    log.counts_consumed = true;  // what 0.27 prints first
    CHECK(release_for(log)->version == EngineVersion{0, 27, 0});
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1, and versions of
  // https://github.com/vllm-project/vllm/issues.
  TEST_CASE("a version that names more than a commit and its tools is of somebody's own build") {
    using calibrate::own_build;
    CHECK(own_build("0.20.2rc1.dev249+glmkimirebase20260514") == "glmkimirebase20260514");
    CHECK(own_build("0.26.1rc0+infernal.invocation.r2.cu132 (main)") ==
          "infernal.invocation.r2.cu132");
    // Pull requests 38479 and 39008 of vLLM, as those who measured them call their builds.
    CHECK(own_build("PR 38479 build") == "PR 38479 build");
    CHECK_FALSE(own_build("0.15+ with aither-kvcache hooks").empty());
    CHECK(own_build("main before PR 56359").empty());
    for (const std::string_view version :
         {"0.19.0", "0.9.1.dev148+gfba064270.d20250526", "0.11.0+torch271",
          "0.8.5.dev22+g1575c1701", "0.26.1rc1.dev229+g124154a88.rocm723", "0.10.1+cu128",
          "0.6.6+cpu", ""})
      CHECK(own_build(version).empty());
  }

  // https://github.com/vllm-project/vllm/issues/12245: 0.6.6.post2.dev274 with VLLM_USE_V1=1.
  TEST_CASE("the second generation before 0.8 is taken for that of 0.8") {
    calibrate::EngineStart start;
    start.engine = "vllm";
    start.engine_version = "0.6.6.post2.dev274+g81763c58";
    CHECK(nearest_release(start)->version == EngineVersion{0, 6, 6});
    start.is_second_generation = true;
    CHECK(nearest_release(start)->version == EngineVersion{0, 8, 0});
    start.engine_version = "0.9.2";
    CHECK(nearest_release(start)->version == EngineVersion{0, 9, 2});
  }

  TEST_CASE("a build between releases has the one before and the next beside it") {
    domain::Engine engine;
    engine.known_versions = {{0, 8, 0}, {0, 9, 0}, {0, 10, 0}};
    const auto around = [&](EngineVersion version, calibrate::Neighbours neighbours) {
      return calibrate::releases_around(version, engine, neighbours);
    };
    using Versions = std::vector<EngineVersion>;
    CHECK(around({0, 9, 1}, {.before = 1, .behind = 1}) ==
          Versions{{0, 9, 1}, {0, 9, 0}, {0, 10, 0}});
    CHECK(around({0, 8, 0}, {.before = 2, .behind = 0}) == Versions{{0, 8, 0}});
    CHECK(around({0, 12, 0}, calibrate::kAllReleases) ==
          Versions{{0, 12, 0}, {0, 8, 0}, {0, 9, 0}, {0, 10, 0}});
    calibrate::EngineStart start;
    start.engine_version = "0.9.1.dev287+g89b1388d8";
    CHECK(calibrate::is_between_releases(start));
    start.engine_version = "0.9.1";
    CHECK_FALSE(calibrate::is_between_releases(start));
  }
}
