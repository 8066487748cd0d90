// The graph of a decoder leaves layers out that repeat, and its buffers stay what they are.
#include "estimate/ggml/step_graph.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimate/engines.hpp"
#include "estimate/ggml/graph_memory.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

TEST_SUITE("estimate") {
  // Their rounds differ from one to the next with these sizes; a graph of all layers is the truth.
  TEST_CASE("parallel blocks keep all their layers, and so their buffers") {
    for (const char* name : {"CohereLabs/aya-23-8B", "microsoft/phi-1_5", "EleutherAI/gpt-j-6b"}) {
      CAPTURE(name);
      const domain::Model model = *example::built_in_catalog().find(name);
      std::size_t layers = 0;
      for (const domain::LayerRun& run : model.layers)
        layers += static_cast<std::size_t>(run.count);
      for (const bool flash : {false, true}) {
        estimate::ggml::GraphPlan plan;
        plan.device_of_layer.assign(layers + 1, 0);
        plan.habits.flash_attention = flash;
        const estimate::ggml::StepSizes sizes{
            .cells = 4096, .window_cells = 1024, .sequences = flash ? 1 : 4};
        const auto graph = estimate::ggml::step_graph(model, plan);
        plan.leaves_out_repeats = false;
        const auto whole = estimate::ggml::step_graph(model, plan);
        CHECK(estimate::ggml::GraphMemory(graph, 1).buffer_bytes(sizes) ==
              estimate::ggml::GraphMemory(whole, 1).buffer_bytes(sizes));
      }
    }
  }

  TEST_CASE("layers that repeat are left out of the graph, and no buffer changes") {
    // Every model of the catalog, each with other sizes, cache type, kernels and devices.
    const std::vector<std::string> names = example::built_in_catalog().models();
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      CAPTURE(names[i]);
      const domain::Model model = *example::built_in_catalog().find(names[i]);
      // No graph of its stands for a family that it has no class for.
      if (!estimate::serves(*estimate::engine_row("llama.cpp"), model.family)) continue;
      std::int64_t layers = 0;
      for (const domain::LayerRun& run : model.layers) layers += run.count;
      estimate::ggml::GraphPlan plan;
      plan.devices = i % 3 == 0 ? 1 : static_cast<int>(i % 3) + 1;  // the host, and one or two GPUs
      const int gpus = plan.devices - 1;
      for (std::int64_t layer = 0; layer <= layers; ++layer)
        plan.device_of_layer.push_back(gpus > 0 ? static_cast<int>(layer * gpus / (layers + 1))
                                                : 0);
      const estimate::ggml::StepSizes sizes{.cells = i % 2 == 0 ? 4096 : 65536,
                                            .window_cells = 1024,
                                            .sequences = i % 5 == 0 ? 4 : 1};
      plan.habits.flash_attention = i % 4 != 0;
      plan.key_type = plan.value_type =
          i % 4 == 1 ? domain::KvCacheType::Q8_0 : domain::KvCacheType::Fp16;
      const auto shortened = estimate::ggml::step_graph(model, plan);
      plan.leaves_out_repeats = false;
      const auto whole = estimate::ggml::step_graph(model, plan);
      const int copies = gpus > 1 ? 4 : 1;
      CHECK(estimate::ggml::GraphMemory(shortened, copies).buffer_bytes(sizes) ==
            estimate::ggml::GraphMemory(whole, copies).buffer_bytes(sizes));
      left_out += shortened.size() * 2 < whole.size() ? 1 : 0;
    }
    CHECK(left_out * 2 > names.size());
  }
}
