// Models by their path, and overlays: what lies in folders of somebody's own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::Catalog;
using gpushape::domain::Model;
using gpushape::domain::Quantization;
namespace fs = std::filesystem;

namespace {

Model model_at(std::string_view path) {
  const auto model = Catalog::open().value().find(path);
  if (!model) FAIL(messages(model.error()));
  return *model;
}

// A folder of its own, gone when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "gpushape-catalog-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests know the path that they wrote
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

const std::string kMine = R"(id: me/Mine
aliases: [mine]
family: llama
architecture: LlamaForCausalLM
facts:
  - source: my own head
    layers: 2
    hiddenSize: 64
    attentionHeads: 4
    kvHeads: 2
    headDim: 16
    feedForwardWidth: 128
    vocabulary: 1000
    contextTokens: 512
    tiedEmbeddings: true
    qkvBias: false
    rope: {theta: 10000}
    dtype: fp16
)";

const std::string kConfig = R"({"model_type": "llama", "hidden_size": 64,
  "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
  "num_hidden_layers": 2, "vocab_size": 1000, "max_position_embeddings": 512,
  "tie_word_embeddings": true, "torch_dtype": "float16"})";

// Embedding 64'000; a layer: 64 x (64 + 2 x 32) + 64 x 64 + 3 x 64 x 128 + 2 x 64 = 36'992;
// norm 64.
constexpr std::int64_t kMineParameters = 64'000 + 2 * 36'992 + 64;

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a config.json and a folder with one are models by their path") {
    const TemporaryFolder folder;
    const std::string file = folder.write("config.json", kConfig);
    for (const std::string& path : {file, folder.path(), folder.path() + "/"}) {
      CAPTURE(path);
      const Model model = model_at(path);
      CHECK(model.id == path);
      CHECK(model.origin == "config.json");
      CHECK(model.parameters.total == kMineParameters);
    }
    folder.write("hf_quant_config.json",
                 R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})");
    CHECK(model_at(folder.path()).weights.linear == Quantization::Fp8);
  }

  // quantize_config.json of TheBloke's repositories, quant_config.json of AutoAWQ: neither has a
  // quant_method, and config.json says nothing of them.
  TEST_CASE(
      "what AutoGPTQ and AutoAWQ lay beside a config is read, other files of the name are not") {
    const TemporaryFolder folder;
    folder.write("config.json", kConfig);
    folder.write("quantize_config.json",
                 R"({"bits": 4, "group_size": 128, "desc_act": false, "sym": true})");
    const Model model = model_at(folder.path());
    CHECK(model.weights.linear == Quantization::GptqInt4);
    CHECK(model.notes.front().contains("quantize_config.json"));
    // transformers.js lays down one of another kind.
    folder.write("quantize_config.json", R"({"per_channel": false, "reduce_range": false})");
    CHECK(model_at(folder.path()).weights.linear != Quantization::GptqInt4);
    const TemporaryFolder other;
    other.write("config.json", kConfig);
    other.write("quant_config.json",
                R"({"zero_point": true, "q_group_size": 128, "w_bit": 4, "version": "GEMM"})");
    CHECK(model_at(other.path()).weights.linear == Quantization::Awq);
  }

  // MBZUAI/AIN, a Qwen2-VL of 8,291,375,616 values in bfloat16: its files hold 33,165,502,464
  // bytes, four a value, its tower's with them.
  TEST_CASE("towers are written down in 32 bits with the rest") {
    const TemporaryFolder folder;
    folder.write("config.json", R"({"model_type": "qwen2_vl", "architectures":
      ["Qwen2VLForConditionalGeneration"], "hidden_size": 3584, "intermediate_size": 18944,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size":
      152064, "max_position_embeddings": 32768, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16", "rope_theta": 1000000, "rope_scaling": {"type": "mrope", "mrope_section":
      [16, 24, 24]}, "vision_config": {"depth": 32, "embed_dim": 1280, "hidden_size": 3584,
      "mlp_ratio": 4, "num_heads": 16, "in_chans": 3, "patch_size": 14, "spatial_merge_size": 2,
      "temporal_patch_size": 2}})");
    folder.write("model.safetensors.index.json",
                 R"({"metadata": {"total_size": 33165502464}, "weight_map":
                    {"model.embed_tokens.weight": "model-00001-of-00002.safetensors",
                     "lm_head.weight": "model-00002-of-00002.safetensors"}})");
    const Model model = model_at(folder.path());
    CHECK(model.parameters.total == 8'291'375'616);
    CHECK(std::ranges::any_of(model.notes, [](const std::string& note) {
      return note.contains("33165502464") && note.contains("fp32");
    }));
    CHECK(model.origin == "index of safetensors and config.json");
  }

  TEST_CASE("who says the precision need not know a checkpoint's own") {
    const TemporaryFolder folder;
    std::string config = kConfig;
    config.insert(1, R"("quantization_config": {"quant_method": "modelslim"}, )");
    const std::string file = folder.write("config.json", config);
    const auto refused = Catalog::open().value().find(file);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message == "quantization method 'modelslim' is not understood");
    const auto model = Catalog::open().value().find(file, gpushape::catalog::FormatBy::Asker);
    REQUIRE(model);
    CHECK(model->weights.linear ==
          model_at(folder.write("plain/config.json", kConfig)).weights.linear);
    CHECK(model->notes.front().contains("modelslim"));
  }

  TEST_CASE("a folder of the Hub's cache is its snapshot, and strangers say what they are") {
    const TemporaryFolder folder;
    folder.write("hub/snapshots/0a1b/config.json", kConfig);
    CHECK(model_at(folder.path() + "/hub").parameters.total == kMineParameters);
    folder.write("hub/snapshots/2c3d/config.json", kConfig);
    const auto several = Catalog::open().value().find(folder.path() + "/hub");
    REQUIRE_FALSE(several);
    CHECK(several.error().front().help.contains("snapshots"));
    folder.write("hub/refs/main", "2c3d");
    CHECK(model_at(folder.path() + "/hub").id.contains("2c3d"));
    folder.write("lora/adapter_config.json", "{}");
    const auto adapter = Catalog::open().value().find(folder.path() + "/lora");
    REQUIRE_FALSE(adapter);
    CHECK(adapter.error().front().help.contains("LoRA"));
  }

  TEST_CASE("a path that holds no config is refused with its name") {
    const TemporaryFolder folder;
    const auto refused = [](const std::string& path) {
      const auto model = Catalog::open().value().find(path);
      REQUIRE_FALSE(model);
      return messages(model.error());
    };
    CHECK(refused(folder.path()).find("has no config.json") != std::string::npos);
    CHECK(refused(folder.path() + "/nothing.json").find("nothing.json") != std::string::npos);
    CHECK(refused(folder.write("empty.json", "")).find("empty.json") != std::string::npos);
    CHECK(refused(folder.write("broken.json", "{\"a\": ")).find("broken.json") !=
          std::string::npos);
    CHECK(refused(folder.write("m.gguf", "GGUF")).find("m.gguf") != std::string::npos);
  }

  TEST_CASE("an overlay adds models, and replaces built-in ones of the same id") {
    const TemporaryFolder folder;
    folder.write("models/mine.yaml", kMine);
    folder.write(
        "llama.yaml",
        replaced(replaced(kMine, "me/Mine", "meta-llama/llama-3.1-8b-instruct"), "[mine]", "[]"));
    folder.write("engines/toy.yaml", "id: toy\nknownVersions: [\"1\"]\nfacts: []\n");
    folder.write("readme.txt", "not an entry");
    const auto overlaid = Catalog::open(folder.path());
    if (!overlaid) FAIL(messages(overlaid.error()));
    const auto mine = overlaid->find("MINE");
    REQUIRE(mine);
    CHECK(mine->origin == "overlay");
    CHECK(mine->parameters.total == kMineParameters);
    CHECK(overlaid->find("meta-llama/Llama-3.1-8B-Instruct")->layers.front().count == 2);
    CHECK(overlaid->models().size() == Catalog::open().value().models().size() + 1);
    CHECK(overlaid->find("qwen2.5-7b")->origin == "catalog");
    REQUIRE(overlaid->engine("toy"));
    const std::vector<std::string> engines = overlaid->engines();
    CHECK(std::ranges::find(engines, "toy") != engines.end());
  }

  TEST_CASE("every broken file of an overlay is reported with its place") {
    const TemporaryFolder folder;
    folder.write("models/a.yaml", replaced(kMine, "layers: 2", "layers: two"));
    folder.write("models/b.yaml", "id: [unclosed\n");
    folder.write("engines/c.yaml", "id: toy\n");
    const auto overlaid = Catalog::open(folder.path());
    REQUIRE_FALSE(overlaid);
    for (const char* words : {"a.yaml:7:", "b.yaml:", "c.yaml:1:"}) {
      CAPTURE(words);
      CAPTURE(messages(overlaid.error()));
      CHECK(mentions(overlaid.error(), words));
    }
    CHECK_FALSE(Catalog::open(folder.path() + "/nowhere"));
  }

  TEST_CASE("an unknown engine is answered with the nearest") {
    const TemporaryFolder folder;
    folder.write("engines/toy.yaml", "id: toyengine\nknownVersions: [\"1\"]\nfacts: []\n");
    const auto engine = Catalog::open(folder.path())->engine("toyengin");
    REQUIRE_FALSE(engine);
    CHECK(mentions(engine.error(), "did you mean 'toyengine'?"));
  }
}
