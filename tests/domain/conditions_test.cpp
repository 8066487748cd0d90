#include "domain/conditions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "domain/engine.hpp"

using namespace gpushape;
using domain::Conditions;

namespace {

/// An engine with one fact, which holds under `when`.
domain::Engine engine_where(std::string when) {
  domain::EngineFacts facts{.engine = "vllm", .since = {0, 4, 0}, .constants = {}};
  facts.constants.push_back({.name = "graphBase",
                             .low = 1,
                             .expected = 1,
                             .high = 1,
                             .when = std::move(when),
                             .unit = "GiB",
                             .source = "test"});
  domain::Engine engine;
  engine.name = "vllm";
  engine.facts = std::vector{facts};
  return engine;
}

}  // namespace

TEST_SUITE("domain") {
  TEST_CASE("a list of more comparisons than are read is complained of") {
    const auto complaints_about = [](const char* when) {
      return domain::unreadable_conditions(engine_where(when));
    };
    CHECK(complaints_about("tp>=1,pp>=1,cc>=1,cc<9,a100=0,amd=0").empty());
    const Diagnostics seven = complaints_about("tp>=1,pp>=1,cc>=1,cc<9,a100=0,amd=0,gpu=1");
    REQUIRE(seven.size() == 1);
    CHECK(seven.front().message.find("7 comparisons") != std::string::npos);
  }

  TEST_CASE("a fact holds when all its comparisons hold") {
    const Conditions conditions{.tensor_parallel = 2, .compute_capability = 9};
    CHECK(domain::holds("", conditions));
    CHECK(domain::holds("tp=2", conditions));
    CHECK(domain::holds("tp>=2,cc>=9", conditions));
    CHECK(domain::holds("tp<3", conditions));
    CHECK_FALSE(domain::holds("tp>=2,cc<9", conditions));
    CHECK_FALSE(domain::holds("tp=1", conditions));
  }

  TEST_CASE("bounds are read to the nearest number, however they are written") {
    // 8.9 = 89 / 10, 0.1 + 0.2 is not 0.3: bounds must be the numbers that a compiler reads.
    CHECK(domain::holds("cc=8.9", {.compute_capability = 8.9}));
    CHECK(domain::holds("cc=0.3", {.compute_capability = 0.3}));
    CHECK_FALSE(domain::holds("cc=0.3", {.compute_capability = 0.1 + 0.2}));
    CHECK(domain::holds("cc=1e1", {.compute_capability = 10}));
    CHECK(domain::holds("cc>=-2", {.compute_capability = 0}));
    CHECK(domain::holds("sequences<12345678901234567", {.sequences = 12345678901234564}));
    for (const char* text : {"cc=", "cc=.", "cc=8.9.1", "cc=8,9", "cc==8", "cc=>8", "=8"}) {
      CAPTURE(text);
      CHECK_FALSE(domain::holds(text, {.compute_capability = 8}));
    }
  }

  TEST_CASE("a comparison that cannot be read never holds, and is complained of") {
    CHECK_FALSE(domain::holds("tp", {}));
    CHECK_FALSE(domain::holds("tp=one", {}));
    CHECK_FALSE(domain::holds("tensors>=1", {}));
    CHECK(domain::unreadable_conditions(engine_where("")).empty());
    CHECK(domain::unreadable_conditions(engine_where("sequences<8")).empty());
    const Diagnostics diagnostics = domain::unreadable_conditions(engine_where("sequenses<8"));
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics.front().message.contains("sequenses<8"));
    CHECK(diagnostics.front().help.contains("'sequences'"));
  }
}
