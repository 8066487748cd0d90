// One config of each family, in the sizes that its publisher gives, held against the total that the
// Hugging Face Hub counts in the published checkpoint (safetensors metadata).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;

namespace {

struct Published {
  const char* id;
  std::int64_t total;
  const char* config;
};

const std::vector<Published> kPublished = {
    {"allenai/Flex-reddit-2x7B-1T", 11'627'401'216,
     R"({"architectures": ["FlexOlmoForCausalLM"], "model_type": "flex_olmo", "hidden_size": 4096,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
      "intermediate_size": 11008, "num_experts": 2, "num_experts_per_tok": 2, "vocab_size":
      100352, "max_position_embeddings": 4096, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16"})"},
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
    {"Zyphra/Zamba2-1.2B-instruct", 1'215'064'704,
     R"({"architectures": ["Zamba2ForCausalLM"], "model_type": "zamba2", "hidden_size": 2048,
      "num_hidden_layers": 38, "num_attention_heads": 32, "num_key_value_heads": 32,
      "attention_head_dim": 128, "attention_hidden_size": 4096, "kv_channels": 64,
      "intermediate_size": 8192, "ffn_hidden_size": 8192, "vocab_size": 32000,
      "max_position_embeddings": 4096, "layers_block_type": ["mamba", "mamba", "mamba", "mamba",
      "mamba", "hybrid", "mamba", "mamba", "mamba", "mamba", "mamba", "hybrid", "mamba", "mamba",
      "mamba", "mamba", "mamba", "hybrid", "mamba", "mamba", "mamba", "mamba", "mamba", "hybrid",
      "mamba", "mamba", "mamba", "mamba", "mamba", "hybrid", "mamba", "mamba", "mamba", "mamba",
      "mamba", "hybrid", "mamba", "mamba"], "mamba_d_conv": 4, "mamba_d_state": 128,
      "mamba_expand": 2, "mamba_headdim": 64, "mamba_ngroups": 1, "n_mamba_heads": 64,
      "add_bias_linear": false, "adapter_rank": 128, "num_mem_blocks": 1, "use_conv_bias": true,
      "use_mem_rope": true, "use_shared_attention_adapter": true, "use_shared_mlp_adapter": true,
      "rope_theta": 10000, "torch_dtype": "bfloat16"})"},
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
    {"jinaai/jina-embeddings-v2-base-en", 137'368'320,
     R"({"architectures": ["JinaBertForMaskedLM"], "model_type": "bert", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "vocab_size": 30528, "max_position_embeddings": 8192, "position_embedding_type": "alibi",
      "feed_forward_type": "geglu", "type_vocab_size": 2, "torch_dtype": "float32"})"},
    {"jinaai/jina-embeddings-v2-base-code", 160'869'120,
     R"({"architectures": ["JinaBertForMaskedLM"], "model_type": "bert", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "vocab_size": 61056, "max_position_embeddings": 8192, "position_embedding_type": "alibi",
      "feed_forward_type": "geglu", "type_vocab_size": 2, "torch_dtype": "float32", "auto_map":
      {"AutoModel": "jinaai/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel"}})"},
    {"jinaai/jina-embeddings-v5-text-nano-clustering", 211'766'016,
     R"({"architectures": ["EuroBertModel"], "model_type": "eurobert", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "num_key_value_heads": 12,
      "intermediate_size": 3072, "vocab_size": 128256, "max_position_embeddings": 8192,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"Alibaba-NLP/gte-multilingual-base", 305'368'320,
     R"({"architectures": ["NewModel"], "model_type": "new", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "vocab_size": 250048, "type_vocab_size": 1, "max_position_embeddings": 8192, "rope_theta":
      20000, "rope_scaling": {"type": "ntk", "factor": 8.0}, "torch_dtype": "float16"})"},
    {"Alibaba-NLP/gte-base-en-v1.5", 136'776'192,
     R"({"architectures": ["NewModel"], "model_type": "new", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "vocab_size": 30528, "type_vocab_size": 0, "max_position_embeddings": 8192, "rope_theta":
      500000, "torch_dtype": "float32"})"},
    {"facebook/opt-350m", 331'196'416,
     R"({"architectures": ["OPTForCausalLM"], "model_type": "opt", "hidden_size": 1024,
      "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 50272,
      "max_position_embeddings": 2048, "word_embed_proj_dim": 512, "do_layer_norm_before": false,
      "torch_dtype": "float16"})"},
    // 150,364,416 with the masks of six layers: 6 x 2048 x 2048 less.
    {"EleutherAI/gpt-neo-125m", 125'198'592,
     R"({"architectures": ["GPTNeoForCausalLM"], "model_type": "gpt_neo", "hidden_size": 768,
      "num_layers": 12, "num_heads": 12, "window_size": 256, "vocab_size": 50257,
      "max_position_embeddings": 2048, "torch_dtype": "float32"})"},
    {"microsoft/biogpt", 346'763'264,
     R"({"architectures": ["BioGptForCausalLM"], "model_type": "biogpt", "hidden_size": 1024,
      "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size":
      42384, "max_position_embeddings": 1024, "torch_dtype": "float32"})"},
    // 119,680,512 with the masks of twelve layers: 12 x 512 x 512 less.
    {"openai-community/openai-gpt", 116'534'784,
     R"({"architectures": ["OpenAIGPTLMHeadModel"], "model_type": "openai-gpt", "n_embd": 768,
      "n_head": 12, "n_layer": 12, "n_positions": 512, "vocab_size": 40478, "torch_dtype":
      "float32"})"},
    // 132,099,328 with 16,384 position indices.
    {"google/canine-s", 132'082'944,
     R"({"architectures": ["CanineModel"], "model_type": "canine", "hidden_size": 768,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "max_position_embeddings": 16384, "num_hash_buckets": 16384, "num_hash_functions": 8,
      "downsampling_rate": 4, "upsampling_kernel_size": 4, "type_vocab_size": 16, "torch_dtype":
      "float32"})"},
    {"jinaai/jina-embedding-b-en-v1", 109'628'544,
     R"({"architectures": ["T5EncoderModel"], "model_type": "t5", "d_model": 768, "d_kv": 64,
      "num_heads": 12, "d_ff": 3072, "num_layers": 12, "vocab_size": 32128, "n_positions": 512,
      "relative_attention_num_buckets": 32, "feed_forward_proj": "relu", "torch_dtype":
      "float32"})"},
    {"google/flan-t5-base", 247'577'856,
     R"({"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_model": 768,
      "d_kv": 64, "num_heads": 12, "d_ff": 2048, "num_layers": 12, "vocab_size": 32128,
      "n_positions": 512, "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu",
      "tie_word_embeddings": false, "torch_dtype": "float32"})"},
    {"google/siglip2-giant-opt-patch16-384", 1'871'885'426,
     R"({"architectures": ["SiglipModel"], "model_type": "siglip", "torch_dtype": "float32",
      "text_config": {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
      "num_attention_heads": 16, "projection_size": 1536, "model_type": "siglip_text_model",
      "vocab_size": 256000, "max_position_embeddings": 64}, "vision_config": {"hidden_size": 1536,
      "intermediate_size": 6144, "num_hidden_layers": 40, "num_attention_heads": 16, "model_type":
      "siglip_vision_model", "image_size": 384, "patch_size": 16}})"},
    {"nomic-ai/nomic-embed-text-v2-moe", 475'292'928,
     R"({"architectures": ["NomicBertModel"], "model_type": "nomic_bert", "n_embd": 768, "n_head":
      12, "n_layer": 12, "n_inner": 3072, "n_positions": 2048, "vocab_size": 250048,
      "type_vocab_size": 1, "activation_function": "gelu", "qkv_proj_bias": true, "mlp_fc1_bias":
      true, "mlp_fc2_bias": true, "num_experts": 8, "moe_top_k": 2, "moe_every_n_layers": 2,
      "rotary_emb_base": 10000, "torch_dtype": "float32"})"},
    // 950,186,496 with the maps of 128,256 and 32,000 tokens.
    {"RedHatAI/Llama-3.1-8B-Instruct-speculator.eagle3", 950'026'240,
     R"({"architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama", "hidden_size": 4096,
      "num_hidden_layers": 1, "num_attention_heads": 32, "num_key_value_heads": 8,
      "intermediate_size": 14336, "vocab_size": 128256, "draft_vocab_size": 32000,
      "max_position_embeddings": 2048, "tie_word_embeddings": false, "torch_dtype": "float16"})"},
    // 854,792,768 with the maps of 201,088 and 64,000 tokens.
    {"RedHatAI/gpt-oss-20b-speculator.eagle3", 854'527'680,
     R"({"architectures": ["Eagle3Speculator"], "model_type": "eagle3", "draft_vocab_size": 64000,
      "norm_before_fc": true, "torch_dtype": "bfloat16", "transformer_layer_config":
      {"model_type": "llama", "hidden_size": 2880, "num_hidden_layers": 1, "num_attention_heads":
      64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "vocab_size":
      201088, "max_position_embeddings": 131072, "tie_word_embeddings": false}})"},
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
    {"LGAI-EXAONE/K-EXAONE-236B-A23B", 237'099'669'632,
     R"({"model_type": "exaone_moe", "architectures": ["ExaoneMoEForCausalLM"], "hidden_size": 6144,
      "num_hidden_layers": 48, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim":
      128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_experts": 128,
      "num_experts_per_tok": 8, "num_shared_experts": 1, "n_shared_experts": 1,
      "first_k_dense_replace": 1, "vocab_size": 153600, "max_position_embeddings": 262144,
      "rope_theta": 1000000.0, "sliding_window": 128, "num_nextn_predict_layers": 1,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"tencent/Hy3-preview", 298'786'155'776,
     R"({"model_type": "hy_v3", "architectures": ["HYV3ForCausalLM"], "hidden_size": 4096,
      "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim":
      128, "intermediate_size": 13312, "moe_intermediate_size": 1536, "num_experts": 192,
      "num_experts_per_tok": 8, "n_shared_experts": 1, "num_shared_experts": 1,
      "first_k_dense_replace": 1, "vocab_size": 120832, "max_position_embeddings": 262144,
      "rope_theta": 11158840, "num_nextn_predict_layers": 1, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    {"facebook/opt-125m", 125'239'296,
     R"({"architectures": ["OPTForCausalLM"], "model_type": "opt", "vocab_size": 50272,
      "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
      "ffn_dim": 3072, "max_position_embeddings": 2048, "word_embed_proj_dim": 768,
      "do_layer_norm_before": true, "torch_dtype": "float16"})"},
    {"bigscience/bloom-560m", 559'214'592,
     R"({"architectures": ["BloomForCausalLM"], "model_type": "bloom", "n_embed": 1024,
      "n_layer": 24, "num_attention_heads": 16, "vocab_size": 250880, "seq_length": 2048})"},
    {"google/gemma-7b", 8'537'680'896,
     R"({"architectures": ["GemmaForCausalLM"], "model_type": "gemma", "hidden_size": 3072,
      "intermediate_size": 24576, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 16, "head_dim": 256, "vocab_size": 256000,
      "max_position_embeddings": 8192, "torch_dtype": "bfloat16"})"},
    {"allenai/OLMoE-1B-7B-0125", 6'919'161'856,
     R"({"architectures": ["OlmoeForCausalLM"], "model_type": "olmoe", "hidden_size": 2048,
      "intermediate_size": 1024, "num_hidden_layers": 16, "num_attention_heads": 16,
      "num_key_value_heads": 16, "num_experts": 64, "num_experts_per_tok": 8,
      "vocab_size": 50304, "max_position_embeddings": 4096, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    {"state-spaces/mamba-130m-hf", 129'135'360,
     R"({"architectures": ["MambaForCausalLM"], "model_type": "mamba", "hidden_size": 768,
      "num_hidden_layers": 24, "state_size": 16, "expand": 2, "intermediate_size": 1536,
      "time_step_rank": 48, "conv_kernel": 4, "use_bias": false, "use_conv_bias": true,
      "vocab_size": 50280, "torch_dtype": "float32"})"},
    {"tiiuae/Falcon-H1-0.5B-Base", 521'411'104,
     R"({"architectures": ["FalconH1ForCausalLM"], "model_type": "falcon_h1",
      "hidden_size": 1024, "intermediate_size": 2048, "num_hidden_layers": 36,
      "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
      "vocab_size": 32784, "mamba_d_ssm": 1536, "mamba_n_heads": 24, "mamba_d_head": 64,
      "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4, "mamba_conv_bias": true,
      "mamba_proj_bias": false, "mamba_rms_norm": false, "mamba_expand": 2,
      "max_position_embeddings": 16384, "tie_word_embeddings": false,
      "attention_bias": false, "mlp_bias": false, "torch_dtype": "bfloat16",
      "rope_theta": 100000000000.0})"},
    {"ibm-ai-platform/Bamba-9B-v1", 9'780'235'392,
     R"({"architectures": ["BambaForCausalLM"], "model_type": "bamba", "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "attn_layer_indices": [9, 18, 27],
      "num_attention_heads": 32, "num_key_value_heads": 8, "mamba_n_heads": 128,
      "mamba_d_head": 64, "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4,
      "mamba_expand": 2, "mamba_conv_bias": true, "mamba_proj_bias": false,
      "vocab_size": 128256, "max_position_embeddings": 4096, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    {"LGAI-EXAONE/EXAONE-4.0-1.2B", 1'279'391'488,
     R"({"architectures": ["Exaone4ForCausalLM"], "model_type": "exaone4", "hidden_size": 2048,
      "intermediate_size": 4096, "num_hidden_layers": 30, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 102400,
      "max_position_embeddings": 65536, "sliding_window": null, "tie_word_embeddings": true,
      "torch_dtype": "bfloat16"})"},
    {"rednote-hilab/dots.llm1.inst", 142'774'381'696,
     R"({"architectures": ["Dots1ForCausalLM"], "model_type": "dots1", "hidden_size": 4096,
      "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 62,
      "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128,
      "n_routed_experts": 128, "n_shared_experts": 2, "num_experts_per_tok": 6,
      "first_k_dense_replace": 1, "moe_layer_freq": 1, "topk_method": "noaux_tc",
      "vocab_size": 152064, "max_position_embeddings": 32768, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    {"nomic-ai/nomic-embed-text-v1.5", 136'731'648,
     R"({"architectures": ["NomicBertModel"], "model_type": "nomic_bert", "n_embd": 768,
      "n_head": 12, "n_layer": 12, "n_inner": 3072, "n_positions": 8192, "vocab_size": 30528,
      "type_vocab_size": 2, "qkv_proj_bias": false, "mlp_fc1_bias": false,
      "mlp_fc2_bias": false, "activation_function": "swiglu", "rotary_emb_fraction": 1.0,
      "torch_dtype": "float32"})"},
    {"Alibaba-NLP/gte-modernbert-base", 149'014'272,
     R"({"architectures": ["ModernBertModel"], "model_type": "modernbert", "hidden_size": 768,
      "intermediate_size": 1152, "num_hidden_layers": 22, "num_attention_heads": 12,
      "vocab_size": 50368, "max_position_embeddings": 8192, "attention_bias": false,
      "mlp_bias": false, "norm_bias": false, "global_attn_every_n_layers": 3,
      "local_attention": 128, "torch_dtype": "float16"})"},
    {"sentence-transformers/distilbert-base-nli-mean-tokens", 66'362'880,
     R"({"architectures": ["DistilBertModel"], "model_type": "distilbert", "dim": 768,
      "hidden_dim": 3072, "n_layers": 6, "n_heads": 12, "max_position_embeddings": 512,
      "vocab_size": 30522})"},
    {"sentence-transformers/all-mpnet-base-v2", 109'486'464,
     R"({"architectures": ["MPNetModel"], "model_type": "mpnet", "hidden_size": 768,
      "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
      "max_position_embeddings": 514, "relative_attention_num_buckets": 32,
      "vocab_size": 30527})"},
    {"nvidia/audio-flamingo-3-hf", 8'267'215'360,
     R"({"architectures": ["AudioFlamingo3ForConditionalGeneration"], "model_type":
      "audioflamingo3", "audio_token_id": 151669, "projector_bias": true, "audio_config":
      {"model_type": "audioflamingo3_encoder", "num_mel_bins": 128, "num_hidden_layers": 32,
      "num_attention_heads": 20, "intermediate_size": 5120, "hidden_size": 1280,
      "max_source_positions": 1500}, "text_config": {"model_type": "qwen2", "hidden_size": 3584,
      "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
      "num_key_value_heads": 4, "vocab_size": 151672, "max_position_embeddings": 32768,
      "rope_theta": 1000000.0, "tie_word_embeddings": false}, "torch_dtype": "bfloat16"})"},
    {"google/t5gemma-9b-9b-ul2", 20'333'401'088,
     R"({"architectures": ["T5GemmaForConditionalGeneration"], "model_type": "t5gemma",
      "is_encoder_decoder": true, "encoder": {"model_type": "t5_gemma_module", "hidden_size": 3584,
      "intermediate_size": 14336, "num_hidden_layers": 42, "num_attention_heads": 16,
      "num_key_value_heads": 8, "head_dim": 256, "vocab_size": 256000}, "decoder": {"model_type":
      "t5_gemma_module", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "vocab_size": 256000,
      "sliding_window": 4096, "max_position_embeddings": 8192, "is_decoder": true,
      "cross_attention_hidden_size": 3584}, "torch_dtype": "bfloat16"})"},
    // The Hub counts 153,689 more: 100 x 1024 positions in time and 51,289 zeros are buffers.
    {"microsoft/Florence-2-base", 231'414'016,
     R"({"architectures": ["Florence2ForConditionalGeneration"], "model_type": "florence2",
      "projection_dim": 768, "is_encoder_decoder": true, "text_config": {"vocab_size": 51289,
      "d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 12,
      "decoder_attention_heads": 12, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
      "max_position_embeddings": 1024, "is_encoder_decoder": true, "num_hidden_layers": 6},
      "vision_config": {"model_type": "davit", "patch_size": [7, 3, 3, 3], "patch_stride":
      [4, 2, 2, 2], "patch_prenorm": [false, true, true, true], "dim_embed": [128, 256, 512, 1024],
      "num_heads": [4, 8, 16, 32], "num_groups": [4, 8, 16, 32], "depths": [1, 1, 9, 1],
      "window_size": 12, "projection_dim": 768, "visual_temporal_embedding": {"type": "COSINE",
      "max_temporal_embeddings": 100}, "image_pos_embed": {"type": "learned_abs_2d",
      "max_pos_embeddings": 50}}, "vocab_size": 51289, "torch_dtype": "float16"})"},
    {"facebook/w2v-bert-2.0", 580'493'120,
     R"({"architectures": ["Wav2Vec2BertModel"], "model_type": "wav2vec2-bert",
      "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
      "num_attention_heads": 16, "feature_projection_input_dim": 160, "conv_depthwise_kernel_size":
      31, "position_embeddings_type": "relative_key", "left_max_position_embeddings": 64,
      "right_max_position_embeddings": 8, "vocab_size": null})"},
    // 320 x 256 + 512 x 64 + 1024 x 192 of embeddings; six networks of 262,912 with norms of 1024;
    // three attentions of 131,072 and three without a matrix for keys, 98,304; the last norm of
    // 1024, the head of 320 x 512 and its bias. The Hub keeps no count.
    {"google/reformer-crime-and-punishment", 2'748'224,
     R"({"architectures": ["ReformerModelWithLMHead"], "model_type": "reformer",
      "is_decoder": true, "vocab_size": 320, "attention_head_size": 64, "hidden_size": 256,
      "num_attention_heads": 2, "num_hidden_layers": 6, "feed_forward_size": 512,
      "max_position_embeddings": 524288, "axial_pos_embds": true, "axial_pos_shape": [512, 1024],
      "axial_pos_embds_dim": [64, 192], "attn_layers": ["local", "lsh", "local", "lsh", "local",
      "lsh"], "tie_word_embeddings": false})"},
    // What rounds its weights as it runs holds all of them in 16 bits.
    {"microsoft/bitnet-b1.58-2B-4T-bf16", 2'412'820'480,
     R"({"architectures": ["BitNetForCausalLM"], "model_type": "bitnet", "hidden_size": 2560,
      "intermediate_size": 6912, "num_hidden_layers": 30, "num_attention_heads": 20,
      "num_key_value_heads": 5, "vocab_size": 128256, "max_position_embeddings": 4096,
      "rope_theta": 500000.0, "tie_word_embeddings": true, "torch_dtype": "bfloat16",
      "quantization_config": {"quant_method": "bitnet", "linear_class": "autobitlinear",
      "quantization_mode": "online"}})"},
    {"facebook/bart-base", 139'420'416,
     R"({"architectures": ["BartModel"], "model_type": "bart", "d_model": 768,
      "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 12,
      "decoder_attention_heads": 12, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
      "max_position_embeddings": 1024, "vocab_size": 50265, "is_encoder_decoder": true,
      "num_hidden_layers": 6})"},
    {"LiquidAI/LFM2-8B-A1B", 8'339'929'856,
     R"({"architectures": ["Lfm2MoeForCausalLM"], "model_type": "lfm2_moe",
      "hidden_size": 2048, "intermediate_size": 7168, "moe_intermediate_size": 1792,
      "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 8,
      "num_experts": 32, "num_experts_per_tok": 4, "num_dense_layers": 2,
      "use_expert_bias": true, "layer_types": ["conv", "conv", "full_attention", "conv",
      "conv", "conv", "full_attention", "conv", "conv", "conv", "full_attention", "conv",
      "conv", "conv", "full_attention", "conv", "conv", "conv", "full_attention", "conv",
      "conv", "full_attention", "conv", "conv"], "conv_L_cache": 3, "conv_bias": false,
      "vocab_size": 65536, "max_position_embeddings": 128000, "torch_dtype": "bfloat16"})"},
    // 13 d^2 l + 14 d l + 4 d + 2 d v = 2,726,297,600 + 1,146,880 + 10,240 + 335,544,320
    // (https://arxiv.org/abs/2404.05892); the Hub keeps no count.
    {"RWKV/rwkv-5-world-3b", 3'062'999'040,
     R"({"architectures": ["RwkvForCausalLM"], "model_type": "rwkv5", "model_version": "5_2",
      "hidden_size": 2560, "attention_hidden_size": 2560, "head_size": 64,
      "intermediate_size": null, "num_hidden_layers": 32, "context_length": 4096,
      "vocab_size": 65536, "tie_word_embeddings": true})"},
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", 8'888'227'328,
     R"({"architectures": ["NemotronHForCausalLM"], "model_type": "nemotron_h",
      "hidden_size": 4480, "intermediate_size": 15680,
      "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
      "num_hidden_layers": 56, "mamba_num_heads": 128, "mamba_head_dim": 80, "n_groups": 8,
      "ssm_state_size": 128, "conv_kernel": 4, "use_conv_bias": true, "use_bias": false,
      "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
      "vocab_size": 131072, "max_position_embeddings": 131072, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
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
    {"nvidia/Mistral-NeMo-Minitron-8B-Instruct", 8'414'105'600,
     R"({"architectures": ["MistralForCausalLM"], "model_type": "mistral", "hidden_size": 4096,
      "intermediate_size": 11520, "num_hidden_layers": 40, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072,
      "max_position_embeddings": 8192, "sliding_window": null, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
    {"zai-org/GLM-4.5-Air", 110'468'824'832,
     R"({"architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe",
      "attention_bias": true, "use_qk_norm": false, "hidden_size": 4096,
      "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 46,
      "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
      "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8,
      "first_k_dense_replace": 1, "num_nextn_predict_layers": 1, "vocab_size": 151552,
      "max_position_embeddings": 131072, "partial_rotary_factor": 0.5,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"zai-org/GLM-4.5", 358'337'791'296,
     R"({"architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe",
      "attention_bias": true, "use_qk_norm": true, "hidden_size": 5120,
      "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_hidden_layers": 92,
      "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
      "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8,
      "first_k_dense_replace": 3, "num_nextn_predict_layers": 1, "vocab_size": 151552,
      "max_position_embeddings": 131072, "partial_rotary_factor": 0.5,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"CohereLabs/c4ai-command-r7b-12-2024", 8'028'033'024,
     R"({"architectures": ["Cohere2ForCausalLM"], "model_type": "cohere2", "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 256000,
      "max_position_embeddings": 8192, "sliding_window": 4096, "sliding_window_pattern": 4,
      "rope_theta": 50000, "torch_dtype": "bfloat16"})"},
    {"stepfun-ai/Step-3.5-Flash", 199'384'301'376,
     R"({"architectures": ["Step3p5ForCausalLM"], "model_type": "step3p5", "hidden_size": 4096,
      "intermediate_size": 11264, "moe_intermediate_size": 1280, "share_expert_dim": 1280,
      "num_hidden_layers": 45, "num_attention_heads": 64, "num_attention_groups": 8,
      "head_dim": 128, "attention_other_setting": {"attention_type": "sliding_attention",
      "num_attention_heads": 96, "num_attention_groups": 8, "head_dim": 128},
      "moe_num_experts": 288, "moe_top_k": 8,
      "moe_layers_enum": "3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,)"
     R"(32,33,34,35,36,37,38,39,40,41,42,43,44",
      "layer_types": ["full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention"], "sliding_window": 512,
      "use_head_wise_attn_gate": true, "use_moe_router_bias": true,
      "num_nextn_predict_layers": 3, "vocab_size": 128896, "max_position_embeddings": 262144,
      "torch_dtype": "bfloat16"})"},
    {"microsoft/Phi-3.5-MoE-instruct", 41'873'153'344,
     R"({"architectures": ["PhiMoEForCausalLM"], "model_type": "phimoe",
      "attention_bias": true, "lm_head_bias": true, "hidden_size": 4096,
      "intermediate_size": 6400, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "num_local_experts": 16, "num_experts_per_tok": 2,
      "vocab_size": 32064, "max_position_embeddings": 131072, "sliding_window": 131072,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"databricks/dbrx-instruct", 131'596'523'520,
     R"({"architectures": ["DbrxForCausalLM"], "model_type": "dbrx", "d_model": 6144,
      "n_heads": 48, "n_layers": 40, "max_seq_len": 32768, "vocab_size": 100352,
      "attn_config": {"kv_n_heads": 8, "rope_theta": 500000, "clip_qkv": 8},
      "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    {"mosaicml/mpt-7b", 6'649'286'656,
     R"({"architectures": ["MPTForCausalLM"], "model_type": "mpt", "d_model": 4096,
      "n_heads": 32, "n_layers": 32, "expansion_ratio": 4, "max_seq_len": 2048,
      "vocab_size": 50432, "no_bias": true, "attn_config": {"alibi": true,
      "attn_type": "multihead_attention"}, "torch_dtype": "bfloat16"})"},
    {"ByteDance-Seed/Seed-OSS-36B-Instruct", 36'151'104'512,
     R"({"architectures": ["SeedOssForCausalLM"], "model_type": "seed_oss",
      "attention_bias": true, "attention_out_bias": false, "mlp_bias": false,
      "hidden_size": 5120, "intermediate_size": 27648, "num_hidden_layers": 64,
      "num_attention_heads": 80, "num_key_value_heads": 8, "head_dim": 128,
      "vocab_size": 155136, "max_position_embeddings": 524288, "tie_word_embeddings": false,
      "torch_dtype": "bfloat16"})"},
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
    {"LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct", 2'405'327'360,
     R"({"architectures": ["ExaoneForCausalLM"], "model_type": "exaone", "hidden_size": 2560,
      "intermediate_size": 7168, "num_layers": 30, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 80, "vocab_size": 102400,
      "max_position_embeddings": 32768, "tie_word_embeddings": true,
      "torch_dtype": "bfloat16"})"},
    {"bigscience/bloom", 176'247'271'424,
     R"({"architectures": ["BloomForCausalLM"], "model_type": "bloom", "n_embed": 14336,
      "n_layer": 70, "num_attention_heads": 112, "vocab_size": 250880, "seq_length": 2048})"},
};

}  // namespace

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

  TEST_CASE("n-grams that cannot be read are refused") {
    const auto refusal = [](const char* fields) {
      const std::string config =
          std::string(R"({"architectures": ["Qwen4ExpForCausalLM"], "model_type": "qwen4_exp_text",
      "hidden_size": 2560, "num_hidden_layers": 4, "num_attention_heads": 24,
      "num_key_value_heads": 2, "linear_num_key_heads": 16, "linear_num_value_heads": 48,
      "linear_key_head_dim": 128, "linear_value_head_dim": 128, "num_experts": 8,
      "num_experts_per_tok": 2, "moe_intermediate_size": 640, "shared_expert_intermediate_size":
      640, "indexer_n_heads": 4, "indexer_head_dim": 128, "indexer_budget": 2048,
      "indexer_compress_ratio": 4, "vocab_size": 248320, "max_position_embeddings": 262144, )") +
          fields + "}";
      const auto model = read_config(json(config), "them/it");
      REQUIRE(!model);
      return messages(model.error());
    };
    CHECK(refusal(R"("ple_layer_ids": [2], "ngram_size": 9)").contains("ngram_size"));
    CHECK(refusal(R"("ple_layer_ids": [2], "ple_embed_dim": 2561)")
              .contains("2561 is not a multiple of the 16 heads"));
  }

  TEST_CASE("a family's config has the parameters of its checkpoint") {
    for (const Published& row : kPublished) {
      CAPTURE(row.id);
      const auto model = read_config(json(row.config), row.id);
      if (!model) FAIL(messages(model.error()));
      CHECK(model->parameters.total == row.total);
    }
  }
}
