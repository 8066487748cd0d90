#include "catalog/model_entry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_model;
using gpushape::domain::LayerKind;
using gpushape::domain::Quantization;

namespace {

// Qwen3-0.6B, whose checkpoint also stores a copy of the tied head.
const std::string kEntry = R"(id: Qwen/Qwen3-0.6B
aliases:
  - qwen3-0.6b
family: qwen3
architecture: Qwen3ForCausalLM
facts:
  - source: config.json
    layers: 28
    hiddenSize: 1024
    attentionHeads: 16
    kvHeads: 8
    headDim: 128
    feedForwardWidth: 3072
    vocabulary: 151936
    contextTokens: 40960
    tiedEmbeddings: true
    qkvBias: false
    rope: {theta: 1000000}
    dtype: bf16
  - source: the family
    queryKeyNorm: true
  - source: the Hub
    storedParameters: 751632384
    parameters: 596049920
notes:
  - a copy of the tied head is stored
)";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an entry gives a model with a source for every fact") {
    const auto model = read_model(yaml(kEntry), "overlay");
    if (!model) FAIL(messages(model.error()));
    CHECK(model->id == "Qwen/Qwen3-0.6B");
    CHECK(model->origin == "overlay");
    CHECK(model->aliases == std::vector<std::string>{"qwen3-0.6b"});
    CHECK(model->parameters.total == 596'049'920);  // 751632384 - 151936 x 1024
    CHECK(model->parameters.active == 596'049'920);
    CHECK(model->parameters.stored == 751'632'384);
    CHECK(model->rope.positions == 40960);
    CHECK(model->rope.rotary_dim == 128);
    CHECK(model->notes.size() == 1);
    const gpushape::domain::FactSource expected{"queryKeyNorm", "the family"};
    CHECK(std::ranges::find(model->sources, expected) != model->sources.end());
    CHECK(model->sources.size() == 15);
  }

  TEST_CASE("windows, quantization and KV type of an entry are read") {
    const std::string text = replaced(kEntry, "    queryKeyNorm: true\n", R"(    queryKeyNorm: true
    slidingWindow: {tokens: 512, firstLayer: 10}
    quantization: {scheme: awq, group: 64, kept: [lm_head]}
    kvCacheType: fp8
    role: embed
)");
    const auto model = read_model(yaml(text), "catalog");
    if (!model) FAIL(messages(model.error()));
    REQUIRE(model->layers.size() == 2);
    CHECK(model->layers[0].count == 10);
    CHECK(model->layers[1].count == 18);
    CHECK(model->layers[1].layer.attention.kind == LayerKind::Sliding);
    CHECK(model->layers[1].layer.attention.window_tokens == 512);
    CHECK(model->weights.linear == Quantization::Awq);
    CHECK(model->weights.other == Quantization::Bf16);
    CHECK(model->weights.group == 64);
    CHECK(model->checkpoint_kv_cache == gpushape::domain::KvCacheType::Fp8);
    CHECK(model->role == gpushape::domain::Role::Embed);
  }

  TEST_CASE("a faulty entry is refused with line and column") {
    struct Row {
      const char* from;
      const char* to;
      const char* says;
      int line;
    };
    const std::vector<Row> rows = {
        {"    layers: 28\n", "", "model has no fact 'layers'", 1},
        {"layers: 28", "layers: many", "layers", 8},
        {"layers: 28", "layers: 0", "layers", 8},
        {"layers: 28", "layerz: 28", "layerz", 8},
        {"queryKeyNorm: true", "kvHeads: 8", "fact 'kvHeads' stands in two groups", 21},
        {"kvHeads: 8", "kvHeads: 7", "attentionHeads 16 is not a multiple of kvHeads 7", 1},
        {"parameters: 596049920", "parameters: 596049921", "the sizes give 596049920", 24},
        {"dtype: bf16", "dtype: awq", "dtype 'awq' is not one of", 19},
        {"dtype: bf16", "dtype: bf61", "did you mean 'bf16'", 19},
        {"family: qwen3\n", "", "family", 1},
        {"{theta: 1000000}", "{theta: -5}", "theta", 18},
        {"  - source: the family\n    queryKeyNorm", "  - queryKeyNorm", "source", 20},
        {"notes:", "nots:", "nots", 25},
    };
    for (const Row& row : rows) {
      CAPTURE(row.to);
      const auto model = read_model(yaml(replaced(kEntry, row.from, row.to)), "overlay");
      REQUIRE_FALSE(model);
      CAPTURE(messages(model.error()));
      CHECK(mentions(model.error(), row.says));
      const bool has_line = std::ranges::any_of(
          model.error(), [&](const auto& diagnostic) { return diagnostic.span.line == row.line; });
      CHECK(has_line);
    }
    CHECK_FALSE(read_model(yaml("[]"), "overlay"));
    CHECK_FALSE(read_model(yaml("id: x"), "overlay"));
  }
}
