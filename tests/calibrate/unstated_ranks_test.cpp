// How many GPUs share a model, by the weights that one of them prints.
#include "calibrate/unstated_ranks.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "support/built_in_catalog.hpp"

using namespace gpushape;
using calibrate::EngineStart;
using example::built_in_catalog;

namespace {

std::optional<std::int64_t> ranks_for(double weights_gib) {
  EngineStart start;
  start.engine = "vllm";
  if (weights_gib > 0) start.weights_gib = weights_gib;
  const domain::Model model = *built_in_catalog().find("Qwen/Qwen3.5-9B");
  return calibrate::ranks_of_weights(start, model, *built_in_catalog().engine("vllm"), {0, 19, 0},
                                     std::nullopt);
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
    CHECK_FALSE(ranks_for(0).has_value());
  }
}
