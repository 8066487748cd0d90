// Which layers attend how, as the publishers' model cards and classes describe it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using namespace gpushape::domain;

namespace {

// The layers one by one.
std::vector<Layer> layers_of(const Model& model) {
  std::vector<Layer> layers;
  for (const LayerRun& run : model.layers)
    layers.insert(layers.end(), static_cast<std::size_t>(run.count), run.layer);
  return layers;
}

// A letter a layer: F full, S sliding, C chunked, L latent, K compressed, R recurrent, X cross,
// N none.
std::string kinds(const Model& model) {
  std::string letters;
  for (const Layer& layer : layers_of(model)) {
    switch (layer.attention.kind) {
      case LayerKind::Full:
        letters += 'F';
        break;
      case LayerKind::Sliding:
        letters += 'S';
        break;
      case LayerKind::Chunked:
        letters += 'C';
        break;
      case LayerKind::Latent:
        letters += 'L';
        break;
      case LayerKind::Compressed:
        letters += 'K';
        break;
      case LayerKind::Recurrent:
        letters += 'R';
        break;
      case LayerKind::Cross:
        letters += 'X';
        break;
      case LayerKind::None:
        letters += 'N';
        break;
    }
  }
  return letters;
}

const std::string kSizes = R"("hidden_size": 512, "intermediate_size": 1024, "vocab_size": 1000,
  "max_position_embeddings": 8192, "torch_dtype": "bfloat16",
  "num_attention_heads": 8, "num_key_value_heads": 2)";

std::string config(const std::string& type, std::int64_t layers, const std::string& rest) {
  return R"({"model_type": ")" + type + R"(", "num_hidden_layers": )" + std::to_string(layers) +
         ", " + kSizes + (rest.empty() ? "" : ", " + rest) + "}";
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("windows follow the pattern of the family where no list says otherwise") {
    // Gemma 2 and gpt-oss: every second layer sees everything; Gemma 3: every sixth; Cohere 2,
    // OLMo 3: every fourth.
    CHECK(kinds(model_of(config("gemma2", 4, ""))) == "SFSF");
    CHECK(kinds(model_of(config("gemma3_text", 7, R"("sliding_window": 512)"))) == "SSSSSFS");
    CHECK(kinds(model_of(config("cohere2", 5, ""))) == "SSSFS");
    CHECK(kinds(model_of(config("olmo3", 4, ""))) == "SSSF");
    CHECK(kinds(model_of(config("gpt_oss", 4,
                                R"("num_local_experts": 4, "num_experts_per_tok": 2)"))) == "SFSF");
    const Model gemma = model_of(config("gemma2", 2, ""));
    CHECK(gemma.layers[0].layer.attention.window_tokens == 4096);
    CHECK(gemma.layers[0].layer.norms == 4);
    // A null window is none at all.
    CHECK(kinds(model_of(config("exaone4", 4, R"("sliding_window": null)"))) == "FFFF");
    CHECK(kinds(model_of(
              config("exaone4", 4, R"("sliding_window": 64, "sliding_window_pattern": "LLLG")"))) ==
          "SSSF");
  }

  TEST_CASE("Gemma 3 stretches its global rope alone, and its context not at all") {
    const Model model =
        model_of(config("gemma3_text", 6, R"("sliding_window": 512, "rope_theta": 1000000.0,
               "rope_local_base_freq": 10000.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0})"));
    CHECK(model.rope.positions == 65536);
    REQUIRE(model.further_ropes.size() == 1);
    CHECK(model.further_ropes[0].positions == 8192);
    CHECK(model.further_ropes[0].rotary_dim == 256);
    CHECK(model.max_context_tokens == 8192);
    // What google/gemma-3-4b-it leaves out: Gemma3TextConfig's defaults.
    const Model silent = model_of(
        config("gemma3_text", 6, R"("rope_scaling": {"rope_type": "linear", "factor": 8.0})"));
    CHECK(silent.rope.theta == 1e6);
    REQUIRE(silent.further_ropes.size() == 1);
    CHECK(silent.further_ropes[0].theta == 10000);
    CHECK(silent.further_ropes[0].positions == 8192);
  }

  TEST_CASE("DeepSeek caches a latent, whatever its config says of KV heads") {
    const Model model = model_of(config("deepseek_v3", 3, R"("q_lora_rank": 64, "kv_lora_rank": 32,
        "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "n_routed_experts": 8,
        "n_shared_experts": 2, "num_experts_per_tok": 2, "moe_intermediate_size": 64,
        "first_k_dense_replace": 1, "num_nextn_predict_layers": 1)"));
    CHECK(kinds(model) == "LLL");
    const auto layers = layers_of(model);
    const Attention& attention = layers[0].attention;
    REQUIRE(attention.latent);
    CHECK(attention.latent->kv_rank == 32);
    CHECK(attention.latent->rope_dim == 8);
    CHECK(attention.head_dim == 24);
    CHECK(attention.value_head_dim == 16);
    CHECK_FALSE(layers[0].feed_forward.experts);
    CHECK(layers[0].feed_forward.width == 1024);
    REQUIRE(layers[1].feed_forward.experts);
    CHECK(layers[1].feed_forward.width == 0);
    CHECK(layers[1].feed_forward.experts->shared_width == 128);
    CHECK(layers[1].feed_forward.experts->correction_bias);
    REQUIRE(model.multi_token_prediction);
    CHECK(model.multi_token_prediction->holds_embedding);
  }

  TEST_CASE("GLM-5.2 shares the indexer of an earlier layer where its config says so") {
    const Model model = model_of(config("glm_moe_dsa", 3, R"("q_lora_rank": 64, "kv_lora_rank": 32,
        "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "n_routed_experts": 8,
        "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 64,
        "mlp_layer_types": ["dense", "sparse", "sparse"], "index_n_heads": 4,
        "index_head_dim": 16, "index_topk": 128, "indexer_types": ["full", "full", "shared"])"));
    const auto layers = layers_of(model);
    REQUIRE(layers[2].attention.indexer);
    CHECK_FALSE(layers[1].attention.indexer->is_shared);
    CHECK(layers[2].attention.indexer->is_shared);
    CHECK(layers[1].attention.indexer->top_tokens == 128);
  }

  TEST_CASE("DeepSeek-V4 compresses behind its window, and indexes entries of four tokens") {
    const Model model = model_of(config("deepseek_v4", 3, R"("head_dim": 64, "sliding_window": 128,
        "q_lora_rank": 64, "qk_rope_head_dim": 16, "o_lora_rank": 32, "o_groups": 2,
        "n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2,
        "moe_intermediate_size": 64, "index_n_heads": 4, "index_head_dim": 16, "index_topk": 128,
        "compress_ratios": [0, 4, 128, 0], "num_hash_layers": 1, "hc_mult": 2)"));
    CHECK(kinds(model) == "KKK");
    const auto layers = layers_of(model);
    CHECK(layers[0].attention.compression->ratio == 0);
    CHECK(layers[1].attention.compression->ratio == 4);
    CHECK(layers[1].attention.indexer);
    CHECK_FALSE(layers[2].attention.indexer);
    CHECK(layers[2].attention.window_tokens == 128);
    CHECK_FALSE(layers[0].feed_forward.experts->correction_bias);
    CHECK(layers[1].feed_forward.experts->correction_bias);
  }

  TEST_CASE("Llama 4 attends in chunks but in every fourth layer") {
    const Model model = model_of(R"({"model_type": "llama4", "text_config": {
        "model_type": "llama4_text", "hidden_size": 512, "intermediate_size": 1024,
        "intermediate_size_mlp": 2048, "num_hidden_layers": 8, "num_attention_heads": 8,
        "num_key_value_heads": 2, "head_dim": 64, "num_local_experts": 4, "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2, "attention_chunk_size": 8192, "vocab_size": 1000,
        "max_position_embeddings": 100000, "use_qk_norm": true}, "torch_dtype": "bfloat16"})");
    CHECK(kinds(model) == "CCCFCCCF");
    const auto layers = layers_of(model);
    CHECK(layers[0].attention.window_tokens == 8192);
    CHECK(layers[0].feed_forward.width == 2048);
    REQUIRE(layers[1].feed_forward.experts);
    CHECK(layers[1].feed_forward.experts->shared_width == 1024);
  }

  TEST_CASE("hybrids of Qwen attend in every fourth layer, with a gate on the output") {
    const std::string delta = R"("linear_num_key_heads": 4, "linear_key_head_dim": 16,
        "linear_num_value_heads": 8, "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4,
        "mamba_ssm_dtype": "float32")";
    const Model model = model_of(config("qwen3_5_text", 5, delta));
    CHECK(kinds(model) == "RRRFR");
    const auto layers = layers_of(model);
    REQUIRE(layers[0].recurrent);
    CHECK(layers[0].recurrent->kind == RecurrentKind::GatedDelta);
    CHECK(layers[0].recurrent->state_bits == 32);
    CHECK(layers[0].attention.heads == 0);
    CHECK(layers[3].attention.output_gate == OutputGate::Value);
    CHECK_FALSE(layers[3].recurrent);
    CHECK_FALSE(model.multi_token_prediction);
    // Without a word on it, the state is as wide as the model's dtype.
    const auto silent = layers_of(model_of(config(
        "qwen3_5_text", 4, replaced(delta, R"("mamba_ssm_dtype": "float32")", R"("x": 1)"))));
    CHECK(silent[0].recurrent->state_bits == 16);
  }

  TEST_CASE("a letter of a Nemotron-H pattern is a whole layer") {
    const Model model = model_of(config("nemotron_h", 4, R"("hybrid_override_pattern": "M*-E",
        "mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 2, "ssm_state_size": 32,
        "conv_kernel": 4, "head_dim": 64, "n_routed_experts": 8, "num_experts_per_tok": 2,
        "moe_intermediate_size": 64, "moe_shared_expert_intermediate_size": 96,
        "n_shared_experts": 1, "moe_latent_size": 128, "num_nextn_predict_layers": 1,
        "mtp_hybrid_override_pattern": "*E")"));
    CHECK(kinds(model) == "RFNN");
    const auto layers = layers_of(model);
    CHECK(layers[0].norms == 1);
    CHECK(layers[0].recurrent->kind == RecurrentKind::Mamba2);
    CHECK(layers[0].feed_forward.width == 0);
    CHECK(layers[1].feed_forward.width == 0);
    CHECK(layers[2].feed_forward.width == 1024);
    CHECK_FALSE(layers[2].feed_forward.gated);
    REQUIRE(layers[3].feed_forward.experts);
    CHECK(layers[3].feed_forward.experts->latent_width == 128);
    CHECK(layers[3].attention.heads == 0);
    REQUIRE(model.multi_token_prediction);
    CHECK(model.multi_token_prediction->layers.size() == 2);
    const auto wrong = read_config(
        json(config("nemotron_h", 4, R"("hybrid_override_pattern": "M*")")), "some/model");
    REQUIRE_FALSE(wrong);
    CHECK(mentions(wrong.error(), "lists 2 layers of 4"));
  }

  TEST_CASE("Kimi Linear counts its layers from one") {
    const Model model = model_of(config("kimi_linear", 4, R"("kv_lora_rank": 32,
        "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "num_experts": 8,
        "num_experts_per_token": 2, "num_shared_experts": 1, "moe_intermediate_size": 64,
        "first_k_dense_replace": 1, "linear_attn_config": {"num_heads": 4, "head_dim": 16,
        "short_conv_kernel_size": 4, "kda_layers": [1, 2, 3], "full_attn_layers": [4]})"));
    CHECK(kinds(model) == "RRRL");
    CHECK(model.layers[0].layer.recurrent->kind == RecurrentKind::Kda);
  }

  TEST_CASE("MiniMax-Text-01 lists lightning layers as 0") {
    const Model model = model_of(config("minimax", 3, R"("attn_type_list": [0, 1, 0],
        "head_dim": 64, "num_local_experts": 4, "num_experts_per_tok": 2)"));
    CHECK(kinds(model) == "RFR");
    // vLLM mamba_utils.py, linear_attention_state_dtype: the model's dtype, bf16 here.
    CHECK(model.layers[0].layer.recurrent->state_bits == 16);
    const auto wrong = read_config(json(config("minimax", 3, R"("head_dim": 64,
        "num_local_experts": 4, "num_experts_per_tok": 2)")),
                                   "some/model");
    REQUIRE_FALSE(wrong);
    CHECK(mentions(wrong.error(), "attn_type_list"));
  }

  TEST_CASE("Falcon-H1 has attention and a state in every layer") {
    const Model model = model_of(config("falcon_h1", 2, R"("mamba_d_ssm": 128, "mamba_n_heads": 4,
        "mamba_d_head": 32, "mamba_d_state": 16, "mamba_n_groups": 1)"));
    CHECK(kinds(model) == "FF");
    REQUIRE(model.layers[0].layer.recurrent);
    CHECK_FALSE(model.layers[0].layer.recurrent->has_norm);
  }

  TEST_CASE("the last layers of Gemma 4 read the cache of earlier ones") {
    const Model model = model_of(config("gemma4_text", 4, R"("head_dim": 64, "global_head_dim": 128,
        "num_kv_shared_layers": 2, "use_double_wide_mlp": true, "attention_k_eq_v": true,
        "num_global_key_value_heads": 1, "sliding_window": 512, "layer_types":
        ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])"));
    CHECK(kinds(model) == "SFSF");
    const auto layers = layers_of(model);
    CHECK_FALSE(layers[1].attention.shares_cache);
    CHECK(layers[2].attention.shares_cache);
    CHECK(layers[2].feed_forward.width == 2048);
    CHECK(layers[1].attention.head_dim == 128);
    CHECK(layers[1].attention.kv_heads == 1);
    CHECK(layers[1].attention.value_is_key);
    CHECK_FALSE(layers[0].attention.value_is_key);
    CHECK(layers[0].attention.kv_heads == 2);
  }

  // config.json of google/gemma-4-26B-A4B says "vision", those of E2B and E4B nothing.
  TEST_CASE("images of Gemma 4 are whole where their tokens attend both ways") {
    const auto is_whole = [](const char* value) {
      return model_of(config("gemma4_text", 2,
                             R"("use_bidirectional_attention": )" + std::string(value)))
          .has_whole_items;
    };
    CHECK(is_whole(R"("vision")"));
    for (const char* value : {"null", "false", "true", R"("all")"}) {
      CAPTURE(value);
      CHECK_FALSE(is_whole(value));
    }
  }

  TEST_CASE("layers of an architecture search differ in KV heads, or have no attention") {
    const Model model = model_of(R"({"model_type": "nemotron-nas", "hidden_size": 512,
        "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000,
        "max_position_embeddings": 4096, "torch_dtype": "bfloat16", "block_configs": [
        {"attention": {"n_heads_in_group": 4, "no_op": false}, "ffn": {"ffn_mult": 2.625}},
        {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 1.3125}}]})");
    CHECK(kinds(model) == "FN");
    const auto layers = layers_of(model);
    CHECK(layers[0].attention.kv_heads == 2);
    // 2 x 2.625 x 512 / 3 = 896, up to 1024; 2 x 1.3125 x 512 / 3 = 448, up to 512.
    CHECK(layers[0].feed_forward.width == 1024);
    CHECK(layers[1].feed_forward.width == 512);
    CHECK(layers[1].norms == 1);
  }

  TEST_CASE("an encoder attends and stores nothing") {
    const Model model = model_of(config("bert", 2, R"("architectures": ["BertModel"])"));
    CHECK(kinds(model) == "NN");
    CHECK(model.layers[0].layer.attention.heads == 8);
    CHECK_FALSE(model.has_head);
    CHECK(model.role == Role::Embed);
    CHECK(model_of(config("xlm-roberta", 2,
                          R"("architectures": ["XLMRobertaForSequenceClassification"])"))
              .role == Role::Rerank);
  }

  TEST_CASE("a decoder of Whisper attends to itself and to 30 seconds of sound") {
    const Model model = model_of(R"({"model_type": "whisper", "d_model": 64, "decoder_layers": 2,
        "decoder_attention_heads": 4, "decoder_ffn_dim": 128, "encoder_layers": 3,
        "encoder_attention_heads": 4, "encoder_ffn_dim": 128, "num_mel_bins": 80,
        "max_source_positions": 1500, "max_target_positions": 448, "vocab_size": 1000,
        "num_hidden_layers": 3, "is_encoder_decoder": true, "torch_dtype": "float16"})");
    CHECK(kinds(model) == "FF");
    REQUIRE(model.layers[0].layer.cross_attention);
    CHECK(model.layers[0].layer.cross_attention->kind == LayerKind::Cross);
    CHECK(model.layers[0].layer.cross_attention->encoder_tokens == 1500);
    CHECK_FALSE(model.layers[0].layer.attention.key_has_bias);
    CHECK(model.max_context_tokens == 448);
    CHECK(model.role == Role::Speech);
    REQUIRE(model.towers.size() == 1);
    CHECK(model.towers[0].kind == TowerKind::Encoder);
    CHECK(model.towers[0].input_values == 80 * 3000);
  }

  TEST_CASE("Llama 3.2 Vision reads the image in layers of their own") {
    const Model model = model_of(R"({"model_type": "mllama", "text_config": {
        "model_type": "mllama_text_model", "hidden_size": 512, "intermediate_size": 1024,
        "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2,
        "vocab_size": 1000, "max_position_embeddings": 4096, "cross_attention_layers": [1, 3]},
        "vision_config": {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_global_layers": 1, "attention_heads": 4, "image_size": 560, "patch_size": 14,
        "max_num_tiles": 4, "vision_output_dim": 128}, "torch_dtype": "bfloat16"})");
    CHECK(kinds(model) == "FXFX");
    // Four tiles of 40 x 40 patches and one token more.
    CHECK(layers_of(model)[1].attention.encoder_tokens == 6404);
    CHECK(model.role == Role::Vision);
  }

  TEST_CASE(
      "a list of mixtures decides where there is one, a period or a first stretch otherwise") {
    const auto mixtures = [](const std::string& rest) {
      std::string letters;
      for (const Layer& layer : layers_of(model_of(
               config("qwen3_moe", 4,
                      R"("num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64)" +
                          rest))))
        letters += layer.feed_forward.experts ? 'E' : 'D';
      return letters;
    };
    CHECK(mixtures("") == "EEEE");
    CHECK(mixtures(R"(, "mlp_only_layers": [0, 2])") == "DEDE");
    CHECK(mixtures(R"(, "decoder_sparse_step": 2)") == "DEDE");
    CHECK(mixtures(R"(, "first_k_dense_replace": 3)") == "DDDE");
    CHECK(mixtures(R"(, "mlp_layer_types": ["dense", "sparse", "dense", "dense"])") == "DEDD");
  }

  TEST_CASE("a composite without its decoder, or with one that is not known, is refused by name") {
    const auto refused = [](const std::string& text) {
      const auto model = read_config(json(text), "some/model");
      REQUIRE_FALSE(model);
      return messages(model.error());
    };
    CHECK(refused(R"({"model_type": "llava", "text_config": {"model_type": "lama"}})")
              .find("model_type 'lama' is not understood") != std::string::npos);
    CHECK(refused(R"({"model_type": "gemma3", "text_config": 3})").find("text_config") !=
          std::string::npos);
    CHECK(refused(config("qwen2", 2, R"("audio_config": {"d_model": 3})"))
              .find("field 'audio_config' is not understood") != std::string::npos);
    CHECK(refused(config("mixtral", 2, R"("num_local_experts": 2, "num_experts_per_tok": 5)"))
              .find("5 active experts of 2") != std::string::npos);
  }
}
