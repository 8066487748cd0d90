// Mixtures and hybrids whose classes differ from those around them, held against totals that are
// published of a checkpoint, or against their matrices summed by hand from the class.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "domain/tensors.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::domain::LayerKind;
using gpushape::domain::Model;
using gpushape::domain::OutputGate;
using gpushape::domain::RecurrentKind;

namespace {

const std::vector<Published> kMixturesAndHybrids = {
    // The Hub's safetensors metadata.
    {"inclusionAI/Ling-3.0-tiny", 7'893'392'800,
     R"({"architectures": ["BailingMoeV3ForCausalLM"], "model_type": "bailing_hybrid",
      "hidden_size": 1536, "intermediate_size": 4608, "num_hidden_layers": 24,
      "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 128, "vocab_size": 157184,
      "max_position_embeddings": 131072, "rope_theta": 6000000, "tie_word_embeddings": false,
      "layer_group_size": 4, "first_k_dense_replace": 1, "num_experts": 128,
      "num_experts_per_tok": 8, "num_shared_experts": 1, "moe_intermediate_size": 512,
      "moe_shared_expert_intermediate_size": 512, "moe_router_enable_expert_bias": true,
      "short_conv_kernel_size": 4, "no_kda_lora": true, "kda_safe_gate": true, "kda_lower_bound":
      -5.0, "gated_attention_proj_granularity_type": "head_wise", "qk_head_dim": 192,
      "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "q_lora_rank": 256,
      "kv_lora_rank": 512, "torch_dtype": "bfloat16"})"},
    // Likewise, with the layer for a further token.
    {"meituan-longcat/LongCat-Flash-Lite", 69'073'335'552,
     R"({"architectures": ["LongcatFlashNgramForCausalLM"], "model_type": "longcat_flash_ngram",
      "hidden_size": 3072, "ffn_hidden_size": 6144, "expert_ffn_hidden_size": 1024, "num_layers":
      14, "num_attention_heads": 32, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim":
      64, "qk_nope_head_dim": 128, "v_head_dim": 128, "n_routed_experts": 256, "moe_topk": 12,
      "zero_expert_num": 128, "ngram_vocab_size_ratio": 78, "emb_neighbor_num": 4,
      "emb_split_num": 4, "rope_theta": 5000000.0, "vocab_size": 131072,
      "max_position_embeddings": 327680, "torch_dtype": "bfloat16"})"},
    {"microsoft/Phi-4-mini-flash-reasoning", 3'852'562'944,
     R"({"architectures": ["Phi4FlashForCausalLM"], "model_type": "phi4flash", "hidden_size": 2560,
      "intermediate_size": 10240, "num_hidden_layers": 32, "num_attention_heads": 40,
      "num_key_value_heads": 20, "vocab_size": 200064, "max_position_embeddings": 262144,
      "sliding_window": 512, "mb_per_layer": 2, "tie_word_embeddings": true, "torch_dtype":
      "bfloat16"})"},
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
    // The Hub's safetensors metadata.
    {"google/recurrentgemma-2b", 2'682'862'080,
     R"({"_block_types": ["recurrent", "recurrent", "attention"], "architectures":
      ["RecurrentGemmaForCausalLM"], "attention_bias": false, "attention_window_size": 2048,
      "conv1d_width": 4, "head_dim": 256, "hidden_size": 2560, "intermediate_size": 15360,
      "lru_width": 2560, "model_type": "recurrent_gemma", "num_attention_heads": 10,
      "num_hidden_layers": 26, "num_key_value_heads": 1, "partial_rotary_factor": 0.5,
      "rope_theta": 10000.0, "vocab_size": 256000, "torch_dtype": "bfloat16"})"},
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

const std::string kRingMini =
    R"({"architectures": ["BailingMoeLinearV2ForCausalLM"], "first_k_dense_replace": 1,
      "group_norm_size": 4, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048,
      "intermediate_size": 5120, "layer_group_size": 5, "linear_silu": false,
      "max_position_embeddings": 131072, "model_type": "bailing_moe_linear",
      "moe_intermediate_size": 512, "moe_router_enable_expert_bias": true,
      "moe_shared_expert_intermediate_size": 512, "n_group": 8, "norm_topk_prob": true,
      "num_attention_heads": 16, "num_experts": 256, "num_experts_per_tok": 8,
      "num_hidden_layers": 20, "num_key_value_heads": 4, "num_nextn_predict_layers": 0,
      "num_shared_experts": 1, "partial_rotary_factor": 0.5, "rope_scaling": null, "rope_theta":
      1000000, "router_dtype": "fp32", "score_function": "sigmoid", "tie_word_embeddings": false,
      "topk_group": 4, "torch_dtype": "bfloat16", "use_bias": false, "use_qk_norm": true,
      "use_qkv_bias": false, "use_rmsnorm": true, "vocab_size": 157184})";

const std::string kPlamo =
    R"({"architectures": ["Plamo2ForCausalLM"], "model_type": "plamo2", "hidden_size": 2048,
      "num_hidden_layers": 16, "tie_word_embeddings": true, "num_attention_heads": 16,
      "num_key_value_heads": 1, "hidden_size_per_head": 128, "max_position_embeddings": 10485760,
      "attention_window_size": 2048, "mamba_d_state": 64, "mamba_d_conv": 4, "mamba_num_heads":
      32, "mamba_step": 2, "mamba_chunk_size": 256, "mamba_enabled": true, "intermediate_size":
      8192, "vocab_size": 100000, "torch_dtype": "bfloat16"})";

std::int64_t parameters_of(const Model& model) { return model.parameters.total; }

std::int64_t layers_of_kind(const Model& model, LayerKind kind) {
  std::int64_t count = 0;
  for (const auto& run : model.layers) {
    if (run.layer.attention.kind == kind) count += run.count;
  }
  return count;
}

std::string config_of(const std::string& id) {
  for (const Published& row : kMixturesAndHybrids) {
    if (row.id == id) return row.config;
  }
  FAIL(id);
  return {};
}

std::int64_t caching_layers(const Model& model) {
  std::int64_t count = 0;
  for (const auto& run : model.layers) {
    const auto& attention = run.layer.attention;
    if (attention.heads > 0 && attention.kind != LayerKind::None && !attention.shares_cache)
      count += run.count;
  }
  return count;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a mixture or hybrid has the parameters of its checkpoint") {
    check_totals(kMixturesAndHybrids);
  }

  // The card: 16.4 billion. By hand, of SGLang's bailing_moe_linear.py: linear layers of 3 x 2048 x
  // 2048 + 2 x 128 (queries, keys, values and norms) + 2048 x 2048 (gate) + 2048 (norm) + 2048 x
  // 2048; every fifth of (16 + 8) x 128 x 2048 + 2 x 128 + 2048 x 2048.
  TEST_CASE("Ring-linear keeps a matrix a head, and every fifth layer heads of keys") {
    const Model model = model_of(kRingMini);
    constexpr std::int64_t kLinear = 5 * 2048 * 2048 + 2 * 128 + 2048;
    constexpr std::int64_t kFull = 24 * 128 * 2048 + 2 * 128 + 2048 * 2048;
    constexpr std::int64_t kMixture = std::int64_t{257} * 3 * 2048 * 512 + 256 * 2048 + 256;
    CHECK(parameters_of(model) == 16 * kLinear + 4 * kFull + 19 * kMixture + 3 * 2048 * 5120 +
                                      20 * 2 * 2048 + std::int64_t{2} * 157184 * 2048 + 2048);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(16.4e9).epsilon(0.003));
    CHECK(layers_of_kind(model, LayerKind::Full) == 4);
    CHECK(model.layers.front().layer.recurrent->kind == RecurrentKind::Lightning);
    CHECK(model.layers.front().layer.recurrent->state_bits == 16);
    CHECK(model.rope.rotary_dim == 64);
  }

  // vLLM's BailingMoeV25MLAAttention for the full layers, in the sizes of Ling-2.6-flash's card
  // (104 billion): q_lora 1536, latents of 512 + 64, 32 heads of 128.
  TEST_CASE("Ling 2.5 has latents in place of Ring-linear's heads") {
    std::string config = replaced(kRingMini, "BailingMoeLinearV2", "BailingMoeV2_5");
    config = replaced(config, "bailing_moe_linear", "bailing_hybrid");
    config = replaced(config, R"("hidden_size": 2048)", R"("hidden_size": 4096)");
    config = replaced(config, R"("num_attention_heads": 16)",
                      R"("num_attention_heads": 32, "q_lora_rank": 1536, "kv_lora_rank": 512,
      "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128)");
    config = replaced(config, R"("num_key_value_heads": 4)", R"("num_key_value_heads": 32)");
    config = replaced(config, R"("layer_group_size": 5)", R"("layer_group_size": 8)");
    config = replaced(config, R"("num_hidden_layers": 20)", R"("num_hidden_layers": 32)");
    config = replaced(config, R"("intermediate_size": 5120)", R"("intermediate_size": 9216)");
    config =
        replaced(config, R"("moe_intermediate_size": 512)", R"("moe_intermediate_size": 1024)");
    config = replaced(config, R"("moe_shared_expert_intermediate_size": 512)",
                      R"("moe_shared_expert_intermediate_size": 1024)");
    const Model model = model_of(config);
    constexpr std::int64_t kLinear = std::int64_t{5} * 4096 * 4096 + 2 * 128 + 4096;
    constexpr std::int64_t kLatent = std::int64_t{1536} * 4096 + 1536 + 32 * 192 * 1536 +
                                     576 * 4096 + 512 + 32 * 256 * 512 + 4096 * 4096;
    constexpr std::int64_t kMixture = std::int64_t{257} * 3 * 4096 * 1024 + 256 * 4096 + 256;
    CHECK(parameters_of(model) == 28 * kLinear + 4 * kLatent + 31 * kMixture + 3 * 4096 * 9216 +
                                      32 * 2 * 4096 + std::int64_t{2} * 157184 * 4096 + 4096);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(104e9).epsilon(0.01));
    CHECK(layers_of_kind(model, LayerKind::Latent) == 4);
  }

  TEST_CASE("Ling 3.0 gates every head of its latents, and its delta layers by whole matrices") {
    const Model model = model_of(config_of("inclusionAI/Ling-3.0-tiny"));
    CHECK(layers_of_kind(model, LayerKind::Latent) == 6);
    const auto& delta = model.layers.front().layer;
    REQUIRE(delta.recurrent);
    CHECK(delta.recurrent->kind == RecurrentKind::Kda);
    CHECK(delta.recurrent->rank == 0);
    for (const auto& run : model.layers) {
      if (run.layer.attention.latent) CHECK(run.layer.attention.output_gate == OutputGate::Head);
    }
  }

  // By hand, of vLLM's plamo2.py; the card says 1.29 billion.
  TEST_CASE("PLaMo 2 has Mamba-2's heads and Mamba's projections") {
    const Model model = model_of(kPlamo);
    constexpr std::int64_t kInner = 32 * 128;
    constexpr std::int64_t kRank = 2048 / 16;
    // conv1d, in_proj, bcdt_proj, dt_proj, A and D and dt_bias, out_proj, three norms.
    constexpr std::int64_t kMamba = kInner * 4 + 2 * kInner * 2048 + (kRank + 128) * kInner +
                                    32 * kRank + 3 * 32 + 2048 * kInner + kRank + 128;
    // qkv_proj, o_proj, a norm for 16 and one heads.
    constexpr std::int64_t kFull = 18 * 128 * 2048 + 2048 * 2048 + 17 * 128;
    constexpr std::int64_t kOther = 3 * 2048 * 8192 + 4 * 2048;
    CHECK(parameters_of(model) ==
          8 * kMamba + 8 * kFull + 16 * kOther + std::int64_t{100'000} * 2048 + 2048);
    CHECK(static_cast<double>(parameters_of(model)) == doctest::Approx(1.29e9).epsilon(0.002));
    CHECK(layers_of_kind(model, LayerKind::Full) == 8);
    CHECK(model.layers.front().layer.recurrent->groups == 0);
  }

  TEST_CASE("Phi-4-mini-flash caches eight windows and one whole context") {
    const Model model = model_of(config_of("microsoft/Phi-4-mini-flash-reasoning"));
    CHECK(layers_of_kind(model, LayerKind::Sliding) == 8);
    CHECK(caching_layers(model) == 9);
    std::int64_t mixers = 0;
    for (const auto& run : model.layers) {
      if (run.layer.recurrent) mixers += run.count;
    }
    CHECK(mixers == 9);
  }

  // The card: 68.5 billion, 2.9 to 4.5 of them active, as many experts have no weights.
  TEST_CASE("LongCat-Flash-Lite reads a few rows of its tables of n-grams") {
    const Model model = model_of(config_of("meituan-longcat/LongCat-Flash-Lite"));
    // Twelve tables of 78 x 131,072 + 1, + 3 … + 23 rows of 256 values.
    constexpr std::int64_t kTables = (std::int64_t{12} * 78 * 131'072 + 144) * 256;
    CHECK(model.layers.front().layer.extra.back().rows * 256 == kTables);
    CHECK(static_cast<double>(model.parameters.active) < 5e9);
  }

  TEST_CASE("the privacy filter keeps no cache") {
    CHECK(caching_layers(model_of(config_of("openai/privacy-filter"))) == 0);
  }

  // By hand, of transformers' modeling_zamba.py; Zyphra's card: 7 billion.
  TEST_CASE("the first Zamba runs one block of attention in thirteen of its layers") {
    const Model model = model_of(
        R"({"architectures": ["ZambaForCausalLM"], "model_type": "zamba", "vocab_size": 32000,
      "hidden_size": 3712, "attention_hidden_size": 7424, "attention_head_dim": 464,
      "intermediate_size": 14848, "num_hidden_layers": 76, "num_attention_heads": 16,
      "num_key_value_heads": 16, "n_mamba_heads": 2, "mamba_d_state": 16, "mamba_d_conv": 4,
      "mamba_expand": 2, "mamba_dt_rank": 232, "mamba_conv_bias": true, "mamba_proj_bias": false,
      "attn_layer_period": 6, "attn_layer_offset": 4, "max_position_embeddings": 4096,
      "rope_theta": 10000, "tie_word_embeddings": true, "torch_dtype": "bfloat16"})");
    // in_proj, conv1d, x_proj of two heads, dt_proj and bias, A and D, out_proj, norm.
    constexpr std::int64_t kMamba = std::int64_t{14'848} * 3712 + 7424 * 5 + 2 * 264 * 3712 +
                                    2 * 3712 * 233 + 2 * 3712 * 17 + std::int64_t{3712} * 7424 +
                                    3712;
    // Queries, keys and values of what is twice as wide, output, network, norms of 7424 and 3712.
    constexpr std::int64_t kShared = std::int64_t{3} * 7424 * 7424 + std::int64_t{3712} * 7424 +
                                     std::int64_t{3} * 3712 * 14'848 + 7424 + 3712;
    CHECK(parameters_of(model) == 76 * kMamba + 13 * std::int64_t{3712} * 3712 + kShared +
                                      std::int64_t{32'000} * 3712 + 3712);
    CHECK(caching_layers(model) == 13);
  }

  TEST_CASE("RecurrentGemma keeps one value a channel, and windows in every third layer") {
    const Model model = model_of(config_of("google/recurrentgemma-2b"));
    CHECK(layers_of_kind(model, LayerKind::Sliding) == 8);
    CHECK(model.layers.front().layer.recurrent->kind == RecurrentKind::Griffin);
    CHECK(model.layers.front().layer.feed_forward.width == 7680);
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
    const Model model = model_of(config_of("JetBrains/Mellum2-12B-A2.5B-Thinking"));
    CHECK(layers_of_kind(model, LayerKind::Full) == 7);
    CHECK(model.layers.front().layer.attention.window_tokens == 1024);
    CHECK(static_cast<double>(model.parameters.active) == doctest::Approx(2.5e9).epsilon(0.1));
  }

  // By hand, of vLLM's nemotron_h.py; NVIDIA's card: 75.3 billion, 9.3 of them active.
  TEST_CASE("Puzzle's mixtures are as wide as each layer says") {
    const Model model = model_of(
        R"({"architectures": ["NemotronHPuzzleForCausalLM"], "model_type": "nemotron_h_puzzle",
      "hidden_size": 4096, "intermediate_size": 21504, "num_hidden_layers": 4,
      "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "mamba_num_heads":
      128, "mamba_head_dim": 64, "ssm_state_size": 96, "n_groups": 8, "conv_kernel": 4,
      "use_conv_bias": true, "n_routed_experts": 512, "n_shared_experts": 1,
      "moe_shared_expert_intermediate_size": 5376, "moe_latent_size": 1024, "block_configs":
      [{"block_type": "mamba"}, {"block_type": "moe", "moe_intermediate_size": 1280,
      "num_experts_per_tok": 4}, {"block_type": "attention"}, {"block_type": "moe",
      "moe_intermediate_size": 2688, "num_experts_per_tok": 12}], "mtp_block_configs":
      [{"block_type": "attention"}, {"block_type": "moe", "moe_intermediate_size": 2688,
      "num_experts_per_tok": 22}], "num_nextn_predict_layers": 1, "vocab_size": 131072,
      "max_position_embeddings": 262144, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16"})");
    constexpr std::int64_t kInner = 8192;
    constexpr std::int64_t kGroups = 2 * 8 * 96;
    constexpr std::int64_t kMamba = (2 * kInner + kGroups + 128) * 4096 + (kInner + kGroups) * 5 +
                                    3 * 128 + kInner + kInner * 4096 + 4096;
    constexpr std::int64_t kAttention = 36 * 128 * 4096 + 4096 * 4096 + 4096;
    const auto mixture = [](std::int64_t width) {
      return 512 * 4096 + 512 + 2 * 4096 * 1024 + 512 * 2 * 1024 * width + 2 * 4096 * 5376 + 4096;
    };
    constexpr std::int64_t kOuter = std::int64_t{2} * 131'072 * 4096 + 4096;
    const std::int64_t further =
        kAttention + mixture(2688) + std::int64_t{2} * 4096 * 4096 + 3 * 4096;
    CHECK(parameters_of(model) ==
          kMamba + kAttention + mixture(1280) + mixture(2688) + kOuter + further);
    CHECK(model.parameters.multi_token_prediction == further);
    // The published model: 40 mixers, 8 attentions and 40 mixtures of these widths.
    const std::int64_t published = 40 * kMamba + 8 * kAttention + 25 * mixture(1280) +
                                   4 * mixture(1536) + 3 * mixture(1792) + 1 * mixture(2048) +
                                   7 * mixture(2688) + kOuter;
    CHECK(static_cast<double>(published) == doctest::Approx(75.3e9).epsilon(0.001));
    CHECK(model.layers[1].layer.feed_forward.experts->active == 4);
    CHECK(model.layers[3].layer.feed_forward.experts->active == 12);
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
