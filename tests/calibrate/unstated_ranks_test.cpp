// How many GPUs share a model, by what one of them prints.
#include "calibrate/unstated_ranks.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "support/built_in_catalog.hpp"

using namespace gpushape;
using calibrate::EngineStart;
using example::built_in_catalog;

namespace {

std::optional<calibrate::UnstatedRanks> ranks_of(const EngineStart& start,
                                                 const std::string& name) {
  const domain::Model model = *built_in_catalog().find(name);
  return calibrate::unstated_ranks(start, model, *built_in_catalog().engine("vllm"), {0, 19, 0},
                                   std::nullopt);
}

EngineStart started() {
  EngineStart start;
  start.engine = "vllm";
  start.is_parallelism_stated = false;
  return start;
}

std::optional<std::int64_t> ranks_for(double weights_gib) {
  EngineStart start = started();
  start.weights_gib = weights_gib;
  const auto ranks = ranks_of(start, "Qwen/Qwen3.5-9B");
  if (!ranks) return std::nullopt;
  CHECK_FALSE(ranks->is_default);
  return ranks->tensor_parallel;
}

}  // namespace

TEST_SUITE("calibrate") {
  // Qwen3.5-9B prints 17.66 GiB on one GPU and 8.91 on each of two.
  TEST_CASE("printed weights tell how many GPUs share a model") {
    CHECK(ranks_for(17.66) == 1);
    CHECK(ranks_for(8.91) == 2);
  }

  // Four bits of it are 5 to 7 GiB, between the shares of two and four.
  TEST_CASE("weights that are nobody's share tell none") {
    CHECK_FALSE(ranks_for(6.3).has_value());
    CHECK_FALSE(ranks_for(40).has_value());
  }

  // Qwen3-8B keeps 36 x 2 x 8 x 128 x 2 bytes of a token, 147,456: 6.37 GiB hold 46,368 of them on
  // one GPU (https://github.com/LMCache/LMCache/issues/3430), and twice as many where two share it.
  TEST_CASE("tokens of a printed pool tell how many GPUs share a model") {
    EngineStart start = started();
    start.pool_gib = 6.37;
    for (const std::int64_t degree : {1, 2, 4}) {
      CAPTURE(degree);
      start.pool_tokens = 46368 * degree;
      const auto ranks = ranks_of(start, "Qwen/Qwen3-8B");
      REQUIRE(ranks);
      CHECK(ranks->tensor_parallel == degree);
      CHECK_FALSE(ranks->is_default);
    }
  }

  TEST_CASE("where nothing tells it engines run on one GPU, unless several are spoken of") {
    EngineStart start = started();
    start.pool_gib = 6.37;
    const auto ranks = ranks_of(start, "Qwen/Qwen3-8B");
    REQUIRE(ranks);
    CHECK(ranks->tensor_parallel == 1);
    CHECK(ranks->is_default);
    EngineStart several = start;
    several.gpus = 16;
    CHECK_FALSE(ranks_of(several, "Qwen/Qwen3-8B").has_value());
    several = start;
    several.gpu = "2x RTX 5090";
    CHECK_FALSE(ranks_of(several, "Qwen/Qwen3-8B").has_value());
    several = start;
    several.notes = "the line is of one Ray worker";
    CHECK_FALSE(ranks_of(several, "Qwen/Qwen3-8B").has_value());
  }
}
