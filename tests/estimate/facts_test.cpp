#include "estimate/facts.hpp"

#include <doctest/doctest.h>

#include "estimate/samples.hpp"

using namespace gpushape;
using estimate::Conditions;
using estimate::Facts;

TEST_SUITE("estimate") {
  TEST_CASE("a list of more comparisons than are read is complained of") {
    const auto complaints_about = [](const char* when) {
      return estimate::unreadable_conditions(
          example::vllm_with({example::constant("graphBase", 1, "GiB", when)}));
    };
    CHECK(complaints_about("tp>=1,pp>=1,cc>=1,cc<9,a100=0,amd=0").empty());
    const Diagnostics seven = complaints_about("tp>=1,pp>=1,cc>=1,cc<9,a100=0,amd=0,gpu=1");
    REQUIRE(seven.size() == 1);
    CHECK(seven.front().message.find("7 comparisons") != std::string::npos);
  }

  TEST_CASE("a fact holds when all its comparisons hold") {
    const Conditions conditions{.tensor_parallel = 2, .compute_capability = 9};
    CHECK(estimate::holds("", conditions));
    CHECK(estimate::holds("tp=2", conditions));
    CHECK(estimate::holds("tp>=2,cc>=9", conditions));
    CHECK(estimate::holds("tp<3", conditions));
    CHECK_FALSE(estimate::holds("tp>=2,cc<9", conditions));
    CHECK_FALSE(estimate::holds("tp=1", conditions));
  }

  TEST_CASE("bounds are read to the nearest number, however they are written") {
    // 8.9 = 89 / 10, 0.1 + 0.2 is not 0.3: bounds must be the numbers that a compiler reads.
    CHECK(estimate::holds("cc=8.9", {.compute_capability = 8.9}));
    CHECK(estimate::holds("cc=0.3", {.compute_capability = 0.3}));
    CHECK_FALSE(estimate::holds("cc=0.3", {.compute_capability = 0.1 + 0.2}));
    CHECK(estimate::holds("cc=1e1", {.compute_capability = 10}));
    CHECK(estimate::holds("cc>=-2", {.compute_capability = 0}));
    CHECK(estimate::holds("sequences<12345678901234567", {.sequences = 12345678901234564}));
    for (const char* text : {"cc=", "cc=.", "cc=8.9.1", "cc=8,9", "cc==8", "cc=>8", "=8"}) {
      CAPTURE(text);
      CHECK_FALSE(estimate::holds(text, {.compute_capability = 8}));
    }
  }

  TEST_CASE("a comparison that cannot be read never holds, and is complained of") {
    CHECK_FALSE(estimate::holds("tp", {}));
    CHECK_FALSE(estimate::holds("tp=one", {}));
    CHECK_FALSE(estimate::holds("tensors>=1", {}));
    CHECK(estimate::unreadable_conditions(example::vllm()).empty());
    const domain::Engine engine =
        example::vllm_with({example::constant("nonTorch", 1, "GiB", "sequenses<8")});
    const Diagnostics diagnostics = estimate::unreadable_conditions(engine);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics.front().message.contains("sequenses<8"));
    CHECK(diagnostics.front().help.contains("'sequences'"));
  }

  TEST_CASE("the most particular row wins, then the latest that the version has") {
    const domain::Engine engine = example::vllm();
    const Conditions large{.device_gib = 80, .gpu_given = 1};
    CHECK(Facts(engine, {0, 19, 0}, large).expected("maxNumSeqs") == 1024);
    CHECK(Facts(engine, {0, 19, 0}, {.device_gib = 80, .gpu_given = 1, .is_a100 = 1})
              .expected("maxNumSeqs") == 256);
    CHECK(Facts(engine, {0, 19, 0}, {}).expected("maxNumSeqs") == 128);
    CHECK(Facts(engine, {0, 19, 1}, large).expected("gpuMemoryUtilization") == 0.9);
    CHECK(Facts(engine, {0, 23, 0}, large).expected("gpuMemoryUtilization") == 0.92);
  }

  TEST_CASE("what holds is the same whether a version was read before or not") {
    const domain::Engine engine = example::vllm();
    estimate::KnownVersions versions;
    for (const domain::EngineVersion version : {domain::EngineVersion{0, 19, 0}, {0, 23, 0}}) {
      for (const double gib : {0.0, 24.0, 80.0, 24.0}) {
        for (const double is_a100 : {0.0, 1.0}) {
          const Conditions conditions{.device_gib = gib, .gpu_given = 1, .is_a100 = is_a100};
          const Facts alone(engine, version, conditions);
          const Facts shared(versions.of(engine, version), conditions);
          for (const domain::EngineFacts& facts : engine.facts.rows()) {
            for (const domain::EngineConstant& constant : facts.constants) {
              CAPTURE(constant.name);
              CHECK(shared.find(constant.name) == alone.find(constant.name));
            }
          }
        }
      }
    }
  }

  TEST_CASE("facts change with the sequences where some of them ask for sequences") {
    const domain::Engine engine =
        example::vllm_with({example::constant("fewOnly", 1, "MiB", "sequences<8")});
    Facts facts(engine, {0, 19, 0}, {.sequences = 100});
    CHECK(facts.find("fewOnly") == nullptr);
    const Facts before = facts;
    facts.set_sequences(50);
    CHECK(facts.changes() == 0);
    facts.set_sequences(7);
    CHECK(facts.changes() == 1);
    CHECK(facts.expected("fewOnly") == 1024 * 1024);
    CHECK(before.find("fewOnly") == nullptr);
  }

  TEST_CASE("figures of memory come out in bytes") {
    const domain::Engine engine = example::vllm();
    const Facts facts(engine, {0, 19, 0}, {});
    CHECK(facts.expected("nonTorch") == 0.25 * 1024 * 1024 * 1024);
    CHECK(facts.expected("matrixWorkspace") == 32.0 * 1024 * 1024);
    CHECK(facts.expected("nothing of that name") == 0);
  }
}
