// Families that hear, and families that compare pages, in the sizes that their publishers give:
// held against what is published of their checkpoints, or the classes' matrices counted by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "domain/layer.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using namespace gpushape::domain;

namespace {

const std::string kGraniteText =
    R"("text_config": {"model_type": "granite", "attention_bias": false, "mlp_bias": false,
      "hidden_size": 2048, "intermediate_size": 4096, "num_attention_heads": 16,
      "num_hidden_layers": 40, "num_key_value_heads": 4, "vocab_size": 100353,
      "max_position_embeddings": 4096}, "tie_word_embeddings": false, "torch_dtype": "bfloat16")";

std::string granite_speech(const std::string& type, const std::string& frame) {
  return R"({"model_type": ")" + type +
         R"(", "downsample_rate": 5, "window_size": 15, "encoder_config": {"context_size": 200,
      "conv_expansion_factor": 2, "conv_kernel_size": 15, "dim_head": 128, "feedforward_mult": 4,
      "hidden_dim": 1024, "input_dim": 160, "max_pos_emb": 512, "num_heads": 8, "num_layers": 16,
      "output_dim": 348}, "projector_config": {"cross_attention_frequency": 1,
      "encoder_hidden_size": )" +
         frame +
         R"(, "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
      "num_hidden_layers": 2, "model_type": "blip_2_qformer"}, )" +
         kGraniteText + "}";
}

const std::string kVoxtralRealtime =
    R"({"architectures": ["VoxtralRealtimeForConditionalGeneration"], "model_type":
      "voxtral_realtime", "audio_config": {"head_dim": 64, "hidden_size": 1280,
      "intermediate_size": 5120, "model_type": "voxtral_realtime_encoder", "num_attention_heads":
      32, "num_hidden_layers": 32, "num_key_value_heads": 32, "num_mel_bins": 128,
      "sliding_window": 750, "vocab_size": 131072}, "downsample_factor": 4, "hidden_size": 3072,
      "text_config": {"head_dim": 128, "hidden_size": 3072, "intermediate_size": 9216,
      "max_position_embeddings": 131072, "model_type": "voxtral_realtime_text",
      "num_attention_heads": 32, "num_hidden_layers": 26, "num_key_value_heads": 8,
      "sliding_window": 8192, "tie_word_embeddings": true, "vocab_size": 131072}, "dtype":
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

const std::vector<Published> kCounted = {
    // A layer of the conformer (granite_speech.py): 2 networks of 2 x 1024 + 1024 x 4096 + 4096 +
    // 4096 x 1024 + 1024; attention of 2 x 1024 + 1024 x 3072 + 1024 x 1024 + 1024 + 1025 x 128; a
    // convolution of 2 x 1024 + 1024 x 4096 + 4096 + 15 x 2048 + 4 x 2048 + 2048 x 1024 + 1024; a
    // norm of 2 x 1024: 27,459,712, 16 times. 160 x 1024 + 1024 before, 1024 x 348 + 348 and
    // 348 x 1024 + 1024 behind: 440,234,332. The projector: 3 x 1024 queries, a norm of 2048, two
    // layers of 2 x (4 x (1024 x 1024 + 1024) + 2048) + 2 x 1024 x 4096 + 5120 + 2048, and
    // 1024 x 2048 + 2048: 35,697,664. The decoder: 2 x 100353 x 2048 + 2048 + 40 x (2 x 2048 x 2048
    // + 2 x 2048 x 512 + 3 x 2048 x 4096 + 2 x 2048): 1,837,275,136.
    {"ibm-granite/granite-4.0-1b-speech", 2'313'207'132, granite_speech("granite_speech", "1024")},
    // Frames of two layers side by side go into the keys and values of both layers of the
    // projector: 2 x 2 x 1024 x 1024 more.
    {"ibm-granite/granite-speech-4.1-2b-plus", 2'317'401'436,
     granite_speech("granite_speech_plus", "2048")},
    // GlmAsrEncoder: 3 x 128 x 1280 + 1280 + 3 x 1280 x 1280 + 1280 + 32 x (4 x 1280 x 1280 +
    // 3 x 1280 + 2 x 1280 x 5120 + 5120 + 1280 + 4 x 1280) + 2 x 1280; 5120 x 4096 + 4096 and
    // 4096 x 2048 + 2048 behind it: 664,415,232. The decoder: 2 x 59264 x 2048 + 2048 + 28 x (2 x
    // 2048 x 2048 + 2 x 2048 x 512 + 3 x 2048 x 6144 + 2 x 2048): 1,593,427,968.
    {"zai-org/GLM-ASR-Nano-2512", 2'257'843'200,
     R"({"model_type": "glmasr", "architectures": ["GlmAsrForConditionalGeneration"],
      "audio_config": {"model_type": "glmasr_encoder", "hidden_size": 1280, "intermediate_size":
      5120, "num_hidden_layers": 32, "num_attention_heads": 20, "num_key_value_heads": 20,
      "num_mel_bins": 128, "head_dim": 64, "max_position_embeddings": 1500}, "text_config":
      {"model_type": "llama", "vocab_size": 59264, "hidden_size": 2048, "intermediate_size": 6144,
      "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 4,
      "max_position_embeddings": 8192, "rope_parameters": {"rope_theta": 10000.0, "rope_type":
      "default"}}, "torch_dtype": "bfloat16"})"},
    // WhisperCausalEncoder: 3 x 128 x 1280 + 1280 + 3 x 1280 x 1280 + 1280 + 32 x (4 x 1280 x 2048
    // + 2 x 2048 + 1280 + 3 x 1280 x 5120 + 1280 + 2 x 1280) + 1280; 5120 x 3072 + 3072 x 3072
    // behind it: 995,561,216. The decoder: 131072 x 3072 + 3072 + 26 x (2 x 3072 x 4096 +
    // 2 x 3072 x 1024 + 3 x 3072 x 9216 + 2 x 32 x 3072 + 2 x 3072): 3,434,118,144.
    {"mistralai/Voxtral-Mini-4B-Realtime-2602", 4'429'679'360, kVoxtralRealtime},
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

std::string ultravox(const std::string& encoder) {
  return R"({"model_type": "ultravox", "architectures": ["UltravoxModel"], )" + encoder +
         R"(, "text_model_id": "meta-llama/Llama-3.2-1B-Instruct", "hidden_size": 4096,
      "stack_factor": 8, "projector_act": "swiglu", "projector_ln_mid": true, "vocab_size": 128256,
      "torch_dtype": "bfloat16"})";
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("families of sound and of pages come to the values of their classes") {
    check_totals(kCounted);
  }

  TEST_CASE("Voxtral Realtime's encoder keeps keys and values of four frames a token") {
    const Model model = model_of(kVoxtralRealtime);
    REQUIRE(model.layers.size() == 2);
    CHECK(model.layers[0].count == 26);
    CHECK(model.layers[0].layer.attention.window_tokens == 8'192);
    // block_pool_size x heads in its cache (WhisperCausalAttentionWithBlockPooling).
    CHECK(model.layers[1].count == 32);
    CHECK(model.layers[1].layer.attention.kv_heads == 4 * 32);
    CHECK(model.layers[1].layer.attention.head_dim == 64);
    CHECK(model.layers[1].layer.attention.window_tokens == 750);
  }

  TEST_CASE("Ultravox's decoder and encoder may be other checkpoints that its config names") {
    const Model described = model_of(ultravox(
        R"("audio_model_id": null, "audio_config": {"model_type": "whisper", "d_model": 1280,
          "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120,
          "max_source_positions": 1500, "num_mel_bins": 128})"));
    REQUIRE(described.towers.size() == 1);
    // fixie-ai/ultravox-v0_5-llama-3_2-1b's model.safetensors, encoder and projector alone, has
    // 1,366,275,264 bytes: 38,080 of them are its header.
    CHECK(2 * described.towers[0].parameters == 1'366'275'264 - 38'080);
    CHECK(described.parameters.total == 683'118'592 + 1'235'814'400);
    CHECK(described.layers.front().count == 16);
    const Model named = model_of(ultravox(R"("audio_model_id": "openai/whisper-large-v3-turbo")"));
    CHECK(named.towers == described.towers);
    CHECK(named.layers == described.layers);
    const auto unknown =
        read_config(json(replaced(ultravox(R"("audio_model_id": "openai/whisper-large-v3-turbo")"),
                                  "meta-llama/", "nobody/x")),
                    "some/model");
    REQUIRE_FALSE(unknown);
    CHECK(mentions(unknown.error(), "text_model_id 'nobody/xLlama-3.2-1B-Instruct' is no model"));
  }
}
