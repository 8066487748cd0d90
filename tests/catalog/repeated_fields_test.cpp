// Published configs that say something twice, in the words of another class, or not at all where
// their class has a default.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::Model;

namespace {

// The catalog's totals of the same models, which their publishers' other configs give.
const std::vector<Published> kRepeated = {
    // mlx-community's copy says neither the words nor the longest context: Cohere2Config's.
    {"CohereLabs/aya-vision-8b", 8'631'842'032,
     R"({"architectures": ["AyaVisionForConditionalGeneration"], "model_type": "aya_vision",
      "alignment_intermediate_size": 28672, "downsample_factor": 2, "text_config": {"hidden_size":
      4096, "intermediate_size": 14336, "model_type": "cohere2", "num_attention_heads": 32,
      "num_hidden_layers": 32, "num_key_value_heads": 8, "rope_theta": 50000, "use_qk_norm": false},
      "vision_config": {"hidden_size": 1152, "image_size": 364, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
      "patch_size": 14, "vision_use_head": false}, "torch_dtype": "float16"})"},
    // Sizes of FuyuConfig's first form, repeated beside a text_config with none.
    {"adept/fuyu-8b", 9'408'238'592,
     R"({"architectures": ["FuyuForCausalLM"], "model_type": "fuyu", "hidden_size": 4096,
      "intermediate_size": 16384, "max_position_embeddings": 16384, "num_attention_heads": 64,
      "num_hidden_layers": 36, "patch_size": 30, "num_channels": 3, "qk_layernorm": true,
      "text_config": {"model_type": "persimmon"}, "tie_word_embeddings": false, "vocab_size":
      262144, "torch_dtype": "bfloat16"})"},
    // MiniMax-M2's 228,703,644,928 less the scales of its 8-bit blocks. QuantTrio's copy has the
    // type of the class that MiniMax's was made after.
    {"QuantTrio/MiniMax-M2-AWQ",
     228'703'644'928 - 62 * (256 * 3 * 24 * 12 + 2 * 24 * 48 + 2 * 24 * 8),
     R"({"architectures": ["MiniMaxM2ForCausalLM"], "model_type": "mixtral", "head_dim": 128,
      "hidden_size": 3072, "intermediate_size": 1536, "max_position_embeddings": 196608,
      "num_attention_heads": 48, "num_key_value_heads": 8, "num_hidden_layers": 62,
      "num_local_experts": 256, "num_experts_per_tok": 8, "num_mtp_modules": 3, "rotary_dim": 64,
      "rope_theta": 5000000, "use_qk_norm": true, "qk_norm_type": "per_layer",
      "use_routing_bias": true, "shared_intermediate_size": 0, "sliding_window": null,
      "tie_word_embeddings": false, "vocab_size": 200064, "torch_dtype": "float16"})"},
    // Two tables of 184622 x 4096, 32 layers of 2 x 4096 x 4096 + 2 x 4096 x 1024 + 3 x 4096 x
    // 14336 and 2 norms, a norm.
    {"BAAI/Emu3-Chat",
     std::int64_t{2} * 184'622 * 4096 +
         std::int64_t{32} * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096) +
         4096,
     R"({"architectures": ["Emu3ForCausalLM"], "model_type": "Emu3", "hidden_size": 4096,
      "image_area": 262144, "intermediate_size": 14336, "max_position_embeddings": 131072,
      "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
      "rope_scaling": null, "rope_theta": 1000000.0, "tie_word_embeddings": false, "vocab_size":
      184622, "torch_dtype": "float32"})"},
};

const std::string kErnieVision =
    R"({"architectures": ["Ernie4_5_VLMoeForConditionalGeneration"], "model_type":
      "ernie4_5_moe_vl", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
      "num_key_value_heads": 2, "num_hidden_layers": 4, "moe_num_experts": [8, 8],
      "moe_intermediate_size": [32, 16], "moe_k": 2, "moe_num_shared_experts": 2,
      "moe_layer_start_index": [1, 1], "moe_layer_end_index": [2, 2], "vocab_size": 100,
      "max_position_embeddings": 1024, "torch_dtype": "bfloat16"})";

const std::string kDogeMixture =
    R"({"architectures": ["DogeForCausalLM"], "model_type": "doge", "hidden_size": 512,
      "intermediate_size": 1024, "num_attention_heads": 4, "num_key_value_heads": 2,
      "num_hidden_layers": 16, "is_moe": true, "num_experts": 4096, "num_experts_per_tok": 32,
      "max_position_embeddings": 2048, "tie_word_embeddings": true, "vocab_size": 32768,
      "torch_dtype": "float32"})";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a config that says something twice or by default is the same model") {
    check_totals(kRepeated);
    CHECK(model_of(kRepeated[0].config).max_context_tokens == 8192);
  }

  TEST_CASE("a borrowed type is no family's: the class tells it") {
    CHECK(model_of(config_of(kRepeated, "QuantTrio/MiniMax-M2-AWQ")).family == "minimax_m2");
  }

  TEST_CASE("ERNIE's first and last mixtures may be one number for text and images") {
    std::string numbers = replaced(kErnieVision, "[1, 1]", "1");
    numbers = replaced(numbers, "[2, 2]", "2");
    CHECK(model_of(numbers).layers == model_of(kErnieVision).layers);
  }

  TEST_CASE("Nemotron-H may repeat the state's size in Megatron's word") {
    const std::string config = R"({"architectures": ["NemotronHForCausalLM"], "model_type":
      "nemotron_h", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3,
      "hybrid_override_pattern": "M*-", "num_attention_heads": 4, "num_key_value_heads": 2,
      "attention_head_dim": 16, "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 2,
      "ssm_state_size": 32, "vocab_size": 100, "max_position_embeddings": 1024, "torch_dtype":
      "bfloat16", "use_bias": false})";
    const Model twice =
        model_of(replaced(config, R"("n_groups")", R"("mamba_d_state": 32, "n_groups")"));
    CHECK(twice.layers == model_of(config).layers);
  }

  TEST_CASE("MiniMax's layers may be listed in two forms, of which the later is taken") {
    const std::string config = R"({"architectures": ["MiniMaxForCausalLM"], "model_type":
      "minimax", "hidden_size": 1024, "intermediate_size": 3584, "num_attention_heads": 32,
      "num_key_value_heads": 8, "num_hidden_layers": 2, "num_local_experts": 8,
      "num_experts_per_tok": 2, "layer_types": ["full_attention", "linear_attention"],
      "max_position_embeddings": 32768, "vocab_size": 3200, "torch_dtype": "float32"})";
    const Model model = model_of(
        replaced(config, R"("layer_types")",
                 R"("attn_type_list": ["linear_attention", "full_attention"], "layer_types")"));
    CHECK(model.layers == model_of(config).layers);
    CHECK(caching_layers(model) == 1);
  }

  // Beside the dense network: keys for two lists of 64, and two tables of 4096 x 512.
  TEST_CASE("Doge looks experts of one row up by the product of two lists of keys") {
    const std::string dense = replaced(kDogeMixture, R"("is_moe": true)", R"("is_moe": false)");
    CHECK(parameters_of(model_of(kDogeMixture)) - parameters_of(model_of(dense)) ==
          16 * (2 * 64 * 512 + 2 * 4096 * 512));
  }

  // 32 vectors of head size in each of four: 16 x 4 x 64 more than llama's 1,235,814,400.
  TEST_CASE("DiffLlama weighs two attentions by vectors of a head's size") {
    const std::string config = R"({"architectures": ["DiffLlamaForCausalLM"], "model_type":
      "diffllama", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 64, "num_hidden_layers": 16, "attention_bias": false,
      "max_position_embeddings": 131072, "rope_theta": 500000.0, "tie_word_embeddings": true,
      "vocab_size": 128256, "torch_dtype": "float32"})";
    CHECK(parameters_of(model_of(config)) == 1'235'814'400 + 16 * 4 * 64);
  }
}
