#include "estimate/pipeline.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "estimate/samples.hpp"

using namespace gpushape;
using estimate::cut_into_stages;
using estimate::Remainder;
using estimate::Stage;

namespace {

std::vector<std::int64_t> layers_of(const std::vector<Stage>& stages) {
  std::vector<std::int64_t> layers;
  layers.reserve(stages.size());
  for (const Stage& stage : stages) layers.push_back(stage.layers);
  return layers;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("layers that do not divide go to the last stage, or to those before it") {
    // vLLM distributed/utils.py, get_pp_indices: 42 layers on 4 stages are 10 each and 2 over.
    CHECK(layers_of(cut_into_stages(42, 4, Remainder::Last)) ==
          std::vector<std::int64_t>{10, 10, 10, 12});
    CHECK(layers_of(cut_into_stages(42, 4, Remainder::NextToLast)) ==
          std::vector<std::int64_t>{10, 11, 11, 10});
    CHECK(layers_of(cut_into_stages(7, 4, Remainder::NextToLast)) ==
          std::vector<std::int64_t>{2, 2, 2, 1});
  }

  TEST_CASE("the first stage holds the embedding, the last the head") {
    const std::vector<Stage> stages = cut_into_stages(32, 2, Remainder::NextToLast);
    REQUIRE(stages.size() == 2);
    CHECK(stages[0].has_embedding);
    CHECK_FALSE(stages[0].has_head);
    CHECK_FALSE(stages[1].has_embedding);
    CHECK(stages[1].has_head);
    CHECK(stages[1].first_layer == 16);
  }

  TEST_CASE("a stage walks the runs of layers that it holds, and no others") {
    domain::Model model = example::model(example::llama_8b());
    domain::LayerRun wide = model.layers.front();
    wide.layer.feed_forward.width = 1;
    model.layers.front().count = 3;
    wide.count = 5;
    model.layers.push_back(wide);
    std::vector<std::pair<std::int64_t, std::int64_t>> seen;
    estimate::each_run(model, {.index = 1, .first_layer = 2, .layers = 4},
                       [&](const domain::Layer& layer, std::int64_t count) {
                         seen.emplace_back(layer.feed_forward.width, count);
                       });
    CHECK(seen == std::vector<std::pair<std::int64_t, std::int64_t>>{{14336, 1}, {1, 3}});
  }
}
