// Families that see pictures and pages, in the sizes that their publishers give: held against what
// is published of their checkpoints, or the classes' matrices counted by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "domain/layer.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

const std::string kGraniteVision =
    R"({"model_type": "granite4_vision", "architectures":
      ["Granite4VisionForConditionalGeneration"], "downsample_rate": "4/8", "deepstack_layer_map":
      [[-19, 9], [-13, 6], [-7, 3], [-1, 0]], "use_spatial_sampling": true, "spatial_target_layers":
      [12, 15, 18, 21], "use_image_newline_parameter": true, "image_grid_pinpoints": [[384, 768],
      [768, 768], [384, 1152]], "vision_config": {"model_type": "siglip_vision_model",
      "hidden_size": 1152, "image_size": 384, "patch_size": 16, "num_hidden_layers": 27,
      "intermediate_size": 4304, "num_attention_heads": 16}, "text_config": {"model_type":
      "granite", "hidden_size": 2560, "intermediate_size": 8192, "num_hidden_layers": 40,
      "num_attention_heads": 40, "num_key_value_heads": 8, "vocab_size": 100353,
      "max_position_embeddings": 131072, "tie_word_embeddings": true}, "tie_word_embeddings": true,
      "torch_dtype": "bfloat16"})";

const std::string kNemotronParse =
    R"({"model_type": "nemotron_parse", "architectures": ["NemotronParseForConditionalGeneration"],
      "image_size": [2048, 1648], "is_encoder_decoder": true, "max_sequence_length": 9000,
      "tie_word_embeddings": false, "encoder": {"args": {"model": "vit_huge_patch16_224",
      "cpe_max_size": 2048, "register_multiple": 8}, "patch_size": 16}, "decoder": {"model_type":
      "nemotron_parse_text", "vocab_size": 52352, "d_model": 1024, "decoder_layers": 10,
      "decoder_attention_heads": 16, "decoder_ffn_dim": 4096, "encoder_layers": 12}, "dtype":
      "bfloat16"})";

const std::string kQwen3Vl4b =
    R"("text_config": {"model_type": "qwen3_vl_text", "attention_bias": false, "head_dim": 128,
      "hidden_size": 2560, "intermediate_size": 9728, "num_attention_heads": 32,
      "num_hidden_layers": 36, "num_key_value_heads": 8, "vocab_size": 151936,
      "max_position_embeddings": 262144, "tie_word_embeddings": true, "rope_theta": 5000000},
      "vision_config": {"model_type": "qwen3_vl", "deepstack_visual_indexes": [5, 11, 17], "depth":
      24, "hidden_size": 1024, "in_channels": 3, "intermediate_size": 4096, "num_heads": 16,
      "num_position_embeddings": 2304, "out_hidden_size": 2560, "patch_size": 16,
      "spatial_merge_size": 2, "temporal_patch_size": 2}, "tie_word_embeddings": true, "dtype":
      "bfloat16")";

const std::vector<Published> kPageFamilies = {
    // The Hub's safetensors metadata; the pooling head of SigLIP is among it.
    {"ibm-granite/granite-4.0-3b-vision", 3'997'206'464, kGraniteVision},
    // The index of its files: 15,082,474,368 bytes of two to a value.
    {"openvla/openvla-7b", 15'082'474'368 / 2,
     R"({"model_type": "openvla", "architectures": ["OpenVLAForActionPrediction"], "image_sizes":
      [224, 224], "timm_model_ids": ["vit_large_patch14_reg4_dinov2.lvd142m",
      "vit_so400m_patch14_siglip_224"], "timm_override_act_layers": [null, null],
      "use_fused_vision_backbone": true, "n_action_bins": 256, "text_config": {"model_type": "llama",
      "pad_token_id": 32000, "vocab_size": 32064}, "torch_dtype": "bfloat16"})"},
    // The Hub's: six values are of the colours, three number the class tokens.
    {"nvidia/NVIDIA-Nemotron-Parse-v1.2", 936'275'977 - 9, kNemotronParse},
    // What is served of it is Qwen3-VL-8B (published 8,767,123,696).
    {"nvidia/Cosmos3-Nano", 8'767'123'696,
     R"({"model_type": "cosmos3_omni", "architectures": ["Cosmos3ForConditionalGeneration"],
      "tie_word_embeddings": false, "text_config": {"model_type": "qwen3_vl_text", "vocab_size":
      151936, "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
      "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
      "max_position_embeddings": 262144, "rope_theta": 5000000}, "vision_config": {"model_type":
      "qwen3_vl", "deepstack_visual_indexes": [8, 16, 24], "depth": 27, "hidden_size": 1152,
      "intermediate_size": 4304, "num_heads": 16, "num_position_embeddings": 2304,
      "out_hidden_size": 4096, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size":
      2}, "dtype": "bfloat16"})"},
    // SigLIP of 26 blocks: 3 x 14 x 14 x 1152 + 1152 + 4900 x 1152 + 26 x (4 x 1152 x 1152 + 4 x
    // 1152 + 2 x 1152 x 4304 + 5456 + 4 x 1152) + 2 x 1152; 1152 x 3584 + 3584 and 3584 x 3584 +
    // 3584 behind it: 419,533,728. Qwen2.5-7B's 7,615,616,512, and 28 x 2 x 128 in norms.
    {"ByteDance-Seed/BAGEL-7B-MoT", 8'035'157'408,
     R"({"model_type": "bagel", "architectures": ["BagelForConditionalGeneration"], "llm_config":
      {"model_type": "qwen2", "qk_norm": true, "hidden_size": 3584, "intermediate_size": 18944,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
      "max_position_embeddings": 32768, "vocab_size": 152064, "tie_word_embeddings": false},
      "vit_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 980,
      "intermediate_size": 4304, "num_attention_heads": 16, "num_hidden_layers": 27,
      "num_channels": 3, "patch_size": 14}, "vae_config": {"z_channels": 16, "downsample": 8},
      "visual_gen": true, "visual_und": true, "vit_max_num_patch_per_side": 70, "torch_dtype":
      "bfloat16"})"},
    // Swin: 3 x 4 x 4 x 128 + 128 + 2 x 128; of each stage of d = 128, 256, 512, 1024 wide 2, 2,
    // 14, 2 times 4 x d x d + 4 x d + 8 x d x d + 5 x d + 4 x d + 19 x 19 x heads (4, 8, 16, 32),
    // and between them 4 x d x 2 x d + 8 x d: 74,180,728. mBART: 57525 x 1024 + 1538 x 1024 + 4 x
    // 1024 + 4 x (8 x (1024 x 1024 + 1024) + 2 x 1024 x 4096 + 5120 + 6 x 1024): 127,671,296.
    {"naver-clova-ix/donut-base-finetuned-docvqa", 201'852'024,
     R"({"model_type": "vision-encoder-decoder", "architectures": ["VisionEncoderDecoderModel"],
      "is_encoder_decoder": true, "tie_word_embeddings": false, "encoder": {"model_type":
      "donut-swin", "embed_dim": 128, "depths": [2, 2, 14, 2], "num_heads": [4, 8, 16, 32],
      "window_size": 10, "image_size": [2560, 1920], "patch_size": 4, "mlp_ratio": 4.0, "qkv_bias":
      true, "hidden_size": 1024}, "decoder": {"model_type": "mbart", "vocab_size": 57525, "d_model":
      1024, "decoder_layers": 4, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096,
      "encoder_layers": 12, "max_position_embeddings": 1536, "is_encoder_decoder": false,
      "add_final_layer_norm": true, "tie_word_embeddings": true}, "torch_dtype": "float32"})"},
    // What its files list: 2 x 152576 x 4096 + 4096 and 48 layers, of 9 (13568 + 8192) x 4096 in
    // attention, of 39 (14848 + 8192) x 4096 + 64, 2 x 4096 in norms; 3 x 16384 x 4096 in the
    // first, 256 x 3 x 2048 x 4096 + 256 x 4096 + 256 in each of the others: 308,778,780,864. The
    // encoder of images: 3 x 2 x 16 x 16 x 1280 + 28 x (3072 x 1280 + 3072 + 1280 x 2048 + 1280 + 3
    // x 4608 x 1280 + 2 x 4608 + 1280 + 2 x 1280) + 24 x 32 + 1280 + 5120 x 5120 + 4096 x 5120:
    // 728,594,432. Of sound: 20 x 1280 x 1024 + 6 x (4 x 1024 x 1024 + 3 x 1024 + 3 x 4096 x 1024 +
    // 2 x 1024) + 1024 + 2 x 16384 x 4096: 261,127,168.
    {"XiaomiMiMo/MiMo-V2.5", 309'768'502'464,
     R"({"architectures": ["MiMoV2ForCausalLM"], "model_type": "mimo_v2", "attention_bias":
      false, "attention_chunk_size": 128, "add_full_attention_sink_bias": false,
      "add_swa_attention_sink_bias": true, "audio_config": {"add_post_norm": true,
      "audio_channels": 20, "group_size": 4, "input_local_attn_heads": 16, "input_local_dim":
      1024, "input_local_head_dim": 64, "input_local_intermediate_size": 4096,
      "input_local_layers": 6, "out_hidden_size": 4096, "projection_layers": 2,
      "speech_vocab_size": "1280", "speech_zeroemb_idx": "1024"}, "swa_num_key_value_heads":
      8, "swa_num_attention_heads": 64, "swa_head_dim": 192, "swa_v_head_dim": 128, "dtype":
      "bfloat16", "head_dim": 192, "hidden_size": 4096, "hybrid_layer_pattern": [0, 1, 1, 1,
      1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1,
      1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0], "intermediate_size": 16384,
      "max_position_embeddings": 1048576, "moe_intermediate_size": 2048, "moe_layer_freq": [0,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "n_routed_experts": 256,
      "n_shared_experts": null, "num_attention_heads": 64, "num_experts_per_tok": 8,
      "num_hidden_layers": 48, "num_key_value_heads": 4, "partial_rotary_factor": 0.334,
      "processor_config": {"image_max_pixels": 8388608, "audio_n_mels": 128}, "rope_theta":
      10000000, "sliding_window": 128, "sliding_window_size": 128, "swa_rope_theta": 10000,
      "tie_word_embeddings": false, "topk_method": "noaux_tc", "v_head_dim": 128,
      "vision_config": {"depth": 28, "fullatt_block_indexes": [0, 9, 18, 27], "hidden_size":
      1280, "in_chans": 3, "intermediate_size": 4608, "num_heads": 32, "num_key_value_heads":
      8, "num_query_groups": 4, "out_hidden_size": 4096, "patch_size": 16,
      "spatial_merge_size": 2, "temporal_patch_size": 2, "use_sink": true, "window_size":
      128}, "vision_model_type": "mimovl", "vocab_size": 152576})"},
    // PaliGemma of 448 pixels (2,924,351,216 in the catalog), and 2048 x 128 + 128.
    {"vidore/colpali-v1.3-hf", 2'924'613'488,
     R"({"model_type": "colpali", "architectures": ["ColPaliForRetrieval"], "embedding_dim": 128,
      "vlm_config": {"model_type": "paligemma", "hidden_size": 2048, "projection_dim": 2048,
      "text_config": {"model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384,
      "num_attention_heads": 8, "num_hidden_layers": 18, "num_key_value_heads": 1, "head_dim": 256,
      "vocab_size": 257216}, "vision_config": {"model_type": "siglip_vision_model", "hidden_size":
      1152, "image_size": 448, "intermediate_size": 4304, "num_attention_heads": 16,
      "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": false}}, "torch_dtype":
      "bfloat16"})"},
    // Qwen3-VL-4B (4,437,815,808 published), and 2560 x 320.
    {"TomoroAI/tomoro-colqwen3-embed-4b", 4'438'635'008,
     R"({"model_type": "colqwen3", "architectures": ["ColQwen3"], "embed_dim": 320, )" +
         kQwen3Vl4b + "}"},
    // The same, and 2560 x 2560.
    {"OpenSearch-AI/Ops-Colqwen3-4B", 4'444'369'408,
     R"({"model_type": "ops_colqwen3", "architectures": ["OpsColQwen3Model"], "dims": 2560, )" +
         kQwen3Vl4b + "}"},
    // SigLIP: 3 x 16 x 16 x 768 + 768 + 1024 x 768 + 12 x (4 x 768 x 768 + 4 x 768 + 2 x 768 x 3072
    // + 3840 + 4 x 768) + 2 x 768; 16 x 768 x 768 behind it: 95,870,208. ModernBERT: 50408 x 768 +
    // 768 + 22 x (4 x 768 x 768 + 3 x 768 x 1152 + 2 x 768) - 768 + 768: 149,044,992. 768 x 128 +
    // 128.
    {"ModernVBERT/colmodernvbert-merged", 245'013'632,
     R"({"model_type": "colmodernvbert", "architectures": ["ColModernVBertForRetrieval"],
      "embedding_dim": 128, "pixel_shuffle_factor": 4, "text_config": {"model_type": "modernbert",
      "hidden_size": 768, "intermediate_size": 1152, "num_hidden_layers": 22,
      "num_attention_heads": 12, "vocab_size": 50408, "max_position_embeddings": 8192, "mlp_bias":
      false}, "vision_config": {"hidden_size": 768, "image_size": 512, "patch_size": 16,
      "num_hidden_layers": 12, "intermediate_size": 3072, "num_attention_heads": 12},
      "torch_dtype": "bfloat16"})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("families of pictures and pages come to what is published of them") {
    check_totals(kPageFamilies);
  }

  TEST_CASE("Granite 4 Vision makes tokens of tiles and their overview") {
    const Model model = model_of(kGraniteVision);
    REQUIRE(model.towers.size() == 1);
    // 24 x 24 patches a tile; a quarter of them left: 12 x 12 of the overview, and of two by two
    // tiles 24 rows of 24 and an end of line.
    CHECK(model.towers[0].inner_tokens == 5 * 576);
    CHECK(model.towers[0].output_tokens == 144 + 24 * 25);
    // Four of deepstack_layer_map and four of spatial_target_layers.
    CHECK(model.towers[0].fed_layers == 8);
    const auto odd =
        gpushape::catalog::read_config(json(replaced(kGraniteVision, "4/8", "half")), "some/model");
    REQUIRE_FALSE(odd);
    CHECK(mentions(odd.error(), "downsample_rate is no quotient of two digits"));
  }

  TEST_CASE("Nemotron Parse's decoder attends to joined patches and one token more") {
    const Model model = model_of(kNemotronParse);
    REQUIRE(model.layers.size() == 1);
    const Layer& layer = model.layers[0].layer;
    REQUIRE(layer.cross_attention);
    // 128 rows of 103 patches, four of which become one.
    CHECK(layer.cross_attention->encoder_tokens == 128 * 25 + 1);
    CHECK(model.max_context_tokens == 9'000);
  }

  TEST_CASE("an image encoder or a decoder that is not Donut's is refused by its name") {
    const std::string donut = kPageFamilies[5].config;
    const Model model = model_of(donut);
    REQUIRE(model.layers[0].layer.cross_attention);
    // 2560 / 32 rows of 1920 / 32.
    CHECK(model.layers[0].layer.cross_attention->encoder_tokens == 80 * 60);
    const auto vit =
        gpushape::catalog::read_config(json(replaced(donut, "donut-swin", "vit")), "some/model");
    REQUIRE_FALSE(vit);
    CHECK(mentions(vit.error(), "image encoder 'vit' is not understood"));
    const auto gpt2 =
        gpushape::catalog::read_config(json(replaced(donut, "mbart", "gpt2")), "some/model");
    REQUIRE_FALSE(gpt2);
    CHECK(mentions(gpt2.error(), "a decoder of model_type 'gpt2' behind an image encoder"));
  }

  TEST_CASE("ColQwen3.5 is Qwen3.5 and a matrix with a bias, by its type or by its class alone") {
    const std::string qwen =
        R"({"architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5",
          "tie_word_embeddings": true, "text_config": {"model_type": "qwen3_5_text", "hidden_size":
          1024, "intermediate_size": 3584, "num_hidden_layers": 24, "num_attention_heads": 8,
          "num_key_value_heads": 2, "head_dim": 256, "attn_output_gate": true,
          "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
          "linear_num_key_heads": 16, "linear_num_value_heads": 16, "linear_value_head_dim": 128,
          "max_position_embeddings": 262144, "vocab_size": 248320}, "vision_config": {"depth": 12,
          "hidden_size": 768, "intermediate_size": 3072, "num_heads": 12, "out_hidden_size": 1024,
          "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2,
          "num_position_embeddings": 2304, "deepstack_visual_indexes": []}})";
    const std::string by_class = replaced(qwen, "Qwen3_5ForConditionalGeneration", "ColQwen3_5");
    const std::int64_t total = model_of(qwen).parameters.total;
    for (const std::string& config :
         {by_class, replaced(by_class, R"("qwen3_5")", R"("colqwen3_5")")}) {
      const Model model = model_of(config);
      CHECK(model.parameters.total == total + 128 * 1024 + 128);
      CHECK(model.role == Role::Embed);
    }
  }

  TEST_CASE("models that compare pages embed them") {
    for (const Published& row : kPageFamilies) {
      const bool compares = row.config.find(R"("model_type": "col)") != std::string::npos;
      if (!compares) continue;
      CAPTURE(row.id);
      CHECK(model_of(row.config).role == Role::Embed);
    }
  }
}
