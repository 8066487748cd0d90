// A config.json and a header that do not agree on the sizes of the model.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/catalog_check.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/model_entry_text.hpp"
#include "catalog/snapshot.hpp"
#include "checkpoint.hpp"
#include "document/text_format.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape;
using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

// What the checkpoint of the tests holds, whatever the config says of it:
// 2 x 100 x 64 + 64 + 2 x (2 x 64 + 2 x 64 x 64 + 2 x 32 x 64 + 3 x 128 x 64) values.
constexpr std::int64_t kHeld = 86'848;

std::string config_with(const std::string& was, const std::string& is) {
  std::string text = config();
  const std::size_t at = text.find(was);
  REQUIRE(at != std::string::npos);
  return text.replace(at, was.size(), is);
}

Result<Model> read_with(const std::string& config_text, const std::vector<StTensor>& tensors) {
  const Folder folder;
  folder.write("config.json", config_text);
  folder.write("model.safetensors", safetensors_file(tensors));
  return read_source(folder.path());
}

bool says(const Model& model, const std::string& words) {
  return std::ranges::any_of(
      model.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("sizes that shapes tell without doubt are the header's, and a note says so") {
    struct Row {
      const char* was;
      const char* is;
      const char* note;
    };
    const std::vector<Row> rows = {
        {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
         "num_hidden_layers 2, not the 1 of config.json: the header wins"},
        {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 40",
         "num_hidden_layers 2, not the 40"},
        {"\"num_key_value_heads\": 2", "\"num_key_value_heads\": 4",
         "num_key_value_heads 2, not the 4"},
        {"\"intermediate_size\": 128", "\"intermediate_size\": 96",
         "intermediate_size 128, not the 96"},
        {"\"head_dim\": 16", "\"head_dim\": 8", "head_dim 16, not the 8"},
        {"\"vocab_size\": 100", "\"vocab_size\": 32",
         "100 rows of the embedding, the config says 32"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.is);
      const auto model = read_with(config_with(row.was, row.is), checkpoint(plain));
      REQUIRE(model);
      CHECK(says(*model, row.note));
      CHECK(model->parameters.total == kHeld);
      CHECK(model->parameters.stored == kHeld);
      CHECK(computed_bytes(*model) == 2 * kHeld);
      REQUIRE(model->layers.size() == 1);
      CHECK(model->layers.front().count == 2);
      const Attention& attention = model->layers.front().layer.attention;
      CHECK(attention.kv_heads * attention.head_dim == 32);
      CHECK(attention.head_dim == 16);
      CHECK(model->rope.rotary_dim == 16);
    }
  }

  TEST_CASE("projections in one piece tell the KV heads as well") {
    const auto fuse = [](auto& tensors, int layer, const std::string& name, const Linear& linear) {
      if (name.ends_with("k_proj") || name.ends_with("v_proj") || name.ends_with("up_proj")) return;
      const std::string prefix = "model.layers." + std::to_string(layer);
      if (name.ends_with("q_proj"))
        return tensors.push_back({prefix + ".self_attn.qkv_proj.weight", "BF16", {128, 64}});
      if (name.ends_with("gate_proj"))
        return tensors.push_back({prefix + ".mlp.gate_up_proj.weight", "BF16", {256, 64}});
      plain(tensors, layer, name, linear);
    };
    const auto agrees = read_with(config(), checkpoint(fuse));
    REQUIRE(agrees);
    CHECK(agrees->notes.empty());
    const auto model = read_with(
        config_with("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 1"), checkpoint(fuse));
    REQUIRE(model);
    CHECK(model->layers.front().layer.attention.kv_heads == 2);
    CHECK(model->parameters.total == kHeld);
  }

  TEST_CASE("packed weights tell their outputs") {
    const auto pack = [](auto& tensors, int, const std::string& name, const Linear& l) {
      tensors.push_back({name + ".qweight", "I32", {l.columns / 8, l.rows}});
      tensors.push_back({name + ".qzeros", "I32", {l.columns / 32, l.rows / 8}});
      tensors.push_back({name + ".scales", "F16", {l.columns / 32, l.rows}});
      tensors.push_back({name + ".g_idx", "I32", {l.columns}});
    };
    std::string text = config_with("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 4");
    text.insert(text.rfind('}'), R"(, "quantization_config": {"quant_method": "gptq", "bits": 4,
      "group_size": 32})");
    const auto model = read_with(text, checkpoint(pack));
    REQUIRE(model);
    CHECK(model->layers.front().layer.attention.kv_heads == 2);
    CHECK(model->weights.linear == Quantization::GptqInt4);
    CHECK(model->parameters.total == kHeld);
    CHECK(says(*model, "packed words"));
  }

  TEST_CASE("the check of the catalog takes the entry of a packed checkpoint") {
    const Folder folder;
    std::string text = config();
    text.insert(text.rfind('}'), R"(, "quantization_config": {"quant_method": "awq", "bits": 4,
      "group_size": 32})");
    const auto pack = [](auto& tensors, int, const std::string& name, const Linear& l) {
      tensors.push_back({name + ".qweight", "I32", {l.columns, l.rows / 8}});
      tensors.push_back({name + ".qzeros", "I32", {l.columns / 32, l.rows / 8}});
      tensors.push_back({name + ".scales", "F16", {l.columns / 32, l.rows}});
    };
    const auto model = read_with(text, checkpoint(pack));
    REQUIRE(model);
    CHECK(model->parameters.stored != model->parameters.total);
    Model named = *model;
    named.id = "me/packed";
    std::filesystem::create_directories(folder.path() + "/models");
    folder.write("models/me--packed.yaml", model_entry_text(named));
    const auto catalog = Catalog::open({folder.path()});
    if (!catalog) FAIL(messages(catalog.error()));
    const auto report = check_catalog(*catalog);
    for (const auto& fault : report.faults) CHECK(fault.says == "");
  }

  TEST_CASE("what cannot be reconciled is an error that names tensor, shapes and field") {
    const auto hidden =
        read_with(config_with("\"hidden_size\": 64", "\"hidden_size\": 32"), checkpoint(plain));
    REQUIRE_FALSE(hidden);
    CHECK(hidden.error().front().span.file.ends_with("model.safetensors"));
    CHECK(hidden.error().size() <= 5);
    CHECK(messages(hidden.error())
              .find("self_attn.q_proj of layer 0 is 64 x 64, config.json makes "
                    "it 64 x 32") != std::string::npos);
    std::vector<StTensor> tensors = checkpoint(plain);
    for (StTensor& tensor : tensors) {
      if (tensor.name == "model.layers.1.self_attn.k_proj.weight") tensor.shape = {48, 64};
    }
    const auto odd = read_with(config(), tensors);
    REQUIRE_FALSE(odd);
    CHECK(messages(odd.error()).find("self_attn.k_proj of layer 1 is 48 x 64") !=
          std::string::npos);
  }

  TEST_CASE("a vocabulary that no model has is not taken from a header") {
    std::vector<StTensor> tensors = checkpoint(plain);
    tensors.front().shape = {1'000'000'000'000, 64};
    const std::string json = safetensors_json(tensors);
    const Folder folder;
    folder.write("config.json", config());
    folder.write("model.safetensors", little(json.size(), 8) + json);  // the header alone
    const auto model = read_source(folder.path());
    REQUIRE_FALSE(model);
    CHECK(messages(model.error()).find("model.embed_tokens is 1000000000000 x 64") !=
          std::string::npos);
  }

  TEST_CASE("layers of kinds that take turns are not made up") {
    std::string text =
        config_with(R"("model_type": "llama", "architectures": ["LlamaForCausalLM"])",
                    R"("model_type": "gemma2", "sliding_window": 8)");
    const std::size_t at = text.find("\"num_hidden_layers\": 2");
    text.replace(at, 22, "\"num_hidden_layers\": 3");
    const auto model = read_with(text, checkpoint(plain));
    REQUIRE(model);  // the first two of three
    CHECK(model->layers.size() == 2);
    CHECK(says(*model, "num_hidden_layers 2, not the 3"));
  }

  TEST_CASE("a tensor that no part of the architecture is, is counted and named") {
    std::vector<StTensor> tensors = checkpoint(plain);
    tensors.push_back({"model.layers.0.foo.weight", "F32", {64, 64}});
    const auto model = read_with(config(), tensors);
    REQUIRE(model);
    CHECK(model->parameters.total == kHeld);
    CHECK(model->parameters.stored == kHeld + 64 * 64);
    CHECK(stored(*model) == 2 * kHeld + 4 * 64 * 64);
    CHECK(says(*model, "'model.layers.0.foo.weight' (64 x 64, F32)"));
    CHECK(says(*model, "16384 bytes"));
  }

  TEST_CASE("an entry written from a snapshot reads back with what is stored") {
    std::vector<StTensor> tensors = checkpoint(plain);
    tensors.push_back({"model.layers.0.foo.weight", "F32", {64, 64}});
    const auto model =
        read_with(config_with("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1"), tensors);
    REQUIRE(model);
    const auto documents = document::read_yaml(model_entry_text(*model), "entry");
    REQUIRE(documents);
    const auto back = read_model(documents->front(), model->origin);
    if (!back) FAIL(messages(back.error()));
    CHECK(back->stored == model->stored);
    CHECK(back->parameters == model->parameters);
    CHECK(back->layers == model->layers);
    CHECK(back->notes == model->notes);
  }
}
