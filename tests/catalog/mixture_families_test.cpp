// Mixtures whose classes differ from those around them, held against totals that are published of
// a checkpoint, or against their matrices summed by hand from the class.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "domain/tensors.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::domain::LayerKind;
using gpushape::domain::Model;

namespace {

const std::vector<Published> kMixtures = {
    // The Hub's safetensors metadata, with the layer for a further token.
    {"meituan-longcat/LongCat-Flash-Lite", 69'073'335'552,
     R"({"architectures": ["LongcatFlashNgramForCausalLM"], "model_type": "longcat_flash_ngram",
      "hidden_size": 3072, "ffn_hidden_size": 6144, "expert_ffn_hidden_size": 1024, "num_layers":
      14, "num_attention_heads": 32, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim":
      64, "qk_nope_head_dim": 128, "v_head_dim": 128, "n_routed_experts": 256, "moe_topk": 12,
      "zero_expert_num": 128, "ngram_vocab_size_ratio": 78, "emb_neighbor_num": 4,
      "emb_split_num": 4, "rope_theta": 5000000.0, "vocab_size": 131072,
      "max_position_embeddings": 327680, "torch_dtype": "bfloat16"})"},
    {"openai/privacy-filter", 1'399'486'865,
     R"({"architectures": ["OpenAIPrivacyFilterForTokenClassification"], "model_type":
      "openai_privacy_filter", "hidden_size": 640, "intermediate_size": 640, "num_hidden_layers":
      8, "num_attention_heads": 14, "num_key_value_heads": 2, "head_dim": 64, "num_local_experts":
      128, "num_experts_per_tok": 4, "sliding_window": 128, "attention_bias": true, "vocab_size":
      200064, "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "id2label": {"0": "O",
      "1": "1", "2": "2", "3": "3", "4": "4", "5": "5", "6": "6", "7": "7", "8": "8", "9": "9",
      "10": "10", "11": "11", "12": "12", "13": "13", "14": "14", "15": "15", "16": "16", "17":
      "17", "18": "18", "19": "19", "20": "20", "21": "21", "22": "22", "23": "23", "24": "24",
      "25": "25", "26": "26", "27": "27", "28": "28", "29": "29", "30": "30", "31": "31", "32":
      "32"}})"},
    // Every tensor in the headers of its files.
    {"JetBrains/Mellum2-12B-A2.5B-Thinking", 12'149'923'072,
     R"({"architectures": ["MellumForCausalLM"], "model_type": "mellum", "attention_bias": false,
      "head_dim": 128, "hidden_size": 2304, "intermediate_size": 7168, "layer_types":
      ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
      "mlp_layer_types": ["sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse",
      "sparse", "sparse", "sparse"], "max_position_embeddings": 131072, "moe_intermediate_size":
      896, "num_attention_heads": 32, "num_experts": 64, "num_experts_per_tok": 8,
      "num_hidden_layers": 28, "num_key_value_heads": 4, "rope_parameters": {"full_attention":
      {"rope_type": "yarn", "rope_theta": 500000.0, "factor": 16.0,
      "original_max_position_embeddings": 8192}, "sliding_attention": {"rope_type": "default",
      "rope_theta": 500000.0}}, "sliding_window": 1024, "tie_word_embeddings": false,
      "use_sliding_window": true, "vocab_size": 98304, "dtype": "bfloat16"})"},
    // The total_parameters of its index; its headers hold 2,364 values more, which are buffers.
    {"google/diffusiongemma-26B-A4B-it", 25'823'778'864,
     R"({"architectures": ["DiffusionGemmaForBlockDiffusion"], "canvas_length": 256, "model_type":
      "diffusion_gemma", "image_token_id": 258880, "text_config": {"final_logit_softcapping":
      30.0, "global_head_dim": 512, "head_dim": 256, "hidden_size": 2816, "intermediate_size":
      2112, "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "full_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "full_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "full_attention"], "max_position_embeddings":
      262144, "model_type": "diffusion_gemma_text", "moe_intermediate_size": 704,
      "num_attention_heads": 16, "num_experts": 128, "num_global_key_value_heads": 2,
      "num_hidden_layers": 30, "num_key_value_heads": 8, "rope_parameters": {"full_attention":
      {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
      "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}, "sliding_window":
      1024, "tie_word_embeddings": true, "top_k_experts": 8, "use_bidirectional_attention":
      "vision", "vocab_size": 262144}, "tie_word_embeddings": true, "vision_config": {"head_dim":
      72, "hidden_size": 1152, "intermediate_size": 4304, "model_type": "gemma4_vision",
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 16, "pooling_kernel_size":
      3, "position_embedding_size": 10240, "standardize": true, "use_clipped_linears": false,
      "default_output_length": 280}, "vision_soft_tokens_per_image": 280, "dtype": "bfloat16"})"},
    // Published as 518,983,059,456 parameters; the corrections of 60 routers, 192 each, are not in
    // that count.
    {"skt/A.X-K1", 518'983'059'456 + 60 * 192,
     R"({"architectures": ["AXK1ForCausalLM"], "model_type": "AXK1", "vocab_size": 163840,
      "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
      "num_hidden_layers": 61, "num_attention_heads": 64, "num_key_value_heads": 64,
      "n_shared_experts": 1, "n_routed_experts": 192, "kv_lora_rank": 512, "q_lora_rank": 1536,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128, "topk_method":
      "noaux_tc", "num_experts_per_tok": 8, "moe_layer_freq": 1, "first_k_dense_replace": 1,
      "max_position_embeddings": 131072, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16"})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a mixture has the parameters of its checkpoint") { check_totals(kMixtures); }

  // The card: 68.5 billion, 2.9 to 4.5 of them active, as many experts have no weights.
  TEST_CASE("LongCat-Flash-Lite reads a few rows of its tables of n-grams") {
    const Model model = model_of(config_of(kMixtures, "meituan-longcat/LongCat-Flash-Lite"));
    // Twelve tables of 78 x 131,072 + 1, + 3 … + 23 rows of 256 values.
    constexpr std::int64_t kTables = (std::int64_t{12} * 78 * 131'072 + 144) * 256;
    CHECK(model.layers.front().layer.extra.back().rows * 256 == kTables);
    CHECK(static_cast<double>(model.parameters.active) < 5e9);
  }

  TEST_CASE("the privacy filter keeps no cache") {
    const std::string config = config_of(kMixtures, "openai/privacy-filter");
    CHECK(caching_layers(model_of(config)) == 0);
    // Its 33 labels, counted in place of a list.
    const std::string counted =
        config.substr(0, config.find(R"("id2label")")) + R"("num_labels": 33})";
    CHECK(parameters_of(model_of(counted)) == 1'399'486'865);
  }

  // By hand, of transformers' modeling_jetmoe.py. The paper (arXiv 2404.07413): 8.52 billion, 2.2
  // of them active.
  TEST_CASE("JetMoE's queries and outputs are experts' as well") {
    const Model model = model_of(
        R"({"architectures": ["JetMoEForCausalLM"], "model_type": "jetmoe", "hidden_size": 2048,
      "ffn_hidden_size": 5632, "num_layers": 24, "num_key_value_heads": 16, "kv_channels": 128,
      "moe_num_experts": 8, "moe_top_k": 2, "vocab_size": 32000, "n_positions": 4096,
      "rope_theta": 10000.0, "torch_dtype": "bfloat16"})");
    constexpr std::int64_t kNetwork = std::int64_t{8} * 3 * 2048 * 5632 + 8 * 2048 + 2048;
    constexpr std::int64_t kAttention = 8 * 2 * 2048 * 2048 + 8 * 2048 + 2048 + 2048 * 4096;
    CHECK(parameters_of(model) ==
          24 * (kNetwork + kAttention + 2 * 2048) + std::int64_t{32'000} * 2048 + 2048);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(8.52e9).epsilon(0.001));
    CHECK(static_cast<double>(model.parameters.active) == doctest::Approx(2.2e9).epsilon(0.07));
    CHECK(model.layers.front().layer.attention.heads == 32);
    CHECK(model.layers.front().layer.attention.kv_heads == 16);
  }

  TEST_CASE("Mellum 2 sees everything in every fourth layer") {
    const Model model = model_of(config_of(kMixtures, "JetBrains/Mellum2-12B-A2.5B-Thinking"));
    CHECK(layers_of_kind(model, LayerKind::Full) == 7);
    CHECK(model.layers.front().layer.attention.window_tokens == 1024);
    CHECK(static_cast<double>(model.parameters.active) == doctest::Approx(2.5e9).epsilon(0.1));
  }

  // By hand, of vLLM's param2moe.py; the name says 17 billion, 2.4 of them active.
  TEST_CASE("Param2 counts the width of its shared experts together") {
    const Model model = model_of(
        R"({"architectures": ["Param2MoEForCausalLM"], "model_type": "param2moe", "vocab_size":
      128008, "hidden_size": 2048, "intermediate_size": 9216, "num_hidden_layers": 21,
      "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
      "max_position_embeddings": 4096, "tie_word_embeddings": true, "use_qkv_bias": false,
      "use_bias": false, "first_k_dense_replace": 1, "num_experts": 64, "num_shared_experts": 2,
      "num_experts_per_tok": 6, "moe_intermediate_size": 2048,
      "moe_shared_expert_intermediate_size": 4096, "moe_router_enable_expert_bias": true,
      "use_qk_norm": true, "num_nextn_predict_layers": 0, "rope_theta": 1000000.0, "torch_dtype":
      "bfloat16"})");
    constexpr std::int64_t kAttention = 48 * 64 * 2048 + 2048 * 2048 + 2 * 64 + 2 * 2048;
    constexpr std::int64_t kMixture =
        std::int64_t{64} * 3 * 2048 * 2048 + 3 * 2048 * 4096 + 64 * 2048 + 64;
    CHECK(parameters_of(model) ==
          21 * kAttention + 20 * kMixture + 3 * 2048 * 9216 + std::int64_t{128'008} * 2048 + 2048);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(17e9).epsilon(0.02));
  }

  // By hand, of vLLM's sarvam.py, in the sizes that SarvamMLAConfig and its card have: 105 billion.
  TEST_CASE("Sarvam 105B has latents without a narrow query") {
    const Model model = model_of(
        R"({"architectures": ["SarvamMLAForCausalLM"], "model_type": "sarvam_mla", "vocab_size":
      262144, "hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 32,
      "num_attention_heads": 64, "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim":
      128, "qk_rope_head_dim": 64, "v_head_dim": 128, "num_experts": 128, "num_shared_experts": 1,
      "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "first_k_dense_replace": 1,
      "max_position_embeddings": 131072, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16"})");
    constexpr std::int64_t kAttention =
        std::int64_t{64} * 192 * 4096 + 576 * 4096 + 512 + 64 * 256 * 512 + 4096 * 8192 + 2 * 4096;
    constexpr std::int64_t kMixture = std::int64_t{129} * 3 * 4096 * 2048 + 128 * 4096 + 128;
    CHECK(parameters_of(model) == 32 * kAttention + 31 * kMixture + 3 * 4096 * 16'384 +
                                      std::int64_t{2} * 262'144 * 4096 + 4096);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(105e9).epsilon(0.02));
    CHECK(layers_of_kind(model, LayerKind::Latent) == 32);
  }

  // By hand, of vLLM's bailing_moe.py, which vLLM serves Sarvam 30B with. 128.6 GB in float32.
  TEST_CASE("Sarvam 30B is a mixture as Ling's") {
    const Model model = model_of(
        R"({"architectures": ["SarvamMoEForCausalLM"], "model_type": "sarvam_moe", "vocab_size":
      262144, "hidden_size": 4096, "intermediate_size": 8192, "num_hidden_layers": 19,
      "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 64, "use_qkv_bias": false,
      "use_bias": false, "num_experts": 128, "num_shared_experts": 1, "num_experts_per_tok": 6,
      "moe_intermediate_size": 1024, "moe_shared_expert_intermediate_size": 1024,
      "moe_router_enable_expert_bias": true, "first_k_dense_replace": 1, "use_qk_norm": true,
      "max_position_embeddings": 131072, "rope_theta": 8000000.0, "tie_word_embeddings": false,
      "torch_dtype": "float32"})");
    constexpr std::int64_t kAttention = 72 * 64 * 4096 + 4096 * 4096 + 2 * 64 + 2 * 4096;
    constexpr std::int64_t kMixture = std::int64_t{129} * 3 * 4096 * 1024 + 128 * 4096 + 128;
    CHECK(parameters_of(model) == 19 * kAttention + 18 * kMixture + 3 * 4096 * 8192 +
                                      std::int64_t{2} * 262'144 * 4096 + 4096);
    CHECK(4 * static_cast<double>(parameters_of(model)) == doctest::Approx(128.6e9).epsilon(0.001));
  }

  // By hand, of vLLM's openpangu.py, in the sizes of openPangu-Ultra-MoE-718B.
  TEST_CASE("openPangu Ultra has norms on both sides of attention and network") {
    const std::string config =
        R"({"architectures": ["PanguUltraMoEForCausalLM"], "model_type": "pangu_ultra_moe",
      "vocab_size": 153600, "hidden_size": 7680, "intermediate_size": 18432,
      "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128,
      "num_key_value_heads": 128, "n_shared_experts": 1, "n_routed_experts": 256,
      "num_experts_per_tok": 8, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "first_k_dense_replace": 3, "sandwich_norm": true,
      "max_position_embeddings": 131072, "rope_theta": 25600000, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})";
    const Model model = model_of(config);
    constexpr std::int64_t kAttention = std::int64_t{1536} * 7680 + 1536 + 128 * 192 * 1536 +
                                        576 * 7680 + 512 + 128 * 256 * 512 + 16'384 * 7680;
    constexpr std::int64_t kMixture = std::int64_t{257} * 3 * 7680 * 2048 + 256 * 7680;
    CHECK(parameters_of(model) == 61 * (kAttention + 4 * 7680) + 58 * kMixture +
                                      3 * std::int64_t{3} * 7680 * 18'432 +
                                      std::int64_t{2} * 153'600 * 7680 + 7680);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(718e9).epsilon(0.002));
    const Model plain = model_of(
        replaced(config, R"("sandwich_norm": true)", R"("router_enable_expert_bias": true)"));
    CHECK(parameters_of(model) - parameters_of(plain) == 61 * 2 * 7680 - 58 * 256);
  }

  // By hand, of vllm-ascend's pangu_moe.py, in the sizes of Pangu Pro: 72 billion, 16 of them
  // active.
  TEST_CASE("Pangu Pro scales the scores of its router") {
    const Model model = model_of(
        R"({"architectures": ["PanguProMoEForCausalLM"], "model_type": "PanguProMoE", "vocab_size":
      153376, "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
      "num_key_value_heads": 8, "num_experts": 64, "num_experts_per_tok": 8,
      "moe_intermediate_size": 1344, "shared_expert_intermediate_size": 5376,
      "max_position_embeddings": 131072, "rope_theta": 16000000.0, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})");
    constexpr std::int64_t kAttention =
        std::int64_t{56} * 128 * 5120 + 56 * 128 + 5120 * 5120 + 5120 + 2 * 5120;
    constexpr std::int64_t kMixture =
        std::int64_t{64} * 3 * 5120 * 1344 + 3 * 5120 * 5376 + 64 * 5120 + 64;
    CHECK(parameters_of(model) ==
          48 * (kAttention + kMixture) + std::int64_t{2} * 153'376 * 5120 + 5120);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(72e9).epsilon(0.001));
  }
}
