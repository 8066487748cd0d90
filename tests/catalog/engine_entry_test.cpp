#include "catalog/engine_entry.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_engine;

namespace {

const std::string kEngine = R"(id: vllm
knownVersions: ["0.8", "0.19", "0.19.1"]
kvCacheTypes:
  - {type: fp8, source: a manual}
  - {type: nvfp4, after: "0.8", since: "0.19", models: latents, note: slow, source: a manual}
facts:
  - since: "0.8"
    source: a log
    constants:
      - {name: utilization, expected: 0.9}
      - {name: nonTorch, when: "tp=1", low: 0.08, expected: 0.11, high: 0.17, unit: GiB, source: logs}
  - since: "0.19"
    constants:
      - {name: nonTorch, when: "tp=1", expected: 0.25, unit: GiB, source: another log}
)";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an engine entry gives its versions and constants as written") {
    const auto engine = read_engine(yaml(kEngine));
    REQUIRE(engine);
    CHECK(engine->name == "vllm");
    REQUIRE(engine->known_versions.size() == 3);
    CHECK(engine->known_versions.back() == gpushape::domain::EngineVersion{0, 19, 1});
    REQUIRE(engine->cache_types.size() == 2);
    CHECK_FALSE(engine->cache_types[0].since);
    const gpushape::domain::EngineCacheType& nvfp4 = engine->cache_types[1];
    CHECK(nvfp4.type == gpushape::domain::KvCacheType::Nvfp4);
    CHECK(nvfp4.models == gpushape::domain::CacheTypeFor::Latents);
    CHECK(nvfp4.after == gpushape::domain::EngineVersion{0, 8, 0});
    CHECK(nvfp4.since == gpushape::domain::EngineVersion{0, 19, 0});
    CHECK(nvfp4.note == "slow");
    REQUIRE(engine->facts.rows().size() == 2);
    const auto& constants = engine->facts.rows().front().constants;
    REQUIRE(constants.size() == 2);
    CHECK(constants[0].low == 0.9);
    CHECK(constants[0].high == 0.9);
    CHECK(constants[0].source == "a log");
    CHECK(constants[1].source == "logs");
    CHECK(constants[1].when == "tp=1");
    CHECK(constants[1].high == 0.17);
    CHECK(engine->facts.rows()[1].since == gpushape::domain::EngineVersion{0, 19, 0});
  }

  TEST_CASE("what is wrong with an engine entry is said with its place") {
    struct Row {
      const char* from;
      const char* to;
      const char* says;
    };
    const std::vector<Row> rows = {
        {R"("0.19", "0.19.1")", R"("0.19.1", "0.19")", "knownVersions do not ascend"},
        {R"("0.8", "0.19")", R"("0.8", "zero")", "'zero' is not a version"},
        {"since: \"0.19\"\n", "since: \"0.7\"\n", "do not ascend by their `since`"},
        {"after: \"0.8\"", "after: \"0.20\"", "`since` is not later than `after`"},
        {"type: fp8,", "type: fp9,", "fp8"},
        {"type: fp8, source: a manual", "type: fp8", "source"},
        {"low: 0.08", "low: 0.5", "0.5 <= 0.11 <= 0.17 does not hold"},
        {"source: another log", "unit: GiB", "has no source"},
        {"expected: 0.9", "expectd: 0.9", "expectd"},
        {"name: utilization, expected: 0.9", "name: nonTorch, when: \"tp=1\", expected: 1",
         "stands twice"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.to);
      const auto engine = read_engine(yaml(replaced(kEngine, row.from, row.to)));
      REQUIRE_FALSE(engine);
      CAPTURE(messages(engine.error()));
      CHECK(mentions(engine.error(), row.says));
      CHECK(engine.error().front().span.file == "entry.yaml");
      CHECK(engine.error().front().span.line > 0);
    }
  }
}
