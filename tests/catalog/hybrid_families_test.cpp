// Hybrids whose classes differ from those around them, held against totals that are published of
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
using gpushape::domain::OutputGate;
using gpushape::domain::RecurrentKind;

namespace {

const std::vector<Published> kHybrids = {
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
    {"microsoft/Phi-4-mini-flash-reasoning", 3'852'562'944,
     R"({"architectures": ["Phi4FlashForCausalLM"], "model_type": "phi4flash", "hidden_size": 2560,
      "intermediate_size": 10240, "num_hidden_layers": 32, "num_attention_heads": 40,
      "num_key_value_heads": 20, "vocab_size": 200064, "max_position_embeddings": 262144,
      "sliding_window": 512, "mb_per_layer": 2, "tie_word_embeddings": true, "torch_dtype":
      "bfloat16"})"},
    // The Hub's safetensors metadata.
    {"google/recurrentgemma-2b", 2'682'862'080,
     R"({"_block_types": ["recurrent", "recurrent", "attention"], "architectures":
      ["RecurrentGemmaForCausalLM"], "attention_bias": false, "attention_window_size": 2048,
      "conv1d_width": 4, "head_dim": 256, "hidden_size": 2560, "intermediate_size": 15360,
      "lru_width": 2560, "model_type": "recurrent_gemma", "num_attention_heads": 10,
      "num_hidden_layers": 26, "num_key_value_heads": 1, "partial_rotary_factor": 0.5,
      "rope_theta": 10000.0, "vocab_size": 256000, "torch_dtype": "bfloat16"})"},
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

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a hybrid has the parameters of its checkpoint") { check_totals(kHybrids); }

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
    const Model model = model_of(config_of(kHybrids, "inclusionAI/Ling-3.0-tiny"));
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
    const Model model = model_of(config_of(kHybrids, "microsoft/Phi-4-mini-flash-reasoning"));
    CHECK(layers_of_kind(model, LayerKind::Sliding) == 8);
    CHECK(caching_layers(model) == 9);
    std::int64_t mixers = 0;
    for (const auto& run : model.layers) {
      if (run.layer.recurrent) mixers += run.count;
    }
    CHECK(mixers == 9);
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
    const Model model = model_of(config_of(kHybrids, "google/recurrentgemma-2b"));
    CHECK(layers_of_kind(model, LayerKind::Sliding) == 8);
    CHECK(model.layers.front().layer.recurrent->kind == RecurrentKind::Griffin);
    CHECK(model.layers.front().layer.feed_forward.width == 7680);
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
}
