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

const std::vector<Published> kSoundFamilies = {
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
    // ConformerEncoder: 9 x 256 + 256 + 2 x (9 x 256 + 256 + 256 x 256 + 256) + 256 x 16 x 1280 +
    // 1280 before 48 x (10 x 1280 + 2 x (2 x 1280 x 5120 + 5120 + 1280) + 4 x (1280 x 1280 + 1280)
    // + 1280 x 1280 + 2 x 1280 + 1280 x 2560 + 2560 + 9 x 1280 + 1280 + 4 x 1280 + 1280 x 1280 +
    // 1280); 1280 x 1024 + 1024 behind them: 1,896,773,888. The decoder: 2 x 16384 x 1024 + 16384 +
    // 1024 x 1024 + 4 x 1024 + 8 x (8 x (1024 x 1024 + 1024) + 2 x 1024 x 4096 + 5120 + 6 x 1024):
    // 168,996,864.
    {"CohereLabs/cohere-transcribe-03-2026", 2'065'770'752,
     R"({"model_type": "cohere_asr", "architectures": ["CohereAsrForConditionalGeneration"],
      "vocab_size": 16384, "max_audio_clip_s": 35, "encoder": {"d_model": 1280,
      "ff_expansion_factor": 4, "n_heads": 8, "n_layers": 48, "conv_kernel_size": 9,
      "subsampling_conv_channels": 256, "subsampling_factor": 8, "feat_in": 128, "feat_out": -1,
      "pos_emb_max_len": 5000}, "transf_decoder": {"config_dict": {"hidden_size": 1024,
      "inner_size": 4096, "num_attention_heads": 8, "num_layers": 8, "hidden_act": "relu",
      "max_sequence_length": 1024}}, "head": {"hidden_size": 1024, "num_classes": 16384,
      "log_softmax": true}, "torch_dtype": "bfloat16"})"},
    // Whisper large-v3's encoder of 636,968,960, 5120 x 3584 + 3584, 3584 x 3584 + 3584 and a norm
    // of 2 x 3584 behind it; the decoder: 2 x 168448 x 3584 + 3584 + 28 x (2 x 3584 x 3584 + 2 x
    // 3584 x 512 + 3584 + 2 x 512 + 3 x 3584 x 18944 + 2 x 3584): 7,733,057,024.
    {"moonshotai/Kimi-Audio-7B-Instruct", 8'401'235'456,
     R"({"architectures": ["MoonshotKimiaForCausalLM"], "hidden_size": 3584, "intermediate_size":
      18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
      "max_position_embeddings": 8192, "vocab_size": 168448, "kimia_mimo_layers": 6,
      "kimia_adaptor_input_dim": 5120, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    // Dasheng: 4 x 64 + 64 x 4 x 1280 + 1280 + (1 + 252) x 1280 + 32 x (4 x 1280 x 1280 + 4 x 1280
    // + 2 x 1280 x 5120 + 6400 + 4 x 1280) + 2 x 1280; 5 x 1280 x 3584 + 3584 and 3584 x 3584 +
    // 3584 behind it: 666,123,520. Qwen2.5-7B's 7,615,616,512.
    {"mispeech/midashenglm-7b", 8'281'740'032,
     R"({"model_type": "midashenglm", "architectures": ["MiDashengLMModel"], "subsample_factor": 5,
      "audio_encoder_config": {"embed_dim": 1280, "depth": 32, "num_heads": 16, "n_mels": 64,
      "patch_size": [64, 4], "patch_stride": [64, 4], "target_length": 1008, "input_channels": 1,
      "mlp_ratio": 4.0, "qkv_bias": true, "init_values": null}, "text_config": {"model_type":
      "qwen2_5_omni_text", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
      "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
      "max_position_embeddings": 32768}, "torch_dtype": "float32"})"},
    // MossAudioEncoder: 9 x 480 + 480 + 2 x (9 x 480 x 480 + 480) + 480 x 16 x 1280 + 1280 + 32 x
    // (4 x 1280 x 1280 + 3 x 1280 + 2 x 1280 x 5120 + 6400 + 4 x 1280) + 2 x 1280; four adapters of
    // 2 x 1280 x 8192 + 8192 x 4096: 861,728,128. Qwen3-8B's 8,190,735,360.
    {"OpenMOSS-Team/MOSS-Audio-8B", 9'052'463'488,
     R"({"model_type": "moss_audio", "architectures": ["MossAudioModel"], "adapter_hidden_size": 8192,
      "deepstack_num_inject_layers": 3, "tie_word_embeddings": false, "audio_config": {"d_model":
      1280, "output_dim": 1280, "num_mel_bins": 128, "encoder_layers": 32,
      "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "downsample_hidden_size": 480,
      "deepstack_encoder_layer_indexes": [8, 16, 24]}, "language_config": {"model_type": "qwen3",
      "vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers":
      36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
      "max_position_embeddings": 40960, "tie_word_embeddings": false}, "torch_dtype":
      "bfloat16"})"},
    // SenseVoice: a block of 2 x 560 + 2 x 512 + 560 x 1536 + 1536 + 512 x 512 + 512 + 11 x 512 +
    // 2 x 512 x 2048 + 2560, 69 that take 512 in place of 560, norms of 4 x 512; the adaptor's
    // 512 x 2048 + 2048 + 2048 x 1024 + 1024 and two blocks of 4 x 1024 x 1024 + 4096 + 2 x 1024 x
    // 256 + 1280 + 4096: 233,741,920. Qwen3-0.6B's 596,049,920.
    {"FunAudioLLM/Fun-ASR-Nano-2512", 829'791'840,
     R"({"model_type": "qwen3", "architectures": ["FunASRForConditionalGeneration"],
      "audio_encoder_conf": {"output_size": 512, "attention_heads": 4, "linear_units": 2048,
      "num_blocks": 50, "tp_blocks": 20, "kernel_size": 11}, "hidden_size": 1024,
      "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "max_position_embeddings":
      40960, "tie_word_embeddings": true, "torch_dtype": "bfloat16"})"},
    // conformer_encoder.py: 9 x 32 + 32 + 9 x 32 x 32 + 32 + 32 x 19 x 1280 + 1280 before 16 x (2 x
    // (2 x 1280 + 2 x 1280 x 5120 + 6400) + 6 x 1280 + 5 x 1280 x 1280 + 2 x 1280 + 2 x 1280 + 4 x
    // 1280 x 1280 + 2 x 1280 x 33 + 4 x 1280 + 2 x 1280 x 1280 + 2 x 1280); 2 x 1280 x 3584 + 3584
    // and 3584 x 3584 + 3584 behind it: 732,571,232. Qwen2-7B's 7,615,616,512.
    {"FireRedTeam/FireRedASR2-LLM", 8'348'187'744,
     R"({"model_type": "fireredasr2", "architectures": ["FireRedASR2ForConditionalGeneration"],
      "audio_encoder_conf": {"idim": 80, "n_layers_enc": 16, "n_head": 20, "d_model": 1280,
      "kernel_size": 33, "pe_maxlen": 5000}, "encoder_downsample_rate": 2, "hidden_size": 3584,
      "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
      "num_key_value_heads": 4, "max_position_embeddings": 32768, "vocab_size": 152064,
      "tie_word_embeddings": false, "torch_dtype": "bfloat16"})"},
    // 2 x 74752 x 3072 + 3072 + 32 x (2 x 3072 x 3072 + 2 x 3072 x 256 + 3 x 3072 x 8192 + 2 x
    // 3072).
    {"stepfun-ai/Step-Audio-EditX", 3'529'706'496,
     R"({"model_type": "step1", "architectures": ["Step1ForCausalLM"], "hidden_size": 3072,
      "intermediate_size": 8192, "num_attention_heads": 48, "num_attention_groups": 4,
      "num_hidden_layers": 32, "max_seq_len": 32768, "vocab_size": 74752, "torch_dtype":
      "bfloat16"})"},
};

std::string ultravox(const std::string& encoder) {
  return R"({"model_type": "ultravox", "architectures": ["UltravoxModel"], )" + encoder +
         R"(, "text_model_id": "meta-llama/Llama-3.2-1B-Instruct", "hidden_size": 4096,
      "stack_factor": 8, "projector_act": "swiglu", "projector_ln_mid": true, "vocab_size": 128256,
      "torch_dtype": "bfloat16"})";
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("families of sound come to the values of their classes") {
    check_totals(kSoundFamilies);
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
    CHECK(model.towers[0].table_values == 4 * 131'072 * 64);
  }

  TEST_CASE("Cohere Transcribe's decoder attends to as many frames as its longest sound has") {
    const Model model = model_of(kSoundFamilies[4].config);
    REQUIRE(model.id == "some/model");
    REQUIRE(model.layers.size() == 1);
    const Layer& layer = model.layers[0].layer;
    // 35 s of 100 frames, eight of which become one.
    REQUIRE(layer.cross_attention);
    CHECK(layer.cross_attention->encoder_tokens == 438);
    CHECK(layer.cross_attention->kind == LayerKind::Cross);
  }

  TEST_CASE("Step1 rotates nothing, and has a group of KV heads by another word") {
    const Model model = model_of(kSoundFamilies.back().config);
    CHECK(model.rope == Rope{});
    CHECK(model.layers[0].layer.attention.kv_heads == 4);
    CHECK(model.max_context_tokens == 32'768);
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
