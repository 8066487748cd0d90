#include "catalog/model_entry_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/entry_layer.hpp"
#include "catalog/model_entry.hpp"
#include "random_model.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::LayerType;
using gpushape::catalog::model_entry_text;
using gpushape::catalog::parse_layer_pattern;
using gpushape::catalog::read_model;
using gpushape::catalog::TypeRun;
using gpushape::domain::Model;

namespace {

std::vector<LayerType> types_named(const std::vector<std::string>& names) {
  std::vector<LayerType> types;
  for (const std::string& name : names) types.push_back({name, {}});
  return types;
}

std::string refusal(std::string_view text) {
  const auto runs = parse_layer_pattern(text, types_named({"local", "global"}));
  REQUIRE_FALSE(runs);
  return messages(runs.error());
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("what is written as an entry reads back the same") {
    CHECK(rc::check("entry", [] {
      const Model model = any_model();
      const std::string text = model_entry_text(model, {.default_source = "drawn"});
      RC_LOG() << text;
      auto documents = gpushape::document::read_yaml(text, "entry.yaml");
      RC_ASSERT(documents.has_value());
      auto back = read_model(documents->front(), "overlay");
      if (!back) RC_LOG() << messages(back.error());
      RC_ASSERT(back.has_value());
      RC_ASSERT(std::ranges::all_of(back->sources,
                                    [](const auto& row) { return row.source == "drawn"; }));
      back->sources.clear();
      RC_ASSERT(*back == model);
    }));
  }

  TEST_CASE("every built-in entry that is written again reads back with the same sources") {
    const auto built_in = gpushape::catalog::Catalog::open().value();
    for (const std::string& id : built_in.models()) {
      CAPTURE(id);
      Model model = built_in.find(id).value();
      const std::string text = model_entry_text(model);
      auto back = read_model(yaml(text), model.origin);
      if (!back) FAIL(messages(back.error()), text);
      const auto by_fact = [](Model& sorted) {
        std::ranges::sort(sorted.sources, {}, &gpushape::domain::FactSource::fact);
        std::erase_if(sorted.sources, [](const auto& row) {
          return row.fact == "queryKeyNorm" || row.fact == "headNorm" ||
                 row.fact == "slidingWindow" || row.fact == "layerTypes" ||
                 row.fact == "attention" || row.fact == "window";
        });
      };
      by_fact(model);
      by_fact(*back);
      // Facts that only say what holds anyway may be left out.
      const bool keeps = std::ranges::includes(model.sources, back->sources, {},
                                               &gpushape::domain::FactSource::fact,
                                               &gpushape::domain::FactSource::fact);
      CHECK(keeps);
      back->sources = model.sources;
      CHECK(*back == model);
    }
  }

  TEST_CASE("a pattern of layers says what repeats") {
    const auto types = types_named({"local", "global"});
    struct Row {
      const char* text;
      std::vector<TypeRun> runs;
    };
    // Gemma 3 27B: 62 layers, five local ones before each global one.
    std::vector<TypeRun> gemma;
    for (int i = 0; i < 10; ++i) gemma.insert(gemma.end(), {{0, 5}, {1, 1}});
    gemma.push_back({0, 2});
    const std::vector<Row> rows = {
        {"local", {{0, 1}}},
        {"3 x global, 58 x local", {{1, 3}, {0, 58}}},
        {"2 x (local, global)", {{0, 1}, {1, 1}, {0, 1}, {1, 1}}},
        {"10 x (5 x local, global), 2 x local", gemma},
    };
    for (const Row& row : rows) {
      CAPTURE(row.text);
      const auto runs = parse_layer_pattern(row.text, types);
      REQUIRE(runs);
      CHECK(*runs == row.runs);
      CHECK(gpushape::catalog::layer_pattern(row.runs, types) == row.text);
    }
    CHECK(parse_layer_pattern(" ( local,local )", types).value() == std::vector<TypeRun>{{0, 2}});
  }

  TEST_CASE("a broken pattern is refused with the place and the nearest name") {
    CHECK(refusal("locl").find("did you mean 'local'") != std::string::npos);
    CHECK(refusal("").find("name of a layer type") != std::string::npos);
    CHECK(refusal("3 x").find("name of a layer type") != std::string::npos);
    CHECK(refusal("0 x local").find("'0' is no count") != std::string::npos);
    CHECK(refusal("2 x (local, global").find("closing bracket") != std::string::npos);
    CHECK(refusal("local) x").find("comma is expected at ') x'") != std::string::npos);
    CHECK(refusal("10001 x local").find("10000") != std::string::npos);
    CHECK(refusal("9999 x (9999 x (9999 x local))").find("more than 10000 layers") !=
          std::string::npos);
    CHECK(refusal(std::string(1000, '(')).find("too many brackets") != std::string::npos);
    CHECK(refusal("99999999999999999999 x local").find("no count") != std::string::npos);
  }

  TEST_CASE("layers that differ stand as types, and share the facts that they have in common") {
    // The order of Gemma 2: a local layer of 4096 tokens before each global one.
    const std::string text = R"(id: me/Mine
family: gemma2
architecture: Gemma2ForCausalLM
facts:
  - source: config.json
    hiddenSize: 2304
    attentionHeads: 8
    kvHeads: 4
    headDim: 256
    feedForwardWidth: 9216
    vocabulary: 256000
    contextTokens: 8192
    tiedEmbeddings: true
    norms: 4
    layerTypes:
      local: {attention: sliding, window: 4096}
      global: {}
    layers: 13 x (local, global)
    rope: {theta: 10000}
    dtype: bf16
)";
    const auto model = read_model(yaml(text), "overlay");
    if (!model) FAIL(messages(model.error()));
    REQUIRE(model->layers.size() == 26);
    CHECK(model->layers[0].layer.attention.kind == gpushape::domain::LayerKind::Sliding);
    CHECK(model->layers[0].layer.attention.window_tokens == 4096);
    CHECK(model->layers[1].layer.attention.kind == gpushape::domain::LayerKind::Full);
    CHECK(model->layers[1].layer.attention.head_dim == 256);
    // google/gemma-2-2b, published: 2'614'341'888
    CHECK(model->parameters.total == 2'614'341'888);
    const std::string again = model_entry_text(*model);
    CHECK(again.find("layers: 13 x (sliding, full)") != std::string::npos);
    CHECK(again.find("sliding: {attention: sliding, window: 4096}") != std::string::npos);

    const auto faulty = [&](const char* from, const char* to) {
      const auto refused = read_model(yaml(replaced(text, from, to)), "overlay");
      REQUIRE_FALSE(refused);
      return messages(refused.error());
    };
    CHECK(faulty("(local, global)", "(locale, global)").find("did you mean 'local'?") !=
          std::string::npos);
    CHECK(faulty("(local, global)", "(locale, global)").find("entry.yaml:18:") !=
          std::string::npos);
    CHECK(faulty("attention: sliding", "attention: slidin").find("did you mean 'sliding'") !=
          std::string::npos);
    CHECK(faulty("window: 4096", "windw: 4096").find("did you mean 'window'") != std::string::npos);
    CHECK(faulty("    attentionHeads: 8\n", "").find("'local' attends, but has no") !=
          std::string::npos);
    CHECK(faulty("layers: 13 x (local, global)", "layers: 26").find("layers") != std::string::npos);
  }
}
