// Families of text, encoders among them, held against totals that are published of a checkpoint, or
// against what a card says where none counts.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::LayerKind;

namespace {

const std::vector<Published> kPublishedText = {
    // Its index: 16,061,784,576 bytes, of which 34 x 64 x 4 of inv_freq.
    {"FreedomIntelligence/openPangu-Embedded-7B", (16'061'784'576 - 34 * 64 * 4) / 2,
     R"({"architectures": ["PanguEmbeddedForCausalLM"], "model_type": "PanguEmbedded", "bias": true,
      "hidden_size": 4096, "intermediate_size": 12800, "num_hidden_layers": 34,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 153376,
      "max_position_embeddings": 32768, "rope_theta": 16000000.0, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    // The Hub's safetensors metadata, with the layer for a further token.
    {"meituan-longcat/LongCat-Flash-Chat", 561'862'880'256,
     R"({"architectures": ["LongcatFlashForCausalLM"], "model_type": "longcat_flash",
      "hidden_size": 6144, "ffn_hidden_size": 12288, "num_layers": 28, "num_attention_heads": 64,
      "attention_bias": false, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 512, "zero_expert_num": 256,
      "zero_expert_type": "identity", "moe_topk": 12, "expert_ffn_hidden_size": 2048,
      "router_bias": false, "vocab_size": 131072, "max_position_embeddings": 131072, "rope_theta":
      10000000.0, "torch_dtype": "bfloat16"})"},
    // What PyTorch counts of it.
    {"facebook/nllb-200-distilled-600M", 615'073'792,
     R"({"architectures": ["M2M100ForConditionalGeneration"], "model_type": "m2m_100", "d_model":
      1024, "encoder_layers": 12, "encoder_attention_heads": 16, "encoder_ffn_dim": 4096,
      "decoder_layers": 12, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096,
      "is_encoder_decoder": true, "max_position_embeddings": 1024, "vocab_size": 256206,
      "torch_dtype": "float32"})"},
    // internlm2-7b's 7,737,708,544 less its head, 92544 x 4096, and one row.
    {"internlm/internlm2-7b-reward", 7'737'708'544 - std::int64_t{92544} * 4096 + 4096,
     R"({"architectures": ["InternLM2ForRewardModel"], "model_type": "internlm2", "hidden_size":
      4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "bias": false, "vocab_size": 92544, "max_position_embeddings":
      32768, "rope_theta": 1000000, "tie_word_embeddings": false, "torch_dtype": "float16"})"},
};

std::int64_t total_of(const std::string& config) { return model_of(config).parameters.total; }

const std::string kTrinityMini =
    R"({"architectures": ["AfmoeForCausalLM"], "model_type": "afmoe", "hidden_size": 2048,
      "intermediate_size": 6144, "moe_intermediate_size": 1024, "num_hidden_layers": 32,
      "num_dense_layers": 2, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
      "num_experts": 128, "num_experts_per_tok": 8, "num_shared_experts": 1,
      "global_attn_every_n_layers": 4, "sliding_window": 2048, "vocab_size": 200192,
      "max_position_embeddings": 131072, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16"})";

const std::string kDeberta =
    R"({"architectures": ["DebertaV2ForSequenceClassification"], "model_type": "deberta-v2",
      "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
      "num_attention_heads": 12, "vocab_size": 128100, "type_vocab_size": 0,
      "max_position_embeddings": 512, "max_relative_positions": -1, "position_buckets": 256,
      "position_biased_input": false, "relative_attention": true, "share_att_key": true,
      "norm_rel_ebd": "layer_norm", "pos_att_type": "p2c|c2p", "id2label": {"0": "LABEL_0"}})";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a family of text has the parameters of its checkpoint") {
    check_totals(kPublishedText);
  }

  TEST_CASE("LongCat-Flash caches two latents a block, and its mixtures have a dense network too") {
    const auto model = model_of(kPublishedText[1].config);
    std::int64_t latents = 0;
    std::int64_t mixtures = 0;
    for (const auto& run : model.layers) {
      CHECK(run.layer.attention.kind == LayerKind::Latent);
      CHECK(run.layer.feed_forward.width == 12288);
      latents += run.count;
      if (run.layer.feed_forward.experts) mixtures += run.count;
    }
    CHECK(latents == 56);
    CHECK(mixtures == 28);
    REQUIRE(model.multi_token_prediction);
    // 131072 x 6144 + 12288 x 6144 + 5 x 6144, and a dense layer of 90,572,800 + 226,492,416.
    CHECK(model.parameters.multi_token_prediction == 1'197'899'776);
  }

  // The technical report: 26 billion parameters, 3 of them active. By hand: 32 layers of attention
  // of 2 x 2048 x 4096 (queries and gate) + 4096 x 2048 + 2 x 2048 x 512 + 4 x 2048 + 2 x 128; 30
  // mixtures of 129 x 3 x 2048 x 1024 + 128 x 2048 + 128; two networks of 3 x 2048 x 6144; 2 x
  // 200192 x 2048 + 2048.
  TEST_CASE("Trinity gates its attention, and every fourth layer of it sees everything") {
    const auto model = model_of(kTrinityMini);
    constexpr std::int64_t kAttention = 3 * 2048 * 4096 + 2 * 2048 * 512 + 4 * 2048 + 2 * 128;
    constexpr std::int64_t kMixture = std::int64_t{129} * 3 * 2048 * 1024 + 128 * 2048 + 128;
    CHECK(model.parameters.total == 32 * kAttention + 30 * kMixture + 2 * 3 * 2048 * 6144 +
                                        std::int64_t{2} * 200192 * 2048 + 2048);
    CHECK(static_cast<double>(model.parameters.total) == doctest::Approx(26e9).epsilon(0.01));
    CHECK(static_cast<double>(model.parameters.active) == doctest::Approx(3e9).epsilon(0.2));
    std::int64_t full = 0;
    for (const auto& run : model.layers) {
      if (run.layer.attention.kind == LayerKind::Full) full += run.count;
    }
    CHECK(full == 8);
    CHECK(model.layers.front().layer.attention.window_tokens == 2048);
  }

  // The card's millions without the table, 128100 x 768 or 1024: 86, 44 and 304. They count the
  // pooler.
  TEST_CASE("DeBERTa's third has a table of distances that all layers share") {
    const auto backbone = [](const std::string& config, std::int64_t hidden) {
      return static_cast<double>(total_of(config) - 128'100 * hidden) / 1e6;
    };
    const std::string small =
        replaced(kDeberta, R"("num_hidden_layers": 12)", R"("num_hidden_layers": 6)");
    std::string large = replaced(kDeberta, R"("hidden_size": 768)", R"("hidden_size": 1024)");
    large = replaced(large, R"("intermediate_size": 3072)", R"("intermediate_size": 4096)");
    large = replaced(large, R"("num_hidden_layers": 12)", R"("num_hidden_layers": 24)");
    large = replaced(large, R"("num_attention_heads": 12)", R"("num_attention_heads": 16)");
    CHECK(backbone(kDeberta, 768) == doctest::Approx(86).epsilon(0.005));
    CHECK(backbone(small, 768) == doctest::Approx(44).epsilon(0.012));
    CHECK(backbone(large, 1024) == doctest::Approx(304).epsilon(0.002));
    // 12 blocks of 7,087,872, 512 distances, two norms, pooler and one row.
    CHECK(total_of(kDeberta) ==
          std::int64_t{128'100} * 768 + 12 * 7'087'872 + 512 * 768 + 4 * 768 + 768 * 769 + 769);
    // With matrices of its own for distances, two of 768 x 768 + 768 a layer.
    CHECK(total_of(replaced(kDeberta, R"("share_att_key": true)", R"("share_att_key": false)")) -
              total_of(kDeberta) ==
          std::int64_t{12} * 2 * 768 * 769);
    CHECK(model_of(kDeberta).layers.front().layer.attention.kind == LayerKind::None);
  }

  // The paper (arXiv 2003.10555, table 6): 14 and 110 million.
  TEST_CASE("ELECTRA's small one embeds narrower than it is") {
    const std::string small =
        R"({"architectures": ["ElectraForPreTraining"], "model_type": "electra", "hidden_size": 256,
      "embedding_size": 128, "intermediate_size": 1024, "num_hidden_layers": 12,
      "num_attention_heads": 4, "vocab_size": 30522, "type_vocab_size": 2,
      "max_position_embeddings": 512})";
    // (30522 + 512 + 2 + 2) x 128 of embeddings and their norm, 128 x 256 + 256, 12 blocks of
    // 789,760, 256 x 256 + 256 and 256 + 1 on top.
    CHECK(total_of(small) ==
          std::int64_t{31'038} * 128 + 129 * 256 + 12 * 789'760 + 257 * 256 + 257);
    CHECK(static_cast<double>(total_of(small)) == doctest::Approx(14e6).epsilon(0.04));
    std::string base = replaced(small, R"("hidden_size": 256)", R"("hidden_size": 768)");
    base = replaced(base, R"("embedding_size": 128)", R"("embedding_size": 768)");
    base = replaced(base, R"("intermediate_size": 1024)", R"("intermediate_size": 3072)");
    base = replaced(base, R"("num_attention_heads": 4)", R"("num_attention_heads": 12)");
    CHECK(static_cast<double>(total_of(base)) == doctest::Approx(110e6).epsilon(0.01));
  }

  TEST_CASE("a complaint names the number of experts as the family itself does") {
    const auto complaint = [](const std::string& type, const std::string& more) {
      const auto model = read_config(json(R"({"model_type": ")" + type +
                                          R"(", "hidden_size": 1024, "num_hidden_layers": 4,
      "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 2048,
      "moe_intermediate_size": 512, "num_experts_per_tok": 2, "vocab_size": 32000,
      "max_position_embeddings": 4096)" + more +
                                          "}"),
                                     "some/model");
      REQUIRE(!model);
      return messages(model.error());
    };
    for (const char* type : {"bailing_moe_v2", "olmoe", "hy_v3"})
      CHECK(complaint(type, "").find("'num_experts'") != std::string::npos);
    CHECK(complaint("jamba", R"(, "attn_layer_period": 2, "attn_layer_offset": 1,
      "expert_layer_period": 2, "expert_layer_offset": 1, "mamba_d_state": 16, "mamba_d_conv": 4,
      "mamba_expand": 2, "mamba_dt_rank": 64)")
              .find("'num_experts'") != std::string::npos);
    CHECK(complaint("glm4_moe", "").find("'n_routed_experts'") != std::string::npos);
    CHECK(complaint("ernie4_5_moe", "").find("'moe_num_experts'") != std::string::npos);
    CHECK(complaint("phimoe", "").find("'num_local_experts'") != std::string::npos);
  }
}
