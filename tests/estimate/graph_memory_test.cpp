// The buffers of a graph: small ones by hand, and every question that is answered from an earlier
// course against a plan that is laid out anew.
#include "estimate/ggml/graph_memory.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimate/ggml/course.hpp"
#include "estimate/ggml/step_graph.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using namespace gpushape::estimate::ggml;

namespace {

std::vector<std::int64_t> laid_out_anew(const Graph& graph, int copies, const StepSizes& sizes) {
  return GraphMemory(graph, copies).buffer_bytes(sizes);
}

/// a and b are both needed for c, and c for d.
Graph chain(const Shape& a, const Shape& b, const Shape& c, const Shape& d) {
  Graph graph(1);
  const Id first = graph.compute(a, {graph.external()});
  const Id second = graph.compute(b, {graph.external()});
  const Id third = graph.compute(c, {first, second});
  graph.expand(graph.compute(d, {third}));
  return graph;
}

std::int64_t chain_bytes(GraphMemory& memory, std::int64_t tokens, std::int64_t cells) {
  return memory.buffer_bytes({.tokens = tokens, .outputs = tokens, .cells = cells}).front();
}

StepSizes drawn_sizes() {
  const std::int64_t sequences = *rc::gen::inRange<std::int64_t>(1, 70);
  const std::int64_t outputs = *rc::gen::inRange<std::int64_t>(1, 1100);
  const std::int64_t cells = 256 * *rc::gen::inRange<std::int64_t>(1, 600);
  return {.tokens = (outputs + sequences - 1) / sequences * sequences,
          .outputs = outputs,
          .cells = cells,
          .window_cells = std::min<std::int64_t>(cells, 1536),
          .sequences = sequences};
}

/// Layers in their order on as many GPUs as there are, or everything with the host.
std::vector<int> dealt_out(const domain::Model& model, int gpus) {
  std::int64_t layers = 0;
  for (const domain::LayerRun& run : model.layers) layers += run.count;
  std::vector<int> devices;
  for (std::int64_t layer = 0; layer <= layers; ++layer)
    devices.push_back(gpus > 0 ? static_cast<int>(layer * gpus / (layers + 1)) : 0);
  return devices;
}

GraphPlan drawn_plan(const domain::Model& model) {
  using domain::KvCacheType;
  GraphPlan plan;
  const int gpus = *rc::gen::inRange(0, 6);
  plan.devices = gpus + 1;
  plan.device_of_layer = dealt_out(model, gpus);
  plan.habits = {.flash_attention = *rc::gen::arbitrary<bool>(),
                 .has_half_mask = *rc::gen::arbitrary<bool>(),
                 .has_embedding_input = *rc::gen::arbitrary<bool>(),
                 .rotates_quantized = *rc::gen::arbitrary<bool>(),
                 .writes_rows = *rc::gen::arbitrary<bool>(),
                 .fuses_gates = *rc::gen::arbitrary<bool>(),
                 .is_latent_compressed = *rc::gen::arbitrary<bool>()};
  plan.key_type = plan.value_type =
      *rc::gen::element(KvCacheType::Fp16, KvCacheType::Q8_0, KvCacheType::Q4_0);
  return plan;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("a stretch that was given back is taken again where it is large enough") {
    // In values of 4 bytes: a 64, b 32, c 32; a and b end when c is there. d lies where a and b
    // were while it has no more than their 96 values, else behind c.
    const auto most = [](std::int64_t d) {
      return laid_out_anew(chain({64}, {32}, {32}, {d}), 1, {}).front();
    };
    CHECK(most(16) == 4 * (64 + 32 + 32));
    CHECK(most(96) == 4 * (64 + 32 + 32));
    CHECK(most(104) == 4 * (64 + 32 + 32 + 104));
  }

  TEST_CASE("what follows the step is measured anew for each") {
    // a: 8 a token, b: 8 a cell, c: 8; d: 32 a token, which fits where a and b were as long as
    // 32 x tokens <= 8 x tokens + 8 x cells.
    GraphMemory memory(chain({8, kTokens}, {8, kCells}, {8}, {32, kTokens}), 1);
    const auto expected = [](std::int64_t tokens, std::int64_t cells) {
      const std::int64_t before = 8 * tokens + 8 * cells + 8;
      return 4 * (cells >= 3 * tokens ? before : before + 32 * tokens);
    };
    for (const std::int64_t tokens : {1, 2, 64, 512}) {
      for (const std::int64_t cells : {1, 5, 6, 191, 192, 1535, 1536, 40'000}) {
        CAPTURE(tokens);
        CAPTURE(cells);
        CHECK(chain_bytes(memory, tokens, cells) == expected(tokens, cells));
      }
    }
  }

  TEST_CASE("extents of a step are what it makes of them") {
    const StepLengths lengths(
        {.tokens = 5, .outputs = 3, .cells = 256, .window_cells = 64, .sequences = 2});
    CHECK(lengths.of(Extent(7)) == 7);
    CHECK(lengths.of(kTokens * 7) == 35);
    CHECK(lengths.of(Extent(2) * kCells * kTokens) == 2 * 256 * 5);
    CHECK(lengths.of(kTokens * kWindowCells) == lengths.of(kWindowCells * kTokens));
    CHECK(kTokens * kWindowCells == kWindowCells * kTokens);
    CHECK(lengths.of((kTokens + for_each_sequence(3)) * 10) == (5 + 3 * 2) * 10);
    CHECK(lengths.of(divided(kOutputs * 64, 16)) == 12);
    CHECK(kTokens * 0 == Extent(0));
    CHECK_THROWS_AS(kTokens * kCells * kTokens, std::logic_error);
    CHECK_THROWS_AS(kTokens + kOutputs, std::logic_error);
  }

  TEST_CASE("a course holds where every comparison comes out alike") {
    CourseNotes notes;
    const NotedSize a(10, {1, 0}, notes);
    const NotedSize b(4, {0, 1}, notes);
    NotedSize rest = a;
    rest -= b;
    CHECK(a.is_at_least(b));           // a - b >= 0
    CHECK_FALSE(b.is_at_least(rest));  // a - 2b >= 1
    CHECK_FALSE(rest.is_nothing());
    notes.add_need({1, 1});
    notes.add_need({1, 0});
    const Course course(notes);
    CHECK(course.holds(std::vector<std::int64_t>{9, 4}));
    CHECK(course.most(std::vector<std::int64_t>{9, 4}) == 13);
    CHECK_FALSE(course.holds(std::vector<std::int64_t>{8, 4}));
  }

  TEST_CASE("however often a graph is asked, its buffers are those of a new plan") {
    const std::vector<std::string> names = example::built_in_catalog().models();
    CHECK(rc::check([&] {
      const std::size_t at = *rc::gen::inRange<std::size_t>(0, names.size());
      const domain::Model model = *example::built_in_catalog().find(names[at]);
      const GraphPlan plan = drawn_plan(model);
      const int copies = *rc::gen::element(1, 4);
      const Graph graph = step_graph(model, plan);
      GraphMemory memory(graph, copies);
      for (int i = 0; i < 30; ++i) {
        const StepSizes sizes = drawn_sizes();
        RC_ASSERT(memory.buffer_bytes(sizes) == laid_out_anew(graph, copies, sizes));
      }
    }));
  }
}
