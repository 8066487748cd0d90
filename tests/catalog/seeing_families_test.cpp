// One config of each family of decoders that see or hear, held against the total that the Hugging
// Face Hub counts in the published checkpoint (safetensors metadata).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;

namespace {

const std::vector<Published> kPublishedSeeing = {
    // 1,286,482,944 of them are the tower, whose queries share 8 heads of keys; with the layer for
    // a further token.
    {"LGAI-EXAONE/EXAONE-4.5-33B", 34'350'097'664,
     R"({"architectures": ["Exaone4_5_ForConditionalGeneration"], "model_type": "exaone4_5",
      "tie_word_embeddings": false, "vocab_size": 153600, "text_config": {"model_type":
      "exaone4_5_text", "hidden_size": 5120, "intermediate_size": 27392, "num_hidden_layers": 64,
      "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
      "max_position_embeddings": 262144, "sliding_window": 4096, "sliding_window_pattern": "LLLG",
      "num_nextn_predict_layers": 1, "vocab_size": 153600, "rope_parameters": {"rope_type":
      "llama3", "factor": 16.0, "original_max_position_embeddings": 8192, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0, "rope_theta": 1000000}}, "vision_config": {"model_type":
      "exaone4_5_vision", "depth": 28, "hidden_size": 2048, "intermediate_size": 5120,
      "num_heads": 32, "num_key_value_heads": 8, "patch_size": 14, "spatial_merge_size": 2,
      "temporal_patch_size": 2, "window_size": 112, "out_hidden_size": 5120,
      "fullatt_block_indexes": [6, 13, 20, 27]}, "torch_dtype": "bfloat16"})"},
    {"stepfun-ai/step3", 320'969'912'832,
     R"({"architectures": ["Step3VLForConditionalGeneration"], "model_type": "step3_vl",
      "hidden_size": 7168, "projector_bias": false, "understand_projector_stride": 2,
      "text_config": {"architectures": ["Step3TextForCausalLM"], "model_type": "step3_text",
      "hidden_size": 7168, "intermediate_size": 18432, "num_attention_heads": 64,
      "num_attention_groups": 1, "num_hidden_layers": 61, "max_seq_len": 65536, "vocab_size":
      128815, "moe_intermediate_size": 5120, "moe_num_experts": 48, "moe_top_k": 3, "rope_theta":
      500000, "share_expert_dim": 5120, "share_q_dim": 2048, "head_dim": 256, "moe_layers_enum":
      "4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,)"
     R"(32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59"},
      "vision_config": {"model_type": "step3_vision_encoder", "hidden_size": 1792,
      "intermediate_size": 15360, "output_hidden_size": 4096, "num_hidden_layers": 63,
      "num_attention_heads": 16, "image_size": 728, "patch_size": 14, "hidden_act": "quick_gelu"},
      "torch_dtype": "bfloat16"})"},
    {"Qwen/Qwen3.8-Flash-Next", 179'999'981'424,
     R"({"architectures": ["Qwen4ExpForConditionalGeneration"], "model_type": "qwen4_exp",
      "tie_word_embeddings": false, "text_config": {"model_type": "qwen4_exp_text",
      "attention_bias": false, "dtype": "bfloat16", "eos_token_id": 248044,
      "full_attention_interval": 4, "hc_count": 4, "hc_lowrank": 320, "head_dim": 256,
      "heads_per_ngram": 8, "hidden_act": "silu", "hidden_size": 2560, "indexer_budget": 2048,
      "indexer_compress_ratio": 4, "indexer_head_dim": 128, "indexer_kv_heads": 1,
      "indexer_n_heads": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
      "linear_num_key_heads": 16, "linear_num_value_heads": 48, "linear_value_head_dim": 128,
      "make_ngram_vocab_size_divisible_by": 128, "mamba_ssm_dtype": "float32",
      "max_position_embeddings": 262144, "moe_intermediate_size": 640, "mtp_num_hidden_layers": 1,
      "mtp_use_dedicated_embeddings": false, "ngram_size": 3, "ngram_vocab_size_base": 20000000,
      "norm_topk_prob": true, "num_attention_heads": 24, "num_experts": 512,
      "num_experts_per_tok": 10, "num_hidden_layers": 48, "num_key_value_heads": 2,
      "output_gate_type": "sigmoid", "partial_rotary_factor": 0.25, "ple_conv_kernel_size": 4,
      "ple_embed_dim": 2560, "ple_layer_ids": [2], "rope_parameters": {"mrope_interleaved": true,
      "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25, "rope_theta": 10000000,
      "rope_type": "default"}, "shared_expert_intermediate_size": 640, "split_ngram_parts": 128,
      "vocab_size": 248320}, "vision_config": {"depth": 27, "hidden_size": 1152,
      "intermediate_size": 4304, "num_heads": 16, "out_hidden_size": 2560, "patch_size": 16,
      "spatial_merge_size": 2, "temporal_patch_size": 2, "num_position_embeddings": 2304}})"},
    {"CohereLabs/aya-vision-8b", 8'631'842'032,
     R"({"model_type": "aya_vision", "architectures": ["AyaVisionForConditionalGeneration"],
      "text_config": {"model_type": "cohere2", "architectures": ["Cohere2ForCausalLM"],
      "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 256000,
      "max_position_embeddings": 16384, "rope_theta": 50000, "sliding_window": 4096,
      "tie_word_embeddings": true, "torch_dtype": "float16"}, "vision_config": {"model_type":
      "siglip_vision_model", "hidden_size": 1152, "image_size": 364, "intermediate_size": 4304,
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14, "vision_use_head":
      false}, "alignment_intermediate_size": 28672, "downsample_factor": 2, "torch_dtype":
      "float16"})"},
    {"CohereLabs/command-a-vision-07-2025", 111'867'525'360,
     R"({"model_type": "cohere2_vision", "architectures": ["Cohere2VisionForConditionalGeneration"],
      "text_config": {"model_type": "cohere2", "architectures": ["Cohere2ForCausalLM"],
      "hidden_size": 12288, "num_hidden_layers": 64, "num_attention_heads": 96,
      "num_key_value_heads": 8, "intermediate_size": 36864, "vocab_size": 256000,
      "max_position_embeddings": 131072, "rope_theta": 50000, "sliding_window": 4096,
      "tie_word_embeddings": true, "torch_dtype": "bfloat16"}, "vision_config": {"model_type":
      "siglip_vision_model", "hidden_size": 1152, "image_size": 512, "intermediate_size": 4304,
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 16, "vision_use_head":
      false}, "alignment_intermediate_size": 36864, "downsample_factor": 2, "torch_dtype":
      "bfloat16"})"},
    {"google/paligemma-3b-mix-448", 2'924'351'216,
     R"({"model_type": "paligemma", "architectures": ["PaliGemmaForConditionalGeneration"],
      "text_config": {"model_type": "gemma", "architectures": ["GemmaForCausalLM"], "hidden_size":
      2048, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1,
      "intermediate_size": 16384, "vocab_size": 257216, "max_position_embeddings": 8192,
      "rope_theta": 10000, "head_dim": 256, "torch_dtype": "bfloat16"}, "vision_config":
      {"model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 448,
      "intermediate_size": 4304, "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size":
      14, "vision_use_head": false}, "torch_dtype": "bfloat16"})"},
    {"LiquidAI/LFM2.5-VL-450M", 448'718'848,
     R"({"model_type": "lfm2_vl", "architectures": ["Lfm2VlForConditionalGeneration"],
      "text_config": {"model_type": "lfm2", "architectures": ["Lfm2ForCausalLM"], "hidden_size":
      1024, "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 8,
      "block_ff_dim": 6656, "intermediate_size": 6656, "block_auto_adjust_ff_dim": true,
      "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256, "conv_L_cache": 3, "conv_bias":
      false, "vocab_size": 65536, "max_position_embeddings": 128000, "rope_theta": 1000000.0,
      "tie_embedding": true, "full_attn_idxs": [2, 5, 8, 10, 12, 14], "torch_dtype": "bfloat16"},
      "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
      "num_attention_heads": 12, "patch_size": 16, "num_patches": 256}, "downsample_factor": 2,
      "projector_hidden_size": 2048, "projector_use_layernorm": false, "torch_dtype": "bfloat16"})"},
    {"ibm-granite/granite-vision-3.2-2b", 2'975'396'928,
     R"({"model_type": "llava_next", "architectures": ["LlavaNextForConditionalGeneration"],
      "vision_feature_layer": [-24, -20, -12, -1], "text_config": {"model_type": "granite",
      "architectures": ["GraniteForCausalLM"], "hidden_size": 2048, "num_hidden_layers": 40,
      "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192,
      "vocab_size": 49156, "max_position_embeddings": 131072, "rope_theta": 300000,
      "tie_word_embeddings": true, "torch_dtype": "bfloat16"}, "vision_config": {"model_type":
      "siglip_vision_model", "hidden_size": 1152, "image_size": 384, "intermediate_size": 4304,
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14},
      "tie_word_embeddings": true, "torch_dtype": "bfloat16"})"},
    {"nvidia/audio-flamingo-3-hf", 8'267'215'360,
     R"({"architectures": ["AudioFlamingo3ForConditionalGeneration"], "model_type":
      "audioflamingo3", "audio_token_id": 151669, "projector_bias": true, "audio_config":
      {"model_type": "audioflamingo3_encoder", "num_mel_bins": 128, "num_hidden_layers": 32,
      "num_attention_heads": 20, "intermediate_size": 5120, "hidden_size": 1280,
      "max_source_positions": 1500}, "text_config": {"model_type": "qwen2", "hidden_size": 3584,
      "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
      "num_key_value_heads": 4, "vocab_size": 151672, "max_position_embeddings": 32768,
      "rope_theta": 1000000.0, "tie_word_embeddings": false}, "torch_dtype": "bfloat16"})"},
    {"OpenGVLab/InternVL3-8B-hf", 7'944'373'760,
     R"({"architectures": ["InternVLForConditionalGeneration"], "model_type": "internvl",
      "text_config": {"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
      "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
      "vocab_size": 151674, "max_position_embeddings": 32768},
      "vision_config": {"model_type": "internvl_vision", "hidden_size": 1024,
      "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
      "image_size": [448, 448], "patch_size": [14, 14], "attention_bias": true,
      "use_qk_norm": false, "norm_type": "layer_norm"}, "image_seq_length": 256,
      "downsample_ratio": 0.5, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"HuggingFaceTB/SmolVLM-256M-Instruct", 256'484'928,
     R"({"architectures": ["Idefics3ForConditionalGeneration"], "model_type": "idefics3",
      "scale_factor": 4, "tie_word_embeddings": false, "text_config": {"model_type": "llama",
      "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
      "num_attention_heads": 9, "num_key_value_heads": 3, "head_dim": 64,
      "vocab_size": 49280, "max_position_embeddings": 8192},
      "vision_config": {"model_type": "idefics3", "hidden_size": 768,
      "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
      "image_size": 512, "patch_size": 16}, "torch_dtype": "bfloat16"})"},
    {"Qwen/Qwen3-Omni-30B-A3B-Thinking", 31'719'205'488,
     R"({"architectures": ["Qwen3OmniMoeForConditionalGeneration"],
      "model_type": "qwen3_omni_moe",
      "thinker_config": {"text_config": {"model_type": "qwen3_omni_moe_text",
      "hidden_size": 2048, "intermediate_size": 768, "moe_intermediate_size": 768,
      "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
      "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
      "decoder_sparse_step": 1, "vocab_size": 152064, "max_position_embeddings": 65536},
      "vision_config": {"depth": 27, "hidden_size": 1152, "num_heads": 16,
      "intermediate_size": 4304, "patch_size": 16, "out_hidden_size": 2048,
      "num_position_embeddings": 2304, "spatial_merge_size": 2, "temporal_patch_size": 2,
      "deepstack_visual_indexes": [8, 16, 24]}, "audio_config": {"d_model": 1280,
      "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120,
      "num_mel_bins": 128, "downsample_hidden_size": 480, "output_dim": 2048,
      "max_source_positions": 1500}}})"},
    {"Qwen/Qwen2.5-VL-7B-Instruct", 8'292'166'656,
     R"({"architectures": ["Qwen2_5_VLForConditionalGeneration"], "model_type": "qwen2_5_vl",
      "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
      "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
      "max_position_embeddings": 128000, "max_window_layers": 28, "sliding_window": 32768,
      "use_sliding_window": false, "tie_word_embeddings": false,
      "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
      "vision_config": {"depth": 32, "hidden_act": "silu", "hidden_size": 1280,
      "intermediate_size": 3420, "num_heads": 16, "in_chans": 3, "out_hidden_size": 3584,
      "patch_size": 14, "spatial_merge_size": 2, "window_size": 112,
      "fullatt_block_indexes": [7, 15, 23, 31], "temporal_patch_size": 2},
      "torch_dtype": "bfloat16"})"},
    {"rednote-hilab/dots.ocr", 3'039'179'264,
     R"({"architectures": ["DotsOCRForCausalLM"], "model_type": "dots_ocr",
      "hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
      "num_attention_heads": 12, "num_key_value_heads": 2, "vocab_size": 151936,
      "max_position_embeddings": 131072, "rope_theta": 1000000, "attention_bias": true,
      "tie_word_embeddings": false, "vision_config": {"embed_dim": 1536, "hidden_size": 1536,
      "intermediate_size": 4224, "num_hidden_layers": 42, "num_attention_heads": 12,
      "num_channels": 3, "patch_size": 14, "post_norm": true, "spatial_merge_size": 2,
      "temporal_patch_size": 1, "use_bias": false}, "torch_dtype": "bfloat16"})"},
    {"google/gemma-3-4b-it", 4'300'079'472,
     R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
      "mm_tokens_per_image": 256, "text_config": {"model_type": "gemma3_text",
      "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
      "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16,
      "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": false},
      "torch_dtype": "bfloat16"})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a family that sees or hears has the parameters of its checkpoint") {
    check_totals(kPublishedSeeing);
  }
}
