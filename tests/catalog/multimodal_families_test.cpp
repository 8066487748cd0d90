// One config of each family that sees or hears, in the sizes that its publisher gives, held against
// the total that is published of its checkpoint.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::LayerKind;

namespace {

const std::string kDeepseekDecoder =
    R"("hidden_size": 1280, "intermediate_size": 6848, "num_hidden_layers": 12,
      "num_attention_heads": 10, "num_key_value_heads": 10, "first_k_dense_replace": 1,
      "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
      "moe_intermediate_size": 896, "topk_method": "greedy", "use_mla": false, "kv_lora_rank": null,
      "q_lora_rank": null, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0, "v_head_dim": 0,
      "vocab_size": 129280, "max_position_embeddings": 8192)";

const std::string kSam =
    R"("sam_vit_b": {"width": 768, "layers": 12, "heads": 12, "global_attn_indexes": [2, 5, 8, 11],
      "downsample_channels": [512, 1024]})";

const std::vector<Published> kPublishedMultimodal = {
    // The Hub's safetensors metadata of these.
    {"deepseek-ai/deepseek-vl2-small", 16'148'349'504,
     R"({"model_type": "deepseek_vl_v2", "tile_tag": "2D", "language_config": {"model_type":
      "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944, "num_hidden_layers": 27,
      "num_attention_heads": 16, "num_key_value_heads": 16, "first_k_dense_replace": 1,
      "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
      "moe_intermediate_size": 1408, "topk_method": "greedy", "kv_lora_rank": 512, "q_lora_rank":
      null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size":
      102400, "max_position_embeddings": 163840}, "vision_config": {"layers": 27, "mlp_ratio":
      3.7362, "model_name": "siglip_so400m_patch14_384", "patch_size": 14, "width": 1152},
      "torch_dtype": "bfloat16"})"},
    {"allenai/Molmo2-8B", 8'661'703'120,
     R"({"architectures": ["Molmo2ForConditionalGeneration"], "model_type": "molmo2",
      "tie_word_embeddings": false, "text_config": {"model_type": "molmo2_text", "hidden_size":
      4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "qkv_bias": false, "use_qk_norm": true,
      "qk_norm_type": "qwen3", "vocab_size": 151936, "additional_vocab_size": 128,
      "max_position_embeddings": 36864, "rope_theta": 1000000}, "vit_config": {"hidden_size": 1152,
      "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16,
      "image_patch_size": 14, "image_num_pos": 729}, "adapter_config": {"vit_layers": [-3, -9],
      "hidden_size": 1152, "intermediate_size": 12288, "text_hidden_size": 4096}, "torch_dtype":
      "bfloat16"})"},
    {"allenai/Molmo2-O-7B", 7'760'786'896,
     R"({"architectures": ["Molmo2ForConditionalGeneration"], "model_type": "molmo2",
      "tie_word_embeddings": false, "text_config": {"model_type": "molmo2_text", "hidden_size":
      4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 32, "head_dim": 128, "qkv_bias": false, "use_qk_norm": true,
      "qk_norm_type": "olmo", "norm_after": true, "vocab_size": 100278, "additional_vocab_size":
      128, "max_position_embeddings": 65536, "rope_theta": 500000}, "vit_config": {"hidden_size":
      1152, "intermediate_size": 4304, "num_hidden_layers": 25, "num_attention_heads": 16,
      "image_patch_size": 14, "image_num_pos": 729}, "adapter_config": {"vit_layers": [-1, -7],
      "hidden_size": 1152, "intermediate_size": 11008, "text_hidden_size": 4096}, "torch_dtype":
      "bfloat16"})"},
    {"allenai/Molmo2-ER", 4'850'869'200,
     R"({"architectures": ["Molmo2ForConditionalGeneration"], "model_type": "molmo2",
      "tie_word_embeddings": false, "text_config": {"model_type": "molmo2_text", "hidden_size":
      2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "qkv_bias": false, "use_qk_norm": true,
      "qk_norm_type": "qwen3", "vocab_size": 151936, "additional_vocab_size": 128,
      "max_position_embeddings": 36864}, "vit_config": {"num_hidden_layers": 27, "image_num_pos":
      729}, "adapter_config": {"vit_layers": [-3, -9], "intermediate_size": 9728}, "torch_dtype":
      "bfloat16"})"},
    {"tencent/HunyuanOCR", 996'208'112,
     R"({"architectures": ["HunYuanVLForConditionalGeneration"], "model_type": "hunyuan_vl",
      "hidden_size": 1024, "intermediate_size": 3584, "num_hidden_layers": 24,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "use_qk_norm": true,
      "attention_bias": false, "vocab_size": 120818, "max_position_embeddings": 32768,
      "tie_word_embeddings": true, "vision_config": {"hidden_size": 1152, "intermediate_size":
      4304, "num_hidden_layers": 27, "num_attention_heads": 16, "patch_size": 16,
      "max_image_size": 2048, "spatial_merge_size": 2, "out_hidden_size": 1024}, "torch_dtype":
      "bfloat16"})"},
    {"baidu/ERNIE-4.5-VL-28B-A3B-PT", 29'399'294'336,
     R"({"architectures": ["Ernie4_5_VLMoeForConditionalGeneration"], "model_type":
      "ernie4_5_moe_vl", "hidden_size": 2560, "intermediate_size": 12288, "num_hidden_layers": 28,
      "num_attention_heads": 20, "num_key_value_heads": 4, "head_dim": 128, "moe_num_experts": [64,
      64], "moe_intermediate_size": [1536, 512], "moe_layer_start_index": [1, 1],
      "moe_layer_end_index": [29, 28], "moe_layer_interval": 1, "moe_k": 6,
      "moe_num_shared_experts": 2, "use_bias": false, "vocab_size": 103424,
      "max_position_embeddings": 131072, "rope_theta": 500000, "tie_word_embeddings": true,
      "spatial_conv_size": 2, "temporal_conv_size": 2, "vision_config": {"depth": 32, "embed_dim":
      1280, "hidden_size": 1280, "mlp_ratio": 4, "num_heads": 16, "patch_size": 14},
      "torch_dtype": "bfloat16"})"},
    {"nvidia/NVIDIA-Nemotron-Nano-12B-v2-VL-BF16", 13'181'860'358 - 6,  // six are of the colours
     R"({"architectures": ["NemotronH_Nano_VL_V2"], "model_type": "NemotronH_Nano_VL_V2",
      "downsample_ratio": 0.5, "force_image_size": 512, "patch_size": 16, "vit_hidden_size": 1280,
      "projector_hidden_size": 20480, "llm_config": {"model_type": "nemotron_h", "hidden_size":
      5120, "intermediate_size": 20480, "num_hidden_layers": 62, "hybrid_override_pattern":
      "M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M-", "num_attention_heads": 40,
      "num_key_value_heads": 8, "attention_head_dim": 128, "mamba_num_heads": 128,
      "mamba_head_dim": 80, "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4,
      "use_conv_bias": true, "vocab_size": 132096, "max_position_embeddings": 131072,
      "tie_word_embeddings": false}, "vision_config": {"args": {"model": "vit_huge_patch16_224",
      "cpe_max_size": 2048, "register_multiple": 16}, "version": "radio_v2.5-h", "patch_size":
      16}, "torch_dtype": "bfloat16"})"},
    {"PaddlePaddle/PaddleOCR-VL-1.6", 958'588'736,
     R"({"architectures": ["PaddleOCRVLForConditionalGeneration"], "model_type": "paddleocr_vl",
      "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 18,
      "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 128, "use_bias": false,
      "vocab_size": 103424, "max_position_embeddings": 131072, "rope_theta": 500000,
      "tie_word_embeddings": false, "vision_config": {"hidden_size": 1152, "intermediate_size":
      4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 384, "patch_size":
      14, "spatial_merge_size": 2}, "torch_dtype": "bfloat16"})"},
    // Counted as it was loaded: 840 tensors, 18,349,615,568 bytes.
    {"AIDC-AI/Ovis2.5-9B", 9'174'807'784,
     R"({"architectures": ["Ovis2_5"], "model_type": "ovis2_5", "hidden_size": 4096, "vocab_size":
      151936, "visual_vocab_size": 65536, "llm_config": {"model_type": "qwen3", "hidden_size": 4096,
      "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings":
      40960, "rope_theta": 1000000, "tie_word_embeddings": false}, "vit_config": {"model_type":
      "siglip2_navit", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
      "num_attention_heads": 16, "image_size": 512, "patch_size": 16, "num_patches": -1,
      "hidden_stride": 2, "preserve_original_pe": true}, "torch_dtype": "bfloat16"})"},
    // The published 240,709,856,128 with its tower of 5,605,735,808.
    {"internlm/Intern-S1", 240'709'856'128,
     R"({"architectures": ["InternS1ForConditionalGeneration"], "model_type": "interns1",
      "tie_word_embeddings": false, "text_config": {"model_type": "qwen3_moe", "hidden_size": 4096,
      "intermediate_size": 12288, "num_hidden_layers": 94, "num_attention_heads": 64,
      "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
      "moe_intermediate_size": 1536, "vocab_size": 153216, "max_position_embeddings": 65536,
      "rope_theta": 1000000}, "vision_config": {"model_type": "interns1_vision", "hidden_size":
      3200, "intermediate_size": 12800, "num_hidden_layers": 45, "num_attention_heads": 25,
      "attention_bias": false, "use_qk_norm": true, "norm_type": "rms_norm", "image_size": [448,
      448], "patch_size": [14, 14]}, "torch_dtype": "bfloat16"})"},
    {"internlm/Intern-S1-mini", 8'538'804'224,
     R"({"architectures": ["InternS1ForConditionalGeneration"], "model_type": "interns1",
      "tie_word_embeddings": false, "text_config": {"model_type": "qwen3", "hidden_size": 4096,
      "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 153216, "max_position_embeddings":
      40960, "rope_theta": 1000000}, "vision_config": {"model_type": "interns1_vision",
      "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
      "num_attention_heads": 16, "attention_bias": true, "use_qk_norm": false, "norm_type":
      "layer_norm", "image_size": [448, 448], "patch_size": [14, 14]}, "torch_dtype":
      "bfloat16"})"},
    // 428,225,600 of SigLIP with its head + 4608 x 1280 + 1280 x 1280 + 4 x 1280 of the projector,
    // and 2,934,734,080 of the decoder.
    {"deepseek-ai/deepseek-vl2-tiny", 428'225'600 + 7'541'760 + 2'934'734'080,
     R"({"model_type": "deepseek_vl_v2", "language_config": {"model_type": "deepseek_v2", )" +
         kDeepseekDecoder +
         R"(}, "vision_config": {"layers": 27, "mlp_ratio": 3.7362, "model_name":
      "siglip_so400m_patch14_384", "patch_size": 14, "width": 1152}, "torch_dtype": "bfloat16"})"},
    // Of Ministral 3B, 30 layers of 106,960,896 and 2 x 131072 x 3072 + 3072; of Whisper's encoder
    // 636,968,960; of the projector 5120 x 3072 + 3072 x 3072. The card: 9.5 GB on a GPU.
    {"mistralai/Voxtral-Mini-3B-2507", 4'014'136'320 + 636'968'960 + 25'165'824,
     R"({"architectures": ["VoxtralForConditionalGeneration"], "model_type": "voxtral",
      "hidden_size": 3072, "vocab_size": 131072, "audio_config": {"model_type": "voxtral_encoder",
      "hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32,
      "num_attention_heads": 20, "num_mel_bins": 128, "max_source_positions": 1500, "vocab_size":
      51866}, "text_config": {"model_type": "llama", "hidden_size": 3072, "intermediate_size":
      8192, "num_hidden_layers": 30, "num_attention_heads": 32, "num_key_value_heads": 8,
      "head_dim": 128, "vocab_size": 131072, "max_position_embeddings": 131072, "rope_theta":
      100000000.0}, "torch_dtype": "bfloat16"})"},
    // Mistral Small 3.1's decoder has 23,572,403,200; the projector 2 x 5120 x 5120.
    {"mistralai/Voxtral-Small-24B-2507", 23'572'403'200 + 636'968'960 + 52'428'800,
     R"({"architectures": ["VoxtralForConditionalGeneration"], "model_type": "voxtral",
      "hidden_size": 5120, "vocab_size": 131072, "audio_config": {"model_type": "voxtral_encoder"},
      "text_config": {"model_type": "llama", "hidden_size": 5120, "intermediate_size": 32768,
      "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim":
      128, "vocab_size": 131072, "max_position_embeddings": 131072, "rope_theta": 100000000.0},
      "torch_dtype": "bfloat16"})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a family with towers has the parameters of its checkpoint") {
    check_totals(kPublishedMultimodal);
  }

  // The Hub counts 3,336,106,240 and 3,389,119,360.
  TEST_CASE("DeepSeek's OCR models are told apart by what their configs say, or by their classes") {
    const std::string decoder = R"("language_config": {)" + kDeepseekDecoder + "}";
    const std::string first = R"({"architectures": ["DeepseekOCRForCausalLM"], "model_type":
      "deepseek_vl_v2", "torch_dtype": "bfloat16", )" +
                              decoder;
    const std::string second = replaced(first, "DeepseekOCR", "DeepseekOCR2");
    CHECK(model_of(first + "}").parameters.total == 3'336'106'240);
    CHECK(model_of(second + "}").parameters.total == 3'389'119'360);
    const std::string clip =
        R"(, "vision_config": {"model_name": "deeplip_b_l", "width": {"clip-l-14-224": {"width":
      1024, "layers": 24, "heads": 16, "patch_size": 14, "image_size": 224}, )" +
        kSam + "}}";
    const std::string queries =
        R"(, "vision_config": {"model_name": "deepencoderv2", "width": {"qwen2-0-5b": {"dim": 896}, )" +
        kSam + "}}";
    CHECK(model_of(first + clip + "}").parameters.total == 3'336'106'240);
    CHECK(model_of(second + queries + "}").parameters.total == 3'389'119'360);
    // Published configs repeat the decoder's sizes.
    const std::string copies = R"(, "n_routed_experts": 64, "n_shared_experts": 2,
      "moe_intermediate_size": 896})";
    CHECK(model_of(second + queries + copies).parameters.total == 3'389'119'360);
    const auto contradiction =
        read_config(json(second + replaced(copies, ": 64", ": 32")), "some/model");
    REQUIRE(!contradiction);
    CHECK(mentions(contradiction.error(), "than that of the language_config"));
  }

  // DeepSeek-OCR's 3,336,106,240 less its towers' 401,372,160.
  TEST_CASE("a DeepSeek-V2 without latent attention caches the keys of every head") {
    const auto model =
        model_of(R"({"architectures": ["DeepseekV2ForCausalLM"], "model_type": "deepseek_v2", )" +
                 kDeepseekDecoder + "}");
    CHECK(model.parameters.total == 2'934'734'080);
    for (const auto& run : model.layers) {
      CHECK(run.layer.attention.kind == LayerKind::Full);
      CHECK(run.layer.attention.kv_heads == 10);
      CHECK(run.layer.attention.head_dim == 128);
    }
  }

  // Qwen3-0.6B's 596,049,920 and an encoder of 186,376,192: the card's 938 million count the tied
  // table twice, 151936 x 1024 more.
  TEST_CASE("Qwen3-ASR is a Qwen3 with the encoder of sound of Qwen3-Omni") {
    const auto model = model_of(R"({"architectures": ["Qwen3ASRForConditionalGeneration"],
      "model_type": "qwen3_asr", "thinker_config": {"model_type": "qwen3_asr_thinker", "dtype":
      "bfloat16", "audio_config": {"model_type": "qwen3_asr_audio_encoder", "d_model": 896,
      "encoder_layers": 18, "encoder_attention_heads": 14, "encoder_ffn_dim": 3584,
      "num_mel_bins": 128, "downsample_hidden_size": 480, "max_source_positions": 1500,
      "output_dim": 1024}, "text_config": {"model_type": "qwen3_asr_text", "hidden_size": 1024,
      "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings":
      65536, "rope_theta": 1000000, "tie_word_embeddings": true}}})");
    CHECK(model.parameters.total == 596'049'920 + 186'376'192);
    CHECK(model.parameters.total + std::int64_t{151936} * 1024 == 938'008'576);
    CHECK(model.role == gpushape::domain::Role::Speech);
    REQUIRE(model.towers.size() == 1);
    CHECK(model.towers.front().kind == gpushape::domain::TowerKind::Audio);
  }

  // The card: 1.3 billion. SigLIP without its head has 418,644,288 with 4,900 places; what merges
  // inside 4 x (1152 x 1152 + 1152) + 2 x 1152 + 8 x 1152 + 4608 x 17216 + 17216 + 17216 x 1152 +
  // 1152; the merger 8 x 1152 + 4608 x 4608 + 4608 + 4608 x 1024 + 1024.
  TEST_CASE("MiniCPM-V 4.6 is a Qwen3.5 that merges patches twice") {
    const auto model = model_of(R"({"architectures": ["MiniCPMV4_6ForConditionalGeneration"],
      "model_type": "minicpmv4_6", "tie_word_embeddings": true, "insert_layer_id": 6,
      "image_size": 448, "text_config": {"model_type": "qwen3_5_text", "hidden_size": 1024,
      "intermediate_size": 3584, "num_hidden_layers": 24, "num_attention_heads": 8,
      "num_key_value_heads": 2, "head_dim": 256, "attn_output_gate": true,
      "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
      "linear_num_key_heads": 16, "linear_num_value_heads": 16, "linear_value_head_dim": 128,
      "mtp_num_hidden_layers": 1, "max_position_embeddings": 262144, "vocab_size": 248094,
      "tie_word_embeddings": true}, "vision_config": {"hidden_size": 1152, "intermediate_size":
      4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 980, "patch_size":
      14, "window_kernel_size": [2, 2]}})");
    REQUIRE(model.towers.size() == 1);
    constexpr std::int64_t kInside =
        4 * (1152 * 1152 + 1152) + 10 * 1152 + 4608 * 17216 + 17216 + 17216 * 1152 + 1152;
    constexpr std::int64_t kMerger = 8 * 1152 + 4608 * 4608 + 4608 + 4608 * 1024 + 1024;
    // 588 x 1152 + 1152 of patches, 4900 x 1152 of places, 27 blocks of 15,239,504, a norm.
    constexpr std::int64_t kSiglip = 678'528 + 4900 * 1152 + 27 * 15'239'504 + 2304;
    CHECK(model.towers.front().parameters == kSiglip + kInside + kMerger);
    CHECK(static_cast<double>(model.parameters.total) == doctest::Approx(1.3e9).epsilon(0.01));
    CHECK(!model.multi_token_prediction);
    // Ten slices of 32 x 32 patches, sixteen to a token.
    CHECK(model.towers.front().output_tokens == 640);
  }

  TEST_CASE("experts for images lie beside those for text, which alone are routed to") {
    const auto row =
        std::ranges::find(kPublishedMultimodal, "baidu/ERNIE-4.5-VL-28B-A3B-PT", &Published::id);
    const auto model = model_of(row->config);
    const auto& experts = model.layers.back().layer.feed_forward.experts;
    REQUIRE(experts);
    CHECK(experts->count == 64);
    CHECK(experts->width == 1536);
    CHECK(model.layers.front().layer.feed_forward.width == 12288);
    CHECK(model.layers.front().count == 1);
    // 3 x 64 x 512 rows of 2560 beside them.
    CHECK(model.layers.back().layer.extra.front().rows == 98304);
    const auto alone =
        read_config(json(replaced(row->config, R"("moe_intermediate_size": [1536, 512])",
                                  R"("moe_intermediate_size": 1536)")),
                    "some/model");
    CHECK(!alone);
  }
}
