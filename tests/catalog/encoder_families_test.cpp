// One config of each family that encodes, with a decoder behind it or without, held against the
// total that the Hugging Face Hub counts in the published checkpoint (safetensors metadata).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;

namespace {

const std::vector<Published> kPublishedEncoders = {
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
    {"facebook/bart-base", 139'420'416,
     R"({"architectures": ["BartModel"], "model_type": "bart", "d_model": 768,
      "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 12,
      "decoder_attention_heads": 12, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
      "max_position_embeddings": 1024, "vocab_size": 50265, "is_encoder_decoder": true,
      "num_hidden_layers": 6})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a family of encoders has the parameters of its checkpoint") {
    check_totals(kPublishedEncoders);
  }
}
