// Families of which no checkpoint counts its parameters: configs held against what their
// publishers' cards, or an engine that loads them, say.
#include <doctest/doctest.h>

#include <cstdint>

#include "catalog/config.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;

TEST_SUITE("catalog") {
  // Phi-3-small stores 32 x 64 inv_freq values besides; Snowflake's model card: 480 B, of which 10
  // B dense and 128 x 3.66 B experts; Upstage's: 102.6 B.
  TEST_CASE("families whose checkpoints are published otherwise have what their cards say") {
    const auto total = [](const char* config) {
      const auto model = read_config(json(config), "them/it");
      REQUIRE(model);
      return model->parameters.total;
    };
    CHECK(
        total(
            R"({"architectures": ["Phi3SmallForCausalLM"], "model_type": "phi3small", "hidden_size":
      4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
      "ff_intermediate_size": 14336, "vocab_size": 100352, "max_position_embeddings": 8192,
      "rope_embedding_base": 1000000, "torch_dtype": "bfloat16"})") ==
        7'392'274'432 - std::int64_t{32} * 64);
    CHECK(
        static_cast<double>(total(
            R"({"architectures": ["ArcticForCausalLM"], "model_type": "arctic", "hidden_size": 7168,
      "num_hidden_layers": 35, "num_attention_heads": 56, "num_key_value_heads": 8,
      "intermediate_size": 4864, "num_local_experts": 128, "num_experts_per_tok": 2,
      "moe_layer_frequency": 1, "vocab_size": 32000, "max_position_embeddings": 4096,
      "rope_theta": 10000, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})")) ==
        doctest::Approx(10e9 + 128 * 3.66e9).epsilon(0.002));
    // SGLang 0.5.2rc2 counts 269.56 B on eight ranks, each with all routers (64 x 8 x 8,192) and
    // norms (64 x 4 x 8,192 + 8,192): 7 x 6.30 M more than the model has.
    CHECK(
        static_cast<double>(
            total(
                R"({"architectures": ["Grok1ForCausalLM"], "model_type": "git", "hidden_size": 8192,
      "num_hidden_layers": 64, "num_attention_heads": 64, "num_key_value_heads": 8,
      "head_dim": 128, "intermediate_size": 32768, "moe_intermediate_size": 16384,
      "num_local_experts": 8, "num_experts_per_tok": 2, "residual_moe": true,
      "vocab_size": 131072, "max_position_embeddings": 131072, "rope_theta": 208533496,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})") +
            7 * (64 * 12 * 8192 + 8192)) == doctest::Approx(269.56e9).epsilon(0.00002));
    CHECK(
        static_cast<double>(total(
            R"({"architectures": ["SolarOpenForCausalLM"], "model_type": "solar_open", "hidden_size":
      4096, "num_hidden_layers": 48, "num_attention_heads": 64, "num_key_value_heads": 8,
      "head_dim": 128, "intermediate_size": 10240, "moe_intermediate_size": 1280,
      "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8,
      "first_k_dense_replace": 0, "vocab_size": 196608, "max_position_embeddings": 262144,
      "use_qk_norm": false, "attention_bias": false, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})")) == doctest::Approx(102.6e9).epsilon(0.001));
    // GLM-5.3-Flash: 642 GB in 16 bits.
    CHECK(static_cast<double>(total(
              R"({"model_type": "glm5_next", "architectures": ["Glm5NextForConditionalGeneration"],
      "text_config": {"model_type": "glm5_next_text", "vocab_size": 154880, "hidden_size": 4096,
      "intermediate_size": 12288, "num_hidden_layers": 45, "num_attention_heads": 64,
      "num_key_value_heads": 64, "moe_intermediate_size": 2048, "n_routed_experts": 288,
      "n_shared_experts": 1, "num_experts_per_tok": 8, "hc_mult": 4, "mla_use_nope": true,
      "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 256, "qk_rope_head_dim": 0,
      "v_head_dim": 256, "index_n_heads": 32, "index_head_dim": 128, "index_topk": 2048,
      "index_kpool": 4, "index_kpool_compress": true, "index_kpool_always_select_tail": true,
      "num_nextn_predict_layers": 1, "max_position_embeddings": 1048576, "tie_word_embeddings":
      false, "mlp_layer_types": ["dense", "dense", "dense", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse"], "linear_attn_config": {"num_heads": 64, "head_dim": 128,
      "short_conv_kernel_size": 4, "gate_lower_bound": -5.0}, "full_attention_interval": 4},
      "vision_config": {"model_type": "glm5_next_vision", "depth": 24, "hidden_size": 1024,
      "intermediate_size": 4096, "num_heads": 16, "image_size": 448, "patch_size": 14,
      "temporal_patch_size": 2, "spatial_merge_size": 2, "out_hidden_size": 4096,
      "projection_intermediate_size": 10240}, "tie_word_embeddings": false, "dtype": "bfloat16"})")) ==
          doctest::Approx(642e9 / 2).epsilon(0.0015));
    // GLM-OCR: a download of 2.65 GB in 16 bits, with the layer that predicts a further token.
    CHECK(static_cast<double>(total(
              R"({"model_type": "glm_ocr", "architectures": ["GlmOcrForConditionalGeneration"],
      "text_config": {"model_type": "glm_ocr_text", "vocab_size": 59392, "attention_bias": false,
      "head_dim": 128, "hidden_size": 1536, "intermediate_size": 4608, "max_position_embeddings":
      131072, "num_attention_heads": 16, "num_hidden_layers": 16, "num_nextn_predict_layers": 1,
      "num_key_value_heads": 8, "rope_parameters": {"rope_type": "default", "mrope_section": [16,
      24, 24], "partial_rotary_factor": 1.0, "rope_theta": 10000}, "dtype": "bfloat16",
      "tie_word_embeddings": false}, "vision_config": {"model_type": "glm_ocr_vision", "depth": 24,
      "hidden_size": 1024, "num_heads": 16, "attention_bias": true, "intermediate_size": 4096,
      "image_size": 336, "patch_size": 14, "out_hidden_size": 1536, "spatial_merge_size": 2,
      "temporal_patch_size": 2}})")) == doctest::Approx(2.65e9 / 2).epsilon(0.002));
  }
}
