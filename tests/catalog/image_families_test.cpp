// Configs of families that see, in the sizes that their publishers give, held against the total
// that is published of each checkpoint.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;

namespace {

const std::string kQwen25_7B =
    R"("model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers":
      28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
      "max_position_embeddings": 32768, "rope_theta": 1000000.0, "tie_word_embeddings": false)";

const std::string kInternVit300M =
    R"("vision_config": {"model_type": "intern_vit_6b", "hidden_size": 1024, "intermediate_size":
      4096, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size": 448, "patch_size": 14,
      "qkv_bias": true, "qk_normalization": false, "norm_type": "layer_norm"})";

const std::string kSo400m =
    R"("vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152,
      "intermediate_size": 4304, "num_hidden_layers": 26, "num_attention_heads": 16, "image_size":
      384, "patch_size": 14, "vision_use_head": false})";

const std::string kKeye =
    R"({"architectures": ["KeyeForConditionalGeneration"], "model_type": "Keye", "hidden_size": 4096,
      "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings":
      40960, "rope_theta": 1000000, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24,
      24]}, "attention_bias": false, "sliding_window": null, "use_sliding_window": false,
      "max_window_layers": 36, "tie_word_embeddings": false, "vision_config": {"model_type":
      "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers":
      27, "num_attention_heads": 16, "image_size": 384, "patch_size": 14, "spatial_merge_size": 2},
      "torch_dtype": "bfloat16"})";

// The Hub's safetensors metadata of these.
const std::vector<Published> kSeeing = {
    // With the norm behind AIMv2's blocks, which vLLM does not load.
    {"AIDC-AI/Ovis2-8B", 8'935'282'678,
     R"({"architectures": ["Ovis"], "model_type": "ovis", "hidden_size": 3584,
      "multimodal_max_length": 32768, "llm_config": {)" +
         kQwen25_7B +
         R"(}, "visual_tokenizer_config": {"model_type": "aimv2_visual_tokenizer", "vocab_size":
      65536, "hidden_stride": 2, "tokenize_function": "softmax", "backbone_config": {"model_type":
      "aimv2", "hidden_size": 1536, "intermediate_size": 4096, "num_hidden_layers": 24,
      "num_attention_heads": 12, "image_size": 448, "patch_size": 14, "qkv_bias": false, "use_bias":
      false}}, "torch_dtype": "bfloat16"})"},
    {"AIDC-AI/Ovis1.6-Llama3.2-3B", 4'144'399'926,
     R"({"architectures": ["Ovis"], "model_type": "ovis", "hidden_size": 3072, "llm_config":
      {"model_type": "llama", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers":
      28, "num_attention_heads": 24, "num_key_value_heads": 8, "head_dim": 128, "vocab_size":
      128256, "max_position_embeddings": 131072, "tie_word_embeddings": true},
      "visual_tokenizer_config": {"model_type": "siglip_visual_tokenizer", "vocab_size": 65536,
      "hidden_stride": 2, "backbone_config": {"model_type": "siglip_vision_model", "hidden_size":
      1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16,
      "image_size": 384, "patch_size": 14}}, "torch_dtype": "bfloat16"})"},
    {"thisisiron/Ovis2-1B-hf", 1'131'283'318,
     R"({"architectures": ["Ovis2ForConditionalGeneration"], "model_type": "ovis2", "hidden_size":
      896, "vocab_size": 151936, "text_config": {"model_type": "qwen2", "hidden_size": 896,
      "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
      "num_key_value_heads": 2, "vocab_size": 151936, "max_position_embeddings": 32768,
      "tie_word_embeddings": true}, "vision_config": {"hidden_size": 1024, "intermediate_size":
      2816, "num_hidden_layers": 24, "num_attention_heads": 8, "image_size": 448, "patch_size": 14,
      "vocab_size": 65536, "hidden_stride": 2, "num_visual_indicator_tokens": 5}, "torch_dtype":
      "bfloat16"})"},
    {"AIDC-AI/Ovis2.6-30B-A3B", 31'381'977'320,
     R"({"architectures": ["Ovis2_6_MoeForCausalLM"], "model_type": "ovis2_6_moe", "hidden_size":
      2048, "visual_vocab_size": 65536, "llm_config": {"model_type": "qwen3_moe", "hidden_size":
      2048, "intermediate_size": 6144, "num_hidden_layers": 48, "num_attention_heads": 32,
      "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
      "moe_intermediate_size": 768, "vocab_size": 151936, "max_position_embeddings": 262144,
      "tie_word_embeddings": false}, "vit_config": {"model_type": "siglip2_navit", "hidden_size":
      1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16,
      "image_size": 512, "patch_size": 16, "num_patches": -1, "hidden_stride": 2,
      "preserve_original_pe": true}, "torch_dtype": "bfloat16"})"},
    {"rhymes-ai/Aria", 25'307'311'216,
     R"({"architectures": ["AriaForConditionalGeneration"], "model_type": "aria",
      "projector_patch_to_query_dict": {"1225": 128, "4900": 256}, "text_config": {"model_type":
      "aria_text", "hidden_size": 2560, "intermediate_size": 1664, "num_hidden_layers": 28,
      "num_attention_heads": 20, "num_key_value_heads": 20, "head_dim": 128, "moe_num_experts": 64,
      "moe_topk": 6, "moe_num_shared_experts": 2, "vocab_size": 100352, "max_position_embeddings":
      65536, "rope_theta": 5000000, "tie_word_embeddings": false}, "vision_config": {"model_type":
      "idefics3_vision", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
      "num_attention_heads": 16, "image_size": 980, "patch_size": 14}, "torch_dtype":
      "bfloat16"})"},
    {"YannQi/R-4B", 4'819'012'384,
     R"({"architectures": ["RForConditionalGeneration"], "model_type": "R", "vision_aspect_ratio":
      "anyres_max_9", "text_config": {"model_type": "qwen3", "hidden_size": 2560,
      "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 152000, "max_position_embeddings":
      40960, "rope_theta": 1000000, "tie_word_embeddings": false}, )" +
         kSo400m + R"(, "torch_dtype": "bfloat16"})"},
    {"Open-Bee/Bee-8B-RL", 8'675'017'504,
     R"({"architectures": ["BeeForConditionalGeneration"], "model_type": "Bee",
      "vision_aspect_ratio": "anyres_max_9", "text_config": {"model_type": "qwen3", "hidden_size":
      4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 152000, "max_position_embeddings":
      40960, "rope_theta": 1000000, "tie_word_embeddings": false}, )" +
         kSo400m + R"(, "torch_dtype": "bfloat16"})"},
    {"PerceptronAI/Isaac-0.1", 2'567'073'008,
     R"({"architectures": ["IsaacForConditionalGeneration"], "model_type": "isaac", "hidden_size":
      2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings":
      40960, "rope_theta": 1000000, "tie_word_embeddings": false, "pixel_shuffle_scale": 2,
      "vision_max_num_patches": 6144, "vision_patch_size": 16, "vision_config": {"model_type":
      "pixel_shuffle_siglip2", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers":
      27, "num_attention_heads": 16, "num_patches": 256, "patch_size": 16,
      "pixel_shuffle_scale_factor": 2}, "torch_dtype": "bfloat16"})"},
    {"Skywork/Skywork-R1V-38B", 38'392'158'592,
     R"({"architectures": ["SkyworkR1VChatModel"], "model_type": "skywork_chat",
      "max_dynamic_patch": 12, "downsample_ratio": 0.5, "llm_config": {"model_type": "qwen2",
      "hidden_size": 5120, "intermediate_size": 27648, "num_hidden_layers": 64,
      "num_attention_heads": 40, "num_key_value_heads": 8, "vocab_size": 152064,
      "max_position_embeddings": 131072, "rope_theta": 1000000.0, "tie_word_embeddings": false},
      "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 3200, "intermediate_size":
      12800, "num_hidden_layers": 45, "num_attention_heads": 25, "image_size": 448, "patch_size":
      14, "qkv_bias": false, "qk_normalization": true, "norm_type": "rms_norm"}, "torch_dtype":
      "bfloat16"})"},
    {"h2oai/h2ovl-mississippi-2b", 2'152'317'440,
     R"({"architectures": ["H2OVLChatModel"], "model_type": "h2ovl_chat", "max_dynamic_patch": 6,
      "use_msac": true, "downsample_ratio": 0.5, "llm_config": {"model_type": "llama",
      "hidden_size": 2560, "intermediate_size": 6912, "num_hidden_layers": 24,
      "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32010,
      "max_position_embeddings": 8192, "tie_word_embeddings": false}, )" +
         kInternVit300M + R"(, "torch_dtype": "bfloat16"})"},
    {"h2oai/h2ovl-mississippi-800m", 826'295'808,
     R"({"architectures": ["H2OVLChatModel"], "model_type": "h2ovl_chat", "max_dynamic_patch": 6,
      "use_msac": false, "downsample_ratio": 0.5, "llm_config": {"model_type": "llama",
      "hidden_size": 1536, "intermediate_size": 4096, "num_hidden_layers": 16,
      "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32010,
      "max_position_embeddings": 8192, "tie_word_embeddings": false}, )" +
         kInternVit300M + R"(, "torch_dtype": "bfloat16"})"},
    {"baidu/Qianfan-OCR", 4'741'408'256,
     R"({"architectures": ["QianfanOCRForConditionalGeneration"], "model_type": "qianfan_ocr",
      "max_dynamic_patch": 12, "downsample_ratio": 0.5, "tie_word_embeddings": false, "text_config":
      {"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers":
      36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size":
      153678, "max_position_embeddings": 32768, "rope_theta": 1000000, "tie_word_embeddings":
      false}, )" +
         kInternVit300M + R"(, "torch_dtype": "bfloat16"})"},
    {"nvidia/Eagle2.5-8B", 8'070'777'280,
     R"({"architectures": ["Eagle2_5_VLForConditionalGeneration"], "model_type": "eagle_2_5_vl",
      "downsample_ratio": 0.5, "text_config": {"model_type": "qwen2",
      "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
      "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 151676,
      "max_position_embeddings": 32768, "rope_theta": 1000000.0, "tie_word_embeddings": false}, "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152,
      "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size":
      448, "patch_size": 14}, "torch_dtype": "bfloat16"})"},
    {"kakaocorp/kanana-1.5-v-3b-instruct", 3'667'900'224,
     R"({"architectures": ["KananaVForConditionalGeneration"], "model_type": "kanana-1.5-v",
      "text_config": {"model_type": "kanana-1.5-3b-instruct", "hidden_size": 2048,
      "intermediate_size": 9216, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128259, "max_position_embeddings":
      32768, "rope_theta": 8000000.0, "tie_word_embeddings": false}, "vision_config": {"model_type":
      "kanana-1.5-v-visual-encoder", "depth": 32, "embed_dim": 1280, "hidden_size": 1280,
      "mlp_ratio": 4, "num_heads": 16, "patch_size": 14, "spatial_merge_size": 2,
      "temporal_patch_size": 2, "image_size": "dynamic"}, "projector_config": {"depth": 2,
      "encoder_hidden_size": 1280, "hidden_size": 1024, "merge_size": 2, "mlp_depth": 2,
      "output_hidden_size": 2048, "pos_emb": true, "pos_emb_size": 576}, "torch_dtype":
      "bfloat16"})"},
    {"TIGER-Lab/Mantis-8B-siglip-llama3", 8'480'007'232,
     R"({"architectures": ["MantisForConditionalGeneration"], "model_type": "llava", "text_config":
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers":
      32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128258,
      "max_position_embeddings": 8192, "rope_theta": 500000.0}, "vision_config": {"model_type":
      "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers":
      27, "num_attention_heads": 16, "image_size": 384, "patch_size": 14}, "torch_dtype":
      "bfloat16"})"},
    {"omni-research/Tarsier-7b", 7'063'427'072,
     R"({"architectures": ["TarsierForConditionalGeneration"], "model_type": "llava",
      "text_config": {"model_type": "llama", "vocab_size": 32064, "max_position_embeddings": 4096,
      "num_key_value_heads": 32}, "vision_config": {"model_type": "clip_vision_model",
      "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
      "num_attention_heads": 16, "image_size": 336, "patch_size": 14}, "torch_dtype": "float16"})"},
    // The layers and the vocabulary of its decoder, and Pixtral's own sizes.
    {"mistral-experimental/pixtral-12b", 12'682'739'712,
     R"({"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava", "text_config":
      {"model_type": "mistral", "hidden_size": 5120, "intermediate_size": 14336,
      "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
      "vocab_size": 131072, "max_position_embeddings": 1024000, "rope_theta": 1000000000.0,
      "sliding_window": null}, "vision_config": {"model_type": "pixtral", "hidden_size": 1024,
      "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size":
      1024, "patch_size": 16}, "torch_dtype": "bfloat16"})"},
    {"llava-hf/LLaVA-NeXT-Video-7B-hf", 7'063'431'168,
     R"({"architectures": ["LlavaNextVideoForConditionalGeneration"], "model_type":
      "llava_next_video", "spatial_pool_stride": 2, "text_config": {"model_type": "llama",
      "vocab_size": 32064, "max_position_embeddings": 4096}, "vision_config": {"model_type":
      "clip_vision_model", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
      "num_attention_heads": 16, "image_size": 336, "patch_size": 14}, "torch_dtype":
      "bfloat16"})"},
    {"lightonai/LightOnOCR-2-1B", 1'005'647'872,
     R"({"architectures": ["LightOnOCRForConditionalGeneration"], "model_type": "mistral3",
      "spatial_merge_size": 2, "multimodal_projector_bias": false, "text_config": {"model_type":
      "qwen3", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
      "max_position_embeddings": 16384, "tie_word_embeddings": true}, "vision_config":
      {"model_type": "pixtral", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers":
      24, "num_attention_heads": 16, "image_size": 1540, "patch_size": 14}, "torch_dtype":
      "bfloat16"})"},
    // As published: sizes that equal the defaults of their classes are left out.
    {"Salesforce/blip2-opt-2.7b", 3'744'761'856,
     R"({"architectures": ["Blip2ForConditionalGeneration"], "image_text_hidden_size": 256,
      "model_type": "blip-2", "num_query_tokens": 32, "qformer_config": {"classifier_dropout": null,
      "model_type": "blip_2_qformer"}, "text_config": {"_name_or_path": "facebook/opt-2.7b",
      "ffn_dim": 10240, "hidden_size": 2560, "model_type": "opt", "num_attention_heads": 32,
      "num_hidden_layers": 32, "torch_dtype": "float16", "vocab_size": 50304,
      "word_embed_proj_dim": 2560}, "torch_dtype": "float32", "use_decoder_only_language_model":
      true, "vision_config": {"model_type": "blip_2_vision_model", "num_channels": 3,
      "projection_dim": 512}})"},
    {"Salesforce/blip2-flan-t5-xl", 3'942'446'592,
     R"({"architectures": ["Blip2ForConditionalGeneration"], "image_text_hidden_size": 256,
      "model_type": "blip-2", "num_query_tokens": 32, "qformer_config": {"classifier_dropout": null,
      "model_type": "blip_2_qformer"}, "text_config": {"d_ff": 5120, "d_kv": 64, "d_model": 2048,
      "dense_act_fn": "gelu", "feed_forward_proj": "gated-gelu", "is_encoder_decoder": true,
      "is_gated_act": true, "model_type": "t5", "n_positions": 512, "num_decoder_layers": 24,
      "num_heads": 32, "num_layers": 24, "relative_attention_max_distance": 128,
      "relative_attention_num_buckets": 32, "tie_word_embeddings": false, "torch_dtype": "float32",
      "vocab_size": 32128}, "torch_dtype": "float32", "use_decoder_only_language_model": false,
      "vision_config": {"model_type": "blip_2_vision_model"}})"},
    {"facebook/chameleon-7b", 7'043'090'432,
     R"({"architectures": ["ChameleonForConditionalGeneration"], "model_type": "chameleon",
      "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 65536,
      "max_position_embeddings": 4096, "tie_word_embeddings": false, "swin_norm": false,
      "vq_config": {"model_type": "chameleon_vqgan", "attn_resolutions": null, "attn_type":
      "vanilla", "base_channels": 128, "channel_multiplier": [1, 1, 2, 2, 4], "embed_dim": 256,
      "latent_channels": 256, "num_embeddings": 8192, "num_res_blocks": 2, "resolution": 512},
      "torch_dtype": "bfloat16"})"},
    // Less the running means and variances of eight batch norms of four channels.
    {"BAAI/Emu3-Chat-hf", 8'762'751'871 - 64,
     R"({"architectures": ["Emu3ForConditionalGeneration"], "model_type": "emu3", "text_config":
      {"model_type": "emu3_text_model", "max_position_embeddings": 131072}, "vq_config":
      {"model_type": "emu3_vqgan"}, "torch_dtype": "bfloat16"})"},
    {"adept/fuyu-8b", 9'408'238'592,
     R"({"architectures": ["FuyuForCausalLM"], "model_type": "fuyu", "hidden_size": 4096,
      "intermediate_size": 16384, "num_hidden_layers": 36, "num_attention_heads": 64, "vocab_size":
      262144, "max_position_embeddings": 16384, "qk_layernorm": true, "partial_rotary_factor": 0.5,
      "rope_theta": 25000.0, "image_size": 300, "patch_size": 30, "num_channels": 3,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"moondream/moondream3-preview", 9'268'626'928,
     R"({"architectures": ["HfMoondream"], "model_type": "moondream3", "config": {}, "torch_dtype":
      "bfloat16"})"},
};

// Counted by hand, matrix by matrix of vLLM's classes.
const std::vector<Published> kCounted = {
    // Qwen3-8B's 8,190,735,360; SigLIP with its head 428,225,600; 32768 x 1152 packed positions; a
    // norm of 2 x 1152; 4608 x 4608 + 4608 and 4608 x 4096 + 4096 of the projector.
    {"Kwai-Keye/Keye-VL-8B-Preview",
     8'190'735'360 + 428'225'600 + 37'748'736 + 2'304 + 21'238'272 + 18'878'464, kKeye},
    // In 1.5 the norm is of four patches: 2 x 4608.
    {"Kwai-Keye/Keye-VL-1.5-8B",
     8'190'735'360 + 428'225'600 + 37'748'736 + 9'216 + 21'238'272 + 18'878'464,
     R"({"architectures": ["KeyeVL1_5ForConditionalGeneration"], "model_type": "KeyeVL1_5", )" +
         kKeye.substr(kKeye.find(R"("hidden_size")"))},
    // The Hub counts 8,292,168,448: with a table of 64 frequencies for each of 28 layers, which are
    // no parameters.
    {"xlangai/OpenCUA-7B", 8'292'168'448 - 28 * 64,
     R"({"architectures": ["OpenCUAForConditionalGeneration"], "model_type": "opencua",
      "text_config": {)" +
         kQwen25_7B +
         R"(}, "vision_config": {"model_type": "qwen2_5_vl", "depth": 32, "hidden_size": 1280,
      "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 3584, "patch_size": 14,
      "spatial_merge_size": 2, "temporal_patch_size": 2, "fullatt_block_indexes": [7, 15, 23, 31]},
      "torch_dtype": "bfloat16"})"},
    // 94 layers of 71,303,168 + 256 of attention, 512 x 4096 of the router, 512 x 3 x 4096 x 1536
    // of the experts and 2 x 4096; 2 x 155008 x 4096 + 4096; 2 x 4 x 45 x 45 of 45 frequencies. Of
    // the encoder 1536 x 1024 + 1024, 2304 x 1024, 24 x 12,596,224, a norm of 2 x 1024, 4096 x 4096
    // + 4096 twice.
    {"internlm/Intern-S1-Pro",
     94 * (71'303'424 + 2'097'152 + 9'663'676'416 + 8'192) + 1'269'829'632 + 16'200 + 1'573'888 +
         2'359'296 + 24 * 12'596'224 + 2'048 + 33'562'624,
     R"({"architectures": ["InternS1ProForConditionalGeneration"], "model_type": "interns1_pro",
      "text_config": {"attention_bias": false, "decoder_sparse_step": 1, "dtype": "bfloat16",
      "head_dim": 128, "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings":
      262144, "mlp_only_layers": [], "model_type": "interns1_pro_text", "moe_intermediate_size":
      1536, "num_attention_heads": 64, "num_experts": 512, "num_experts_per_tok": 8,
      "num_hidden_layers": 94, "num_key_value_heads": 4, "rope_scaling": {"rope_type": "default",
      "fope_init_factor": 0.5, "fope_sep_head": true, "num_inv_freq": null}, "rope_theta": 5000000,
      "router_n_groups": 8, "vocab_size": 155008}, "tie_word_embeddings": false, "vision_config":
      {"depth": 24, "hidden_size": 1024, "in_channels": 3, "intermediate_size": 4096, "model_type":
      "interns1_pro_vision", "num_heads": 16, "num_position_embeddings": 2304, "out_hidden_size":
      4096, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2}})"},
    // Qwen2-VL-7B's 8,291,375,616, whose sizes it has.
    {"omni-research/Tarsier2-Recap-7b", 8'291'375'616,
     R"({"architectures": ["Tarsier2ForConditionalGeneration"], "model_type": "tarsier2",
      "text_config": {)" +
         kQwen25_7B +
         R"(}, "vision_config": {"model_type": "qwen2_vl", "depth": 32, "embed_dim": 1280,
      "hidden_size": 3584, "mlp_ratio": 4, "num_heads": 16, "patch_size": 14, "spatial_merge_size":
      2, "temporal_patch_size": 2}, "torch_dtype": "bfloat16"})"},
    // Qwen2-72B's 72,706,203,648; of InternViT-6B 588 x 3200 + 3200, 1026 x 3200 and 45 blocks of
    // 4 x 3200 x 3200 + 2 x 3200 x 12800 + 12800 + 8 x 3200; a norm of 2 x 12800, 12800 x 29568 and
    // 29568 x 8192.
    {"nvidia/NVLM-D-72B", 72'706'203'648 + 5'536'496'000 + 25'600 + 378'470'400 + 242'221'056,
     R"({"architectures": ["NVLM_D"], "model_type": "NVLM_D", "max_dynamic_patch": 6, "llm_config":
      {"model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers":
      80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 152064,
      "max_position_embeddings": 32768, "rope_theta": 1000000.0, "tie_word_embeddings": false},
      "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 3200, "intermediate_size":
      12800, "num_hidden_layers": 45, "num_attention_heads": 25, "image_size": 448, "patch_size":
      14, "qkv_bias": false, "qk_normalization": true, "norm_type": "rms_norm"}, "torch_dtype":
      "bfloat16"})"},
    // Llama 3.1 8B's 8,030,261,248; of C-RADIO 768 x 1280 + (128 x 128 + 8) x 1280 + 32 x
    // 19,677,440; a norm of 2 x 5120, 5120 x 4096 + 4096 and 4096 x 4096 + 4096.
    {"nvidia/Llama-3.1-Nemotron-Nano-VL-8B-V1",
     8'030'261'248 + 983'040 + 20'981'760 + 629'678'080 + 10'240 + 20'975'616 + 16'781'312,
     R"({"architectures": ["Llama_Nemotron_Nano_VL"], "model_type": "Llama_Nemotron_Nano_VL",
      "downsample_ratio": 0.5, "force_image_size": 512, "patch_size": 16, "vit_hidden_size": 1280,
      "projector_hidden_size": 4096, "llm_config": {"model_type": "llama", "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
      "rope_theta": 500000.0, "tie_word_embeddings": false}, "vision_config": {"args": {"model":
      "vit_huge_patch16_224", "cpe_max_size": 2048, "register_multiple": 8}, "patch_size": 16},
      "torch_dtype": "bfloat16"})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE(
      "a family that sees has the parameters of its checkpoint, codecs and queries included") {
    check_totals(kSeeing);
    check_totals(kCounted);
  }

  TEST_CASE("towers tell what their largest picture becomes") {
    struct Row {
      std::string id;
      std::int64_t inner;
      std::int64_t output;
    };
    const std::vector<Row> rows = {
        // Ten tiles of 32 x 32 patches, four to a token, a mark before each and one at the end.
        {"AIDC-AI/Ovis2-8B", 10 * 1024, 10 * 256 + 11},
        // 27 patches a line, of which two become 14 tokens.
        {"AIDC-AI/Ovis1.6-Llama3.2-3B", 10 * 729, 10 * 196 + 11},
        // 1792 / 16 patches a line, four to a token.
        {"AIDC-AI/Ovis2.6-30B-A3B", 12544, 3136},
        {"rhymes-ai/Aria", 4900, 256},
        {"PerceptronAI/Isaac-0.1", 6144, 1536},
        // Twice six tiles and an overview (MSAC); six and an overview without.
        {"h2oai/h2ovl-mississippi-2b", 13 * 1025, 13 * 256},
        {"h2oai/h2ovl-mississippi-800m", 7 * 1025, 7 * 256},
        {"nvidia/Eagle2.5-8B", 13 * 1024, 13 * 256},
        {"Salesforce/blip2-opt-2.7b", 257, 32},
        {"facebook/chameleon-7b", 0, 1024},
        // 36 lines of 64 patches, and the end of each.
        {"adept/fuyu-8b", 0, 36 * 65},
        // Twelve crops and an overview, which come to the tokens of one and its beginning.
        {"moondream/moondream3-preview", 13 * 729, 730},
    };
    for (const Row& row : rows) {
      CAPTURE(row.id);
      const auto found = std::ranges::find(kSeeing, row.id, &Published::id);
      REQUIRE(found != kSeeing.end());
      const auto model = model_of(found->config);
      REQUIRE(model.towers.size() == 1);
      CHECK(model.towers.front().inner_tokens == row.inner);
      CHECK(model.towers.front().output_tokens == row.output);
    }
  }

  TEST_CASE("Moondream 3 attends beside its network, dense in four layers and mixed behind them") {
    const auto found = std::ranges::find(kSeeing, "moondream/moondream3-preview", &Published::id);
    REQUIRE(found != kSeeing.end());
    const auto model = model_of(found->config);
    REQUIRE(model.layers.size() == 2);
    CHECK(model.layers.front().count == 4);
    CHECK(model.layers.back().count == 20);
    CHECK(model.layers.back().layer.attention.kv_heads == 32);
    CHECK(model.layers.back().layer.attention.head_dim == 64);
    CHECK(model.rope.rotary_dim == 32);
    // Eight of 64 experts: 20 x 56 x 3 x 2048 x 1024 fewer for one token.
    CHECK(model.parameters.total - model.parameters.active >= 7'046'430'720);
  }

  TEST_CASE("an encoder that Ovis does not know is refused by its name") {
    const auto found = std::ranges::find(kSeeing, "AIDC-AI/Ovis2-8B", &Published::id);
    REQUIRE(found != kSeeing.end());
    const auto model =
        read_config(json(replaced(found->config, R"("aimv2",)", R"("dinov2",)")), "some/ovis");
    REQUIRE(!model);
    CHECK(mentions(model.error(), "visual tokenizer 'dinov2' is not understood"));
  }
}
