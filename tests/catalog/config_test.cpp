#include "catalog/config.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::LayerKind;
using gpushape::domain::Model;

namespace {

// The sizes that mistralai/Mistral-7B-v0.1 publishes.
const std::string kMistral = R"({
  "architectures": ["MistralForCausalLM"],
  "model_type": "mistral",
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "max_position_embeddings": 32768,
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rope_theta": 10000.0,
  "sliding_window": 4096,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "use_cache": true,
  "vocab_size": 32000
})";

// As kMistral in the llama family, with as little as a config may say.
const std::string kLlama = R"({
  "model_type": "llama",
  "hidden_size": 4096,
  "intermediate_size": 11008,
  "max_position_embeddings": 4096,
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "torch_dtype": "float16",
  "vocab_size": 32000
})";

const std::string kQwen3 = R"({
  "architectures": ["Qwen3ForCausalLM"],
  "model_type": "qwen3",
  "attention_bias": false,
  "head_dim": 128,
  "hidden_size": 1024,
  "intermediate_size": 3072,
  "max_position_embeddings": 40960,
  "max_window_layers": 28,
  "num_attention_heads": 16,
  "num_hidden_layers": 28,
  "num_key_value_heads": 8,
  "rope_scaling": null,
  "rope_theta": 1000000,
  "sliding_window": null,
  "tie_word_embeddings": true,
  "torch_dtype": "bfloat16",
  "use_sliding_window": false,
  "vocab_size": 151936
})";

std::string in_family(std::string config, const std::string& family, const std::string& type) {
  config = replaced(std::move(config), "MistralForCausalLM", family);
  return replaced(std::move(config), R"("mistral")", R"(")" + type + R"(")");
}

gpushape::Diagnostics faults_of(const std::string& config) {
  const auto model = read_config(json(config), "some/model");
  REQUIRE_FALSE(model);
  return model.error();
}

std::string source_of(const Model& model, const std::string& fact) {
  for (const auto& row : model.sources) {
    if (row.fact == fact) return row.source;
  }
  return "no source";
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a complete config gives the model that it describes") {
    const Model model = model_of(kMistral);
    CHECK(model.id == "some/model");
    CHECK(model.origin == "config.json");
    CHECK(model.family == "mistral");
    CHECK(model.hidden_size == 4096);
    CHECK(model.vocabulary == 32000);
    CHECK(model.max_context_tokens == 32768);
    CHECK(model.rope.positions == 32768);
    CHECK(model.rope.rotary_dim == 128);
    CHECK_FALSE(model.tied_embeddings);
    CHECK(model.has_head);
    REQUIRE(model.layers.size() == 1);
    CHECK(model.layers[0].count == 32);
    const auto& attention = model.layers[0].layer.attention;
    CHECK(attention.kind == LayerKind::Sliding);
    CHECK(attention.window_tokens == 4096);
    CHECK(attention.head_dim == 128);  // 4096 / 32
    CHECK(attention.kv_heads == 8);
    // Hugging Face Hub, safetensors metadata of mistralai/Mistral-7B-v0.1
    CHECK(model.parameters.total == 7'241'732'096);
    CHECK(source_of(model, "headDim").starts_with("default"));
    CHECK(source_of(model, "layers") == "config.json");
  }

  TEST_CASE("what a llama config leaves out takes the family's defaults, and the sources say so") {
    const Model model = model_of(kLlama);
    const auto& layer = model.layers.at(0).layer;
    CHECK(layer.attention.kind == LayerKind::Full);
    CHECK(layer.attention.kv_heads == 32);
    CHECK(layer.attention.head_dim == 128);
    CHECK_FALSE(layer.attention.qkv_bias);
    CHECK_FALSE(layer.feed_forward.bias);
    CHECK_FALSE(model.tied_embeddings);
    CHECK(model.architecture == "LlamaForCausalLM");
    CHECK(model.weights.linear == gpushape::domain::Quantization::Fp16);
    for (const char* fact : {"kvHeads", "headDim", "tiedEmbeddings", "qkvBias", "rope"}) {
      CAPTURE(fact);
      CHECK(source_of(model, fact).starts_with("default"));
    }
    // Llama-2-7b: 32 x (4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096) + 2 x 32000 x 4096 + 4096
    CHECK(model.parameters.total == 6'738'415'616);
  }

  TEST_CASE("biases follow the family") {
    Model llama = model_of(replaced(kLlama, R"("vocab_size")",
                                    R"("attention_bias": true, "mlp_bias": true, "vocab_size")"));
    CHECK(llama.layers[0].layer.attention.qkv_bias);
    CHECK(llama.layers[0].layer.attention.output_bias);
    CHECK(llama.layers[0].layer.feed_forward.bias);
    const Model qwen2 = model_of(in_family(kMistral, "Qwen2ForCausalLM", "qwen2"));
    CHECK(qwen2.layers[0].layer.attention.qkv_bias);
    CHECK_FALSE(qwen2.layers[0].layer.attention.output_bias);
    CHECK(qwen2.layers[0].layer.attention.head_norm == gpushape::domain::HeadNorm::None);
    const Model qwen3 = model_of(kQwen3);
    CHECK_FALSE(qwen3.layers[0].layer.attention.qkv_bias);
    CHECK(qwen3.layers[0].layer.attention.head_norm == gpushape::domain::HeadNorm::Shared);
    CHECK(mentions(faults_of(replaced(kMistral, R"("use_cache")", R"("attention_bias")")),
                   "the mistral family has no such bias"));
  }

  TEST_CASE("qwen3 heads have 128 values where the config does not say") {
    CHECK(
        model_of(replaced(kQwen3, R"("head_dim": 128,)", "")).layers[0].layer.attention.head_dim ==
        128);  // not 1024 / 16
  }

  TEST_CASE("a window counts only where the family uses it") {
    CHECK(model_of(replaced(kMistral, "4096,\n  \"tie", "null,\n  \"tie"))
              .layers[0]
              .layer.attention.kind == LayerKind::Full);
    // MistralConfig's own default, which a file written by transformers leaves out.
    CHECK(model_of(replaced(kMistral, R"("sliding_window": 4096,)", ""))
              .layers[0]
              .layer.attention.window_tokens == 4096);
    const std::string qwen2 = in_family(kMistral, "Qwen2ForCausalLM", "qwen2");
    CHECK(model_of(qwen2).layers[0].layer.attention.kind == LayerKind::Full);

    const std::string on = replaced(qwen2, R"("use_cache": true)",
                                    R"("use_sliding_window": true, "max_window_layers": 20)");
    const Model mixed = model_of(on);
    REQUIRE(mixed.layers.size() == 2);
    CHECK(mixed.layers[0].count == 20);
    CHECK(mixed.layers[0].layer.attention.kind == LayerKind::Full);
    CHECK(mixed.layers[1].count == 12);
    CHECK(mixed.layers[1].layer.attention.kind == LayerKind::Sliding);
    CHECK(mixed.layers[1].layer.attention.window_tokens == 4096);
    CHECK(
        mentions(faults_of(replaced(on, R"(, "max_window_layers": 20)", "")), "max_window_layers"));
    CHECK(mentions(
        faults_of(replaced(kLlama, R"("vocab_size")", R"("sliding_window": 9, "vocab_size")")),
        "sliding_window"));
  }

  TEST_CASE("layer_types decides layer by layer") {
    const std::string three =
        replaced(kMistral, R"("num_hidden_layers": 32)", R"("num_hidden_layers": 3)");
    const auto with = [&](const std::string& types) {
      return replaced(three, R"("use_cache")", R"("layer_types": )" + types + R"(, "use_cache")");
    };
    const Model model =
        model_of(with(R"(["full_attention", "sliding_attention", "sliding_attention"])"));
    REQUIRE(model.layers.size() == 2);
    CHECK(model.layers[0].count == 1);
    CHECK(model.layers[1].count == 2);
    CHECK(model.layers[1].layer.attention.kind == LayerKind::Sliding);
    CHECK(mentions(faults_of(with(R"(["full_attention"])")), "lists 1 layers of 3"));
    CHECK(mentions(faults_of(with(R"(["mamba", "full_attention", "full_attention"])")), "'mamba'"));
  }

  TEST_CASE("rope scaling is read in its old and its new spelling, with the context it gives") {
    struct Row {
      const char* json;
      const char* scaling;
      std::int64_t positions;
    };
    const std::vector<Row> rows = {
        {R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192})",
         "llama3", 4096},
        {R"("rope_scaling": {"type": "linear", "factor": 4.0})", "linear", 16384},
        {R"("rope_scaling": {"type": "dynamic", "factor": 2})", "dynamic", 8192},
        {R"("rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048})",
         "yarn", 8192},
        {R"("rope_parameters": {"rope_type": "yarn", "factor": 4.0, "rope_theta": 500000.0})",
         "yarn", 16384},
        {R"("rope_parameters": {"rope_type": "default", "rope_theta": 5e6})", "", 4096},
    };
    for (const Row& row : rows) {
      CAPTURE(row.json);
      const Model model = model_of(
          replaced(kLlama, R"("vocab_size")", std::string(row.json) + R"(, "vocab_size")"));
      CHECK(model.rope.scaling == row.scaling);
      CHECK(model.rope.positions == row.positions);
      CHECK(model.max_context_tokens == row.positions);
    }
    CHECK(mentions(
        faults_of(replaced(kLlama, R"("vocab_size")",
                           R"("rope_scaling": {"type": "yran", "factor": 4}, "vocab_size")")),
        "did you mean 'yarn'"));
  }

  TEST_CASE("mrope_section gives the rope sections") {
    CHECK_FALSE(model_of(kQwen3).rope.has_sections);
    const Model model = model_of(
        replaced(kQwen3, R"("rope_scaling": null)",
                 R"("rope_scaling": {"rope_type": "default", "mrope_section": [24, 20, 20]})"));
    CHECK(model.rope.has_sections);
    CHECK(model.rope.scaling.empty());
  }

  TEST_CASE("a model class without a head is an embedding model") {
    const Model model = model_of(replaced(kMistral, "MistralForCausalLM", "MistralModel"));
    CHECK_FALSE(model.has_head);
    CHECK(model.role == gpushape::domain::Role::Embed);
    // intfloat/e5-mistral-7b-instruct on the Hub: Mistral-7B-v0.1 without its head
    CHECK(model.parameters.total == 7'110'660'096);
  }

  TEST_CASE("dtype is read in both spellings; without one the model says what is assumed") {
    CHECK(model_of(replaced(kMistral, "torch_dtype", "dtype")).weights.other ==
          gpushape::domain::Quantization::Bf16);
    CHECK(model_of(replaced(kMistral, R"("bfloat16")", R"("torch.float16")")).weights.other ==
          gpushape::domain::Quantization::Fp16);
    const Model silent = model_of(replaced(kMistral, R"("torch_dtype": "bfloat16",)", ""));
    CHECK(silent.notes.size() == 1);
    CHECK(mentions(faults_of(replaced(kMistral, "bfloat16", "int3")), "'int3' is not understood"));
  }

  TEST_CASE("what cannot be understood is named with its place") {
    struct Row {
      const char* from;
      const char* to;
      const char* says;
    };
    const std::vector<Row> rows = {
        {R"("mistral")", R"("mambo")", "model_type 'mambo' is not understood"},
        {"MistralForCausalLM", "LlamaForCausalLM", "is of the llama family"},
        {"MistralForCausalLM", "MistralForChess", "'MistralForChess' is not understood"},
        {R"("hidden_size": 4096,)", "", "no field 'hidden_size'"},
        {R"("hidden_size": 4096)", R"("hiden_size": 4096)", "'hiden_size' stands here"},
        {R"("num_hidden_layers": 32,)", "", "no field 'num_hidden_layers'"},
        {R"("vocab_size": 32000)", R"("vocab_size": null)", "no field 'vocab_size'"},
        {R"("hidden_size": 4096)", R"("hidden_size": "4096")", "hidden_size"},
        {R"("hidden_size": 4096)", R"("hidden_size": 0)", "hidden_size"},
        {R"("hidden_size": 4096)", R"("hidden_size": -1)", "hidden_size"},
        {R"("hidden_size": 4096)", R"("hidden_size": 1e30)", "hidden_size"},
        {R"("hidden_size": 4096)", R"("hidden_size": NaN)", "hidden_size"},
        {R"("num_hidden_layers": 32)", R"("num_hidden_layers": 10001)", "num_hidden_layers"},
        {R"("vocab_size": 32000)", R"("vocab_size": 99999999)", "vocab_size"},
        {R"("num_key_value_heads": 8)", R"("num_key_value_heads": 5)", "is not a multiple of"},
        {R"("hidden_size": 4096)", R"("hidden_size": 4097)", "must name its head_dim"},
        {R"("use_cache": true)", R"("num_experts": 8)", "field 'num_experts' is not understood"},
        {R"("use_cache": true)", R"("text_config": {"a": 1})", "field 'text_config'"},
        {R"("use_cache": true)", R"("hidden_size": 1)", "field 'hidden_size' stands twice"},
        {R"("rope_theta": 10000.0)", R"("rope_theta": -1)", "rope_theta"},
        {R"("tie_word_embeddings": false)", R"("tie_word_embeddings": "no")",
         "tie_word_embeddings"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.to);
      const auto faults = faults_of(replaced(kMistral, row.from, row.to));
      CAPTURE(messages(faults));
      CHECK(mentions(faults, row.says));
      CHECK(faults.front().span.file == "config.json");
    }
    CHECK(mentions(faults_of("{}"), "neither a model_type nor architectures"));
    CHECK(mentions(faults_of(R"({"model_type": "mambo"})"), "did you mean 'mamba'"));
    CHECK(mentions(faults_of(R"({"model_type": "perceiver-io-huge"})"), "families are known"));
    CHECK_FALSE(read_config(json("[]"), "x"));
    CHECK_FALSE(read_config(json("3"), "x"));
    // Qwen-VL has its image encoder there: 1.94 B parameters that are not to be passed over.
    CHECK(mentions(faults_of(replaced(kMistral, "{", R"({"visual": {"layers": 48}, )")),
                   "field 'visual' is not understood"));
  }

  TEST_CASE("all faults of a config come out at once") {
    const auto faults =
        faults_of(R"({"model_type": "llama", "hidden_size": 0, "vocab_size": "x"})");
    CHECK(faults.size() >= 5);
  }

  TEST_CASE("fields that mean nothing here are passed over, and so are switched-off foreign ones") {
    CHECK(model_of(replaced(kMistral, R"("use_cache": true)",
                            R"("num_experts": 0, "text_config": null, "vision_config": {},
                               "num_nextn_predict_layers": 0, "whatever": [1, {"a": 2}])"))
              .parameters.total == 7'241'732'096);
  }

  TEST_CASE("sizes within their bounds that multiply beyond all models are refused") {
    const auto faults = faults_of(R"({"model_type": "llama", "hidden_size": 1000000,
      "intermediate_size": 10000000, "num_hidden_layers": 10000, "num_attention_heads": 1000,
      "vocab_size": 10000000, "max_position_embeddings": 4096})");
    CHECK(mentions(faults, "more than any model has"));
  }

  TEST_CASE("n-grams that cannot be read are refused") {
    const auto refusal = [](const char* fields) {
      const std::string config =
          std::string(R"({"architectures": ["Qwen4ExpForCausalLM"], "model_type": "qwen4_exp_text",
      "hidden_size": 2560, "num_hidden_layers": 4, "num_attention_heads": 24,
      "num_key_value_heads": 2, "linear_num_key_heads": 16, "linear_num_value_heads": 48,
      "linear_key_head_dim": 128, "linear_value_head_dim": 128, "num_experts": 8,
      "num_experts_per_tok": 2, "moe_intermediate_size": 640, "shared_expert_intermediate_size":
      640, "indexer_n_heads": 4, "indexer_head_dim": 128, "indexer_budget": 2048,
      "indexer_compress_ratio": 4, "vocab_size": 248320, "max_position_embeddings": 262144, )") +
          fields + "}";
      const auto model = read_config(json(config), "them/it");
      REQUIRE(!model);
      return messages(model.error());
    };
    CHECK(refusal(R"("ple_layer_ids": [2], "ngram_size": 9)").contains("ngram_size"));
    CHECK(refusal(R"("ple_layer_ids": [2], "ple_embed_dim": 2561)")
              .contains("2561 is not a multiple of the 16 heads"));
  }
}
