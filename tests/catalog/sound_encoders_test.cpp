// Encoders of raw sound, held against what PyTorch counts of the published checkpoint, or against
// their matrices summed by hand from the class.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::domain::Model;
using gpushape::domain::Role;

namespace {

std::string sound_of(const std::string& architecture, const std::string& type,
                     const std::string& more = "") {
  return R"({"architectures": [")" + architecture + R"("], "model_type": ")" + type +
         R"(", "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12,
      "num_hidden_layers": 12, "conv_dim": [512, 512, 512, 512, 512, 512, 512], "conv_kernel": [10,
      3, 3, 3, 3, 2, 2], "conv_bias": false, "mask_time_prob": 0.05, "vocab_size": 32)" +
         more + "}";
}

const std::string kLargeConformer =
    R"({"architectures": ["Wav2Vec2ConformerForCTC"], "model_type": "wav2vec2-conformer",
      "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
      "num_hidden_layers": 24, "conv_dim": [512, 512, 512, 512, 512, 512, 512], "conv_kernel": [10,
      3, 3, 3, 3, 2, 2], "conv_bias": true, "feat_extract_norm": "layer", "mask_time_prob": 0.05,
      "conv_depthwise_kernel_size": 31, "num_conv_pos_embeddings": 128,
      "num_conv_pos_embedding_groups": 16, "position_embeddings_type": "rotary", "vocab_size": 32})";

const std::vector<Published> kEncoders = {
    {"facebook/wav2vec2-base", 94'371'712, sound_of("Wav2Vec2Model", "wav2vec2")},
    {"facebook/hubert-base-ls960", 94'371'712, sound_of("HubertModel", "hubert")},
    {"microsoft/unispeech-sat-base", 94'371'712, sound_of("UniSpeechSatModel", "unispeech-sat")},
    {"microsoft/wavlm-base", 94'381'936,
     sound_of("WavLMModel", "wavlm", R"(, "num_buckets": 320)")},
    // wav2vec 2.0's, with a norm behind each of six further layers of samples, and five tables of
    // 768 x 48 x 19 + 768 for one of 768 x 48 x 128 + 128 + 768.
    {"facebook/data2vec-audio-base",
     94'371'712 + 6 * 1024 + 5 * (768 * 48 * 19 + 768) - (768 * 48 * 128 + 128 + 768),
     sound_of("Data2VecAudioModel", "data2vec-audio",
              R"(, "num_conv_pos_embeddings": 5, "conv_pos_kernel_size": 19)")},
    {"facebook/wav2vec2-base-960h", 94'371'712 + 32 * 769, sound_of("Wav2Vec2ForCTC", "wav2vec2")},
    // 512 x 10, 4 x 512 x 512 x 3 and 2 x 512 x 512 x 2, with biases and norms of 512; a norm and
    // 512 x 1024 + 1024; 1024 x 64 x 128 + 1024 + 128; a norm of 1024; a masked frame; 24 layers of
    // 4 x (1024 x 1024 + 1024), two networks of 8,393,728, 3 x 1024 x 1024 + 1024 x 31, four norms
    // of a batch and five; 32 x 1024 + 32.
    {"facebook/wav2vec2-conformer-rope-large-960h-ft",
     4'199'424 + 7 * 3 * 512 + 1024 + 512 * 1024 + 1024 + 1024 * 64 * 128 + 1024 + 128 + 2048 +
         1024 +
         24 * (4'198'400 + 2 * 8'393'728 + 3 * 1024 * 1024 + 1024 * 31 + 4 * 1024 + 10 * 1024) +
         32 * 1025,
     kLargeConformer},
    // w2v-BERT 2.0's 580,493,120 without the masked frame; an adapter of three norms, two
    // convolutions of 1024 x 2048 x 3 + 2048, four matrices and a network; 33 letters.
    {"hf-audio/wav2vec2-bert-CV16-en",
     580'493'120 - 1024 + 3 * 2048 + 2 * (1024 * 2048 * 3 + 2048) + 4'198'400 + 8'393'728 +
         33 * 1025,
     R"({"architectures": ["Wav2Vec2BertForCTC"], "model_type": "wav2vec2-bert", "hidden_size":
      1024, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24,
      "add_adapter": true, "num_adapter_layers": 1, "adapter_kernel_size": 3, "output_hidden_size":
      1024, "feature_projection_input_dim": 160, "mask_time_prob": 0.0, "mask_feature_prob": 0.0,
      "conv_depthwise_kernel_size": 31, "position_embeddings_type": "relative_key",
      "left_max_position_embeddings": 64, "right_max_position_embeddings": 8, "vocab_size": 33})"},
};

// What PyTorch counts of both; the paper: 27.1 and 61.5 million.
const std::vector<Published> kMoonshine = {
    {"UsefulSensors/moonshine-tiny", 27'092'736,
     R"({"architectures": ["MoonshineForConditionalGeneration"], "model_type": "moonshine",
      "hidden_size": 288, "intermediate_size": 1152, "encoder_num_hidden_layers": 6,
      "encoder_num_attention_heads": 8, "encoder_num_key_value_heads": 8,
      "decoder_num_hidden_layers": 6, "decoder_num_attention_heads": 8,
      "decoder_num_key_value_heads": 8, "attention_bias": false, "max_position_embeddings": 194,
      "partial_rotary_factor": 0.9, "is_encoder_decoder": true, "vocab_size": 32768})"},
    {"UsefulSensors/moonshine-base", 61'513'920,
     R"({"architectures": ["MoonshineForConditionalGeneration"], "model_type": "moonshine",
      "hidden_size": 416, "intermediate_size": 1664, "encoder_num_hidden_layers": 8,
      "encoder_num_attention_heads": 8, "encoder_num_key_value_heads": 8,
      "decoder_num_hidden_layers": 8, "decoder_num_attention_heads": 8,
      "decoder_num_key_value_heads": 8, "attention_bias": false, "max_position_embeddings": 194,
      "partial_rotary_factor": 0.62, "is_encoder_decoder": true, "vocab_size": 32768})"},
};

std::int64_t head_of(const std::string& architecture, const std::string& more = "") {
  return parameters_of(model_of(sound_of(architecture, "wav2vec2", more))) - 94'371'712;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an encoder of raw sound has the parameters of its checkpoint") {
    check_totals(kEncoders);
  }

  TEST_CASE("an encoder of raw sound has no words, and keeps nothing") {
    for (const Published& row : kEncoders) {
      CAPTURE(row.id);
      const Model model = model_of(row.config);
      CHECK(model.vocabulary == 0);
      CHECK_FALSE(model.has_head);
      CHECK(caching_layers(model) == 0);
    }
    CHECK(model_of(kLargeConformer).role == Role::Speech);
  }

  TEST_CASE("a conformer may tell positions by learned vectors of each head") {
    const std::string relative = replaced(kLargeConformer, R"("rotary")", R"("relative")");
    CHECK(parameters_of(model_of(relative)) - parameters_of(model_of(kLargeConformer)) ==
          24 * (1024 * 1024 + 2 * 1024));
  }

  TEST_CASE("heads on an encoder of sound are told by the class") {
    // 768 x 256 + 256 and two labels; a label of each frame; what training needs is left out.
    CHECK(head_of("Wav2Vec2ForSequenceClassification") == 769 * 256 + 2 * 257);
    CHECK(head_of("Wav2Vec2ForSequenceClassification", R"(, "use_weighted_layer_sum": true)") ==
          769 * 256 + 2 * 257 + 13);
    CHECK(head_of("Wav2Vec2ForAudioFrameClassification") == 2 * 769);
    CHECK(head_of("Wav2Vec2ForPreTraining") == 0);
    // 768 x 512 + 512; 512 x 5 x 512, twice 512 x 3 x 512, 512 x 512 and 512 x 1500 with biases;
    // 3000 x 512 + 512, 512 x 512 + 512 and two labels.
    CHECK(head_of("Wav2Vec2ForXVector") ==
          769 * 512 + 12 * 512 * 512 + 4 * 512 + 513 * 1500 + 3001 * 512 + 513 * 512 + 2 * 512);
  }

  TEST_CASE("Moonshine hears samples, and its decoder attends to what one in 384 gives") {
    check_totals(kMoonshine);
    const Model model = model_of(kMoonshine[0].config);
    CHECK(model.layers[0].layer.cross_attention->encoder_tokens == 30 * 16'000 / 384);
    CHECK(model.role == Role::Speech);
    CHECK(caching_layers(model) == 6);
  }
}
