// Fields that a config leaves out because they equal the defaults of its class in transformers.
// Totals are those of the published checkpoints; the classes' values: configuration_*.py there.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::KvCacheType;
using gpushape::domain::Model;
using gpushape::domain::Quantization;

namespace {

std::string class_source(const Model& model, const std::string& fact) {
  const auto row = std::ranges::find(model.sources, fact, &gpushape::domain::FactSource::fact);
  return row == model.sources.end() ? "" : row->source;
}

std::int64_t kv_values(const Model& model) {
  std::int64_t values = 0;
  for (const auto& run : model.layers)
    values += run.count * 2 * run.layer.attention.kv_heads * run.layer.attention.head_dim;
  return values;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an absent number of KV heads is that of the family's class") {
    struct Row {
      const char* config;
      std::int64_t total;
      std::int64_t kv_values;
      const char* source;
    };
    const std::vector<Row> rows = {
        // Mistral-7B-v0.1 and Mixtral-8x7B-v0.1: 8 KV heads, 8 experts of which 2.
        {R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
           "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000,
           "max_position_embeddings": 4096})",
         7'241'732'096, 32 * 2 * 8 * 128, "MistralConfig"},
        {R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
           "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000,
           "max_position_embeddings": 4096})",
         46'702'792'704, 32 * 2 * 8 * 128, "MixtralConfig"},
        // gemma-2-2b: 4 KV heads of 256.
        {R"({"model_type": "gemma2", "hidden_size": 2304, "intermediate_size": 9216,
           "num_hidden_layers": 26, "num_attention_heads": 8, "vocab_size": 256000,
           "max_position_embeddings": 8192})",
         2'614'341'888, 26 * 2 * 4 * 256, "Gemma2Config"},
        // Qwen3-30B-A3B: 4 KV heads, 128 experts of 768, 8 active.
        {R"({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
           "num_hidden_layers": 48, "num_attention_heads": 32, "vocab_size": 151936,
           "max_position_embeddings": 40960})",
         30'532'122'624, 48 * 2 * 4 * 128, "qwen3_moe"},
        // starcoder2-3b: 2 KV heads.
        {R"({"model_type": "starcoder2", "hidden_size": 3072, "intermediate_size": 12288,
           "num_hidden_layers": 30, "num_attention_heads": 24, "vocab_size": 49152,
           "max_position_embeddings": 16384})",
         3'030'371'328, 30 * 2 * 2 * 128, "starcoder2"},
        // LlamaConfig has none: as many as heads (llama-7b).
        {R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
           "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000,
           "max_position_embeddings": 2048})",
         6'738'415'616, 32 * 2 * 32 * 128, "as many as attention heads"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.config);
      const Model model = model_of(row.config);
      CHECK(model.parameters.total == row.total);
      CHECK(kv_values(model) == row.kv_values);
      CHECK(class_source(model, "kvHeads").find(row.source) != std::string::npos);
      CHECK(class_source(model, "kvHeads").starts_with("default"));
    }
  }

  TEST_CASE("a null number of KV heads is as many as there are heads") {
    const Model model = model_of(R"({"model_type": "mistral", "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": null, "vocab_size": 32000, "max_position_embeddings": 4096})");
    CHECK(kv_values(model) == 32 * 2 * 32 * 128);
  }

  TEST_CASE("PaliGemma's decoders take what they leave out from Gemma's classes") {
    // As published; totals: parameter-counts.csv.
    const Model first = model_of(R"({"architectures": ["PaliGemmaForConditionalGeneration"],
      "hidden_size": 2048, "model_type": "paligemma", "projection_dim": 2048, "text_config": {
      "hidden_size": 2048, "intermediate_size": 16384, "model_type": "gemma",
      "num_attention_heads": 8, "num_hidden_layers": 18, "num_image_tokens": 256,
      "num_key_value_heads": 1, "torch_dtype": "float32", "vocab_size": 257216},
      "torch_dtype": "float32", "vision_config": {"hidden_size": 1152, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
      "patch_size": 14, "projection_dim": 2048, "vision_use_head": false}})");
    CHECK(first.parameters.total == 2'923'466'480);
    CHECK(first.max_context_tokens == 8192);
    const Model second = model_of(R"({"architectures": ["PaliGemmaForConditionalGeneration"],
      "model_type": "paligemma", "projection_dim": 2304, "text_config": {"hidden_size": 2304,
      "intermediate_size": 9216, "model_type": "gemma2", "num_hidden_layers": 26,
      "num_key_value_heads": 4, "tie_word_embeddings": false, "vocab_size": 257216},
      "torch_dtype": "bfloat16", "vision_config": {"hidden_size": 1152, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
      "patch_size": 14, "projection_dim": 2304, "vision_use_head": false}})");
    CHECK(second.parameters.total == 3'032'242'416);
    CHECK(class_source(second, "attentionHeads").find("Gemma2Config") != std::string::npos);
  }

  TEST_CASE("a context that is not given is the class's, or assumed and said to be") {
    const char* sizes = R"("hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})";
    const Model known = model_of(std::string(R"({"model_type": "qwen2", )") + sizes);
    CHECK(known.max_context_tokens == 32768);
    const Model assumed = model_of(std::string(R"({"model_type": "olmo2", )") + sizes);
    CHECK(class_source(assumed, "contextTokens").starts_with("assumed"));
    CHECK(std::ranges::any_of(assumed.notes, [](const std::string& note) {
      return note.find("no max_position_embeddings") != std::string::npos;
    }));
    // Positions that are stored are weights: their number must be said.
    const auto stored = read_config(
        json(
            R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100})"),
        "x");
    REQUIRE_FALSE(stored);
    CHECK(messages(stored.error()).find("max_position_embeddings") != std::string::npos);
  }

  TEST_CASE("the thinker of Qwen3-Omni takes the sizes of its class, and a note says so") {
    const Model model = model_of(R"({"architectures": ["Qwen3OmniMoeForConditionalGeneration"],
      "thinker_config": {"text_config": {"num_hidden_layers": 48, "num_experts": 128},
      "audio_config": {"encoder_layers": 32, "d_model": 1280, "encoder_attention_heads": 20},
      "vision_config": {"depth": 27, "num_heads": 16, "hidden_size": 1152}}})");
    CHECK(model.hidden_size == 2048);
    CHECK(model.layers.front().layer.attention.kv_heads == 4);
    CHECK(class_source(model, "hiddenSize").find("Qwen3OmniMoeTextConfig") != std::string::npos);
    CHECK(std::ranges::any_of(model.notes, [](const std::string& note) {
      return note.find("leaves out sizes of its decoder") != std::string::npos;
    }));
  }

  TEST_CASE("a side file may quantize the cache alone") {
    const auto side = json(R"({"producer": {"name": "modelopt"}, "quantization":
      {"quant_algo": null, "kv_cache_quant_algo": "FP8"}})");
    const auto model = read_config(json(R"({"model_type": "llama", "hidden_size": 64,
      "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100,
      "max_position_embeddings": 512, "torch_dtype": "float16"})"),
                                   "x", &side);
    if (!model) FAIL(messages(model.error()));
    CHECK(model->weights.linear == Quantization::Fp16);
    CHECK(model->checkpoint_kv_cache == KvCacheType::Fp8);
  }
}
