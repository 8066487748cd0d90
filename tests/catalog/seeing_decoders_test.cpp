// Decoders with an encoder of pictures beside them, and Gemma 4's drafter, which works on the cache
// of another decoder: held against their matrices summed by hand from the class.
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

const std::string kQwen2Sizes =
    R"("hidden_size": 1536, "intermediate_size": 8960, "num_attention_heads": 12,
      "num_hidden_layers": 28, "num_key_value_heads": 2, "rope_theta": 1000000.0,
      "tie_word_embeddings": true, "use_sliding_window": false, "vocab_size": 151936)";
const std::string kSo400mSizes =
    R"({"hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
      "num_hidden_layers": 27, "patch_size": 14})";

// Qwen2.5-1.5B's 1,543,714,304; patches of 588 and their bias, 27 blocks of 15,239,504, a norm;
// 1152 x 1536 + 1536 and 1536 x 1536 + 1536.
constexpr std::int64_t kVideoLlama3 =
    1'543'714'304 + 589 * 1152 + 27 * 15'239'504 + 2304 + 1153 * 1536 + 1537 * 1536;

const std::vector<Published> kSeeing = {
    {"lkhl/VideoLLaMA3-2B-Image-HF", kVideoLlama3,
     R"({"architectures": ["VideoLlama3ForConditionalGeneration"], "model_type": "video_llama_3",
      "text_config": {"model_type": "qwen2", "max_position_embeddings": 131072, )" +
         kQwen2Sizes + R"(}, "vision_config": )" + kSo400mSizes + R"(, "dtype": "bfloat16"})"},
    {"DAMO-NLP-SG/VideoLLaMA3-2B", kVideoLlama3,
     R"({"architectures": ["Videollama3Qwen2ForCausalLM"], "model_type": "videollama3_qwen2",
      "max_position_embeddings": 32768, "vision_encoder": null, )" +
         kQwen2Sizes + R"(, "vision_encoder_config": )" + kSo400mSizes +
         R"(, "torch_dtype": "bfloat16"})"},
    // 72 layers of 2 x 5120 x 5120, 2 x 5120 x 1024, 3 x 5120 x 24192 and two norms; two tables of
    // 128256 x 5120; a norm. Patches of 1176 x 1280, 32 blocks of 4 x (1280 x 1280 + 1280), 3 x
    // 1280 x 3456, 2 x 3456 + 1280 and two norms; a norm; twice 5120 x 5120 + 5120, and once more.
    {"naver-hyperclovax/HyperCLOVAX-SEED-Think-32B",
     std::int64_t{72} * (2 * 5120 * 5120 + 2 * 5120 * 1024 + 3 * 5120 * 24'192 + 2 * 5120) +
         std::int64_t{2} * 128'256 * 5120 + 5120 + 1176 * 1280 +
         32 * (4 * 1281 * 1280 + 3 * 1280 * 3456 + 2 * 3456 + 3 * 1280) + 1280 +
         std::int64_t{3} * 5121 * 5120,
     R"({"architectures": ["HCXVisionV2ForCausalLM"], "model_type": "vlm", "mm_projector_type":
      "linear", "text_config": {"model_type": "hyperclovax", "head_dim": 128, "hidden_size": 5120,
      "intermediate_size": 24192, "num_attention_heads": 40, "num_hidden_layers": 72,
      "num_key_value_heads": 8, "max_position_embeddings": 131072, "rope_theta": 50000000,
      "use_post_norm": false, "vocab_size": 128256}, "vision_config": {"model_type": "qwen2_5_vl",
      "depth": 32, "hidden_size": 1280, "intermediate_size": 3456, "num_heads": 16, "patch_size":
      14, "out_hidden_size": 5120, "spatial_merge_size": 2, "temporal_patch_size": 2,
      "fullatt_block_indexes": [7, 15, 23, 31]}, "torch_dtype": "bfloat16"})"},
};

const std::string kJanusDecoder =
    R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
      "num_attention_heads": 16, "num_hidden_layers": 24, "num_key_value_heads": 16,
      "max_position_embeddings": 16384, "vocab_size": 102400})";
const std::string kJanusOriginal =
    R"({"architectures": ["MultiModalityCausalLM"], "model_type": "multi_modality",
      "aligner_config": {"cls": "MlpProjector", "params": {"depth": 2}}, "gen_aligner_config": {"cls":
      "MlpProjector", "params": {"depth": 2}}, "gen_head_config": {"cls": "vision_head"},
      "gen_vision_config": {"cls": "VQ-16", "params": {"n_embed": 8}}, "language_config": )" +
    kJanusDecoder + R"(, "vision_config": {"cls": "CLIPVisionTower", "params": {"image_size": 384,
      "model_name": "siglip_large_patch16_384"}}, "torch_dtype": "bfloat16"})";
// The pooling head of SigLIP's large one, which transformers' class leaves out: a query, four
// matrices of 1024 x 1024, a norm and a network of 4096.
constexpr std::int64_t kPoolingHead = 1024 + 4 * 1025 * 1024 + 2048 + 1025 * 4096 + 4097 * 1024;

const std::string kAssistant =
    R"({"architectures": ["Gemma4AssistantForCausalLM"], "model_type": "gemma4_assistant",
      "backbone_hidden_size": 1536, "num_centroids": 2048, "use_ordered_embeddings": true,
      "text_config": {"model_type": "gemma4_text", "attention_k_eq_v": false, "global_head_dim": 512,
      "head_dim": 256, "hidden_size": 256, "hidden_size_per_layer_input": 0, "intermediate_size":
      2048, "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention"], "max_position_embeddings": 131072, "num_attention_heads": 4,
      "num_hidden_layers": 4, "num_key_value_heads": 1, "num_kv_shared_layers": 4, "sliding_window":
      512, "tie_word_embeddings": true, "vocab_size": 262144}, "tie_word_embeddings": true, "dtype":
      "bfloat16"})";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a decoder that sees has the values of its class") {
    check_totals(kSeeing);
    for (const Published& row : kSeeing) CHECK(model_of(row.config).towers.size() == 1);
  }

  // The Hub's safetensors metadata of deepseek-ai/Janus-Pro-1B, 65,536 of which count the codes
  // that were used.
  TEST_CASE("Janus sees with one encoder and paints with another") {
    const Model original = model_of(kJanusOriginal);
    CHECK(parameters_of(original) == 2'089'297'547 - 65'536);
    REQUIRE(original.towers.size() == 2);
    CHECK(original.towers[0].output_tokens == 576);
    CHECK(original.towers[1].output_tokens == 576);
    const Model later = model_of(
        R"({"architectures": ["JanusForConditionalGeneration"], "model_type": "janus",
      "text_config": )" +
        kJanusDecoder +
        R"(, "vision_config": {"hidden_size": 1024, "image_size": 384, "mlp_ratio": 4.0,
      "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 16}, "vq_config":
      {"base_channels": 128, "channel_multiplier": [1, 1, 2, 2, 4], "embed_dim": 8,
      "latent_channels": 256, "num_embeddings": 16384, "num_res_blocks": 2}, "torch_dtype":
      "bfloat16"})");
    CHECK(parameters_of(later) == parameters_of(original) - kPoolingHead);
    const auto other =
        read_config(json(replaced(kJanusOriginal, "siglip_large", "siglip_huge")), "some/model");
    REQUIRE_FALSE(other);
    CHECK(mentions(other.error(), "only siglip_large_patch16_384"));
  }

  // 262144 x 256; 3 layers with queries of 4 x 256 and one of 4 x 512, their outputs and a norm;
  // networks of 3 x 256 x 2048 and four norms; 3072 x 256, 256 x 1536 and 2048 x 256; a norm.
  TEST_CASE("Gemma 4's assistant has queries alone, and keeps no cache") {
    const Model model = model_of(kAssistant);
    CHECK(parameters_of(model) == 262'144 * 256 + 2 * 256 * (3 * 1024 + 2048) + 3 * 256 + 512 +
                                      4 * (3 * 256 * 2048 + 4 * 256) + 3072 * 256 + 256 * 1536 +
                                      2048 * 256 + 256);
    CHECK(caching_layers(model) == 0);
    const auto own = read_config(
        json(replaced(kAssistant, R"("num_kv_shared_layers": 4)", R"("num_kv_shared_layers": 0)")),
        "some/model");
    REQUIRE_FALSE(own);
    CHECK(mentions(own.error(), "keys and values of its own"));
  }
}
