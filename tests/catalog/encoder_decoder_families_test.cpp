// Encoders with a decoder behind them: T5's kin and BART's, held against what PyTorch counts of the
// published checkpoint, or against the matrices of the class summed by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::domain::LayerKind;
using gpushape::domain::Model;
using gpushape::domain::Role;

namespace {

const std::vector<Published> kSequences = {
    {"google/mt5-small", 300'176'768,
     R"({"architectures": ["MT5ForConditionalGeneration"], "model_type": "mt5", "d_model": 512,
      "d_ff": 1024, "d_kv": 64, "num_heads": 6, "num_layers": 8, "num_decoder_layers": 8,
      "feed_forward_proj": "gated-gelu", "relative_attention_num_buckets": 32, "vocab_size":
      250112, "tie_word_embeddings": false, "is_encoder_decoder": true})"},
    {"google/mt5-base", 582'401'280,
     R"({"architectures": ["T5ForConditionalGeneration"], "model_type": "mt5", "d_model": 768,
      "d_ff": 2048, "d_kv": 64, "num_heads": 12, "num_layers": 12, "num_decoder_layers": 12,
      "feed_forward_proj": "gated-gelu", "relative_attention_num_buckets": 32, "vocab_size":
      250112, "tie_word_embeddings": false, "is_encoder_decoder": true})"},
    // Two tables of 256384 x 512, 8 layers of 4 x 512 x 384 + 3 x 512 x 1024 and 2 norms, 8 of 8 x
    // 512 x 384 + 3 x 512 x 1024 and 3 norms, distances of 32 x 6 in all 16, two norms.
    {"google/umt5-small",
     std::int64_t{2} * 256'384 * 512 + 8 * (12 * 512 * 384 + 6 * 512 * 1024 + 5 * 512) +
         16 * 32 * 6 + 2 * 512,
     R"({"architectures": ["UMT5ForConditionalGeneration"], "d_model": 512, "d_ff": 1024, "d_kv":
      64, "num_heads": 6, "num_layers": 8, "num_decoder_layers": 8, "feed_forward_proj":
      "gated-gelu", "relative_attention_num_buckets": 32, "vocab_size": 256384,
      "tie_word_embeddings": false, "is_encoder_decoder": true})"},
    // T5 1.1's base, 247,577,856 (the catalog's flan-t5-base), with 12 norms of 768 and distances
    // of 32 x 12.
    {"google/long-t5-tglobal-base", 247'577'856 + 12 * 768 + 32 * 12,
     R"({"architectures": ["LongT5ForConditionalGeneration"], "model_type": "longt5", "d_model":
      768, "d_ff": 2048, "d_kv": 64, "num_heads": 12, "num_layers": 12, "num_decoder_layers": 12,
      "encoder_attention_type": "transient-global", "feed_forward_proj": "gated-gelu",
      "n_positions": 4096, "relative_attention_num_buckets": 32, "vocab_size": 32128,
      "tie_word_embeddings": false, "is_encoder_decoder": true})"},
    // T5's base, 222,903,552 (the catalog's sentence-t5-base), with 7 more networks of 2 x 768 x
    // 3072 in 12 of its layers, and routers of 768 x 8.
    {"google/switch-base-8", 222'903'552 + 12 * (7 * 2 * 768 * 3072 + 768 * 8),
     R"({"architectures": ["SwitchTransformersForConditionalGeneration"], "model_type":
      "switch_transformers", "d_model": 768, "d_ff": 3072, "d_kv": 64, "num_heads": 12,
      "num_layers": 12, "num_decoder_layers": 12, "num_sparse_encoder_layers": 6,
      "num_sparse_decoder_layers": 6, "encoder_sparse_step": 2, "decoder_sparse_step": 2,
      "num_experts": 8, "num_selected_experts": 1, "router_bias": false, "feed_forward_proj":
      "relu", "relative_attention_num_buckets": 32, "vocab_size": 32128, "is_encoder_decoder":
      true, "torch_dtype": "bfloat16"})"},
    {"Helsinki-NLP/opus-mt-en-de", 74'410'496,
     R"({"architectures": ["MarianMTModel"], "model_type": "marian", "d_model": 512,
      "encoder_layers": 6, "encoder_attention_heads": 8, "encoder_ffn_dim": 2048,
      "decoder_layers": 6, "decoder_attention_heads": 8, "decoder_ffn_dim": 2048,
      "max_position_embeddings": 512, "vocab_size": 58101, "is_encoder_decoder": true})"},
    // 568,699,904, with the fixed positions of both sides, 1024 x 1024 each.
    {"google/pegasus-large", 568'699'904 + 2 * 1024 * 1024,
     R"({"architectures": ["PegasusForConditionalGeneration"], "model_type": "pegasus", "d_model":
      1024, "encoder_layers": 16, "encoder_attention_heads": 16, "encoder_ffn_dim": 4096,
      "decoder_layers": 16, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096,
      "max_position_embeddings": 1024, "vocab_size": 96103, "is_encoder_decoder": true})"},
    // 96103 x 768; 128 global tokens; 12 layers of 4 x 768 x 768, 2 x 768 x 3072 + 3072 + 768 and 3
    // norms of 2 x 768; 12 of 8 x 768 x 768, the same network and norms; two norms.
    {"google/pegasus-x-base",
     96'103 * 768 + 128 * 768 + 12 * (12 * 768 * 768 + 2 * (2 * 768 * 3072 + 3840) + 12 * 768) +
         4 * 768,
     R"({"architectures": ["PegasusXForConditionalGeneration"], "model_type": "pegasus_x",
      "d_model": 768, "encoder_layers": 12, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072,
      "decoder_layers": 12, "decoder_attention_heads": 12, "decoder_ffn_dim": 3072,
      "num_global_tokens": 128, "max_position_embeddings": 16384, "vocab_size": 96103,
      "is_encoder_decoder": true, "torch_dtype": "float32"})"},
    {"google/bigbird-pegasus-large-arxiv", 576'891'904,
     R"({"architectures": ["BigBirdPegasusForConditionalGeneration"], "model_type":
      "bigbird_pegasus", "d_model": 1024, "encoder_layers": 16, "encoder_attention_heads": 16,
      "encoder_ffn_dim": 4096, "decoder_layers": 16, "decoder_attention_heads": 16,
      "decoder_ffn_dim": 4096, "use_bias": false, "max_position_embeddings": 4096, "vocab_size":
      96103, "is_encoder_decoder": true})"},
    {"facebook/blenderbot-400M-distill", 364'802'560,
     R"({"architectures": ["BlenderbotForConditionalGeneration"], "model_type": "blenderbot",
      "d_model": 1280, "encoder_layers": 2, "encoder_attention_heads": 32, "encoder_ffn_dim": 5120,
      "decoder_layers": 12, "decoder_attention_heads": 32, "decoder_ffn_dim": 5120,
      "max_position_embeddings": 128, "vocab_size": 8008, "is_encoder_decoder": true})"},
    // 54944 x 512, two tables of 512 x 512, 8 layers of 3,152,384 and 8 of 4,204,032, two norms.
    {"facebook/blenderbot_small-90M",
     54'944 * 512 + 2 * 512 * 512 + 8 * 3'152'384 + 8 * 4'204'032 + 4 * 512,
     R"({"architectures": ["BlenderbotSmallForConditionalGeneration"], "model_type":
      "blenderbot-small", "d_model": 512, "encoder_layers": 8, "encoder_attention_heads": 16,
      "encoder_ffn_dim": 2048, "decoder_layers": 8, "decoder_attention_heads": 16,
      "decoder_ffn_dim": 2048, "max_position_embeddings": 512, "vocab_size": 54944,
      "is_encoder_decoder": true})"},
    {"allenai/led-base-16384", 161'844'480,
     R"({"architectures": ["LEDForConditionalGeneration"], "model_type": "led", "d_model": 768,
      "encoder_layers": 6, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072,
      "decoder_layers": 6, "decoder_attention_heads": 12, "decoder_ffn_dim": 3072,
      "max_encoder_position_embeddings": 16384, "max_decoder_position_embeddings": 1024,
      "vocab_size": 50265, "is_encoder_decoder": true})"},
    // BART's base, 139,420,416, with 260 words less.
    {"uclanlp/plbart-base", 139'420'416 - 260 * 768,
     R"({"architectures": ["PLBartForConditionalGeneration"], "model_type": "plbart", "d_model":
      768, "encoder_layers": 6, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072,
      "decoder_layers": 6, "decoder_attention_heads": 12, "decoder_ffn_dim": 3072,
      "max_position_embeddings": 1024, "vocab_size": 50005, "is_encoder_decoder": true})"},
    // Tables of 31232 and 31640 x 1024; two of 1026 x 1024; 6 layers of 4 x (1024 x 1024 + 1024) +
    // 2 x 1024 x 8192 + 8192 + 1024 + 4 x 1024 and 6 of 16,796,672.
    {"facebook/wmt19-ru-en",
     (31'232 + 31'640 + 2 * 1026) * 1024 + 6 * (4 * 1'049'600 + 16'786'432 + 4096) + 6 * 16'796'672,
     R"({"architectures": ["FSMTForConditionalGeneration"], "model_type": "fsmt", "d_model": 1024,
      "encoder_layers": 6, "encoder_attention_heads": 16, "encoder_ffn_dim": 8192,
      "decoder_layers": 6, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096,
      "max_position_embeddings": 1024, "src_vocab_size": 31232, "tgt_vocab_size": 31640,
      "tie_word_embeddings": false, "is_encoder_decoder": true})"},
    {"microsoft/prophetnet-large-uncased", 391'321'600,
     R"({"architectures": ["ProphetNetForConditionalGeneration"], "model_type": "prophetnet",
      "hidden_size": 1024, "num_encoder_layers": 12, "num_encoder_attention_heads": 16,
      "encoder_ffn_dim": 4096, "num_decoder_layers": 12, "num_decoder_attention_heads": 16,
      "decoder_ffn_dim": 4096, "ngram": 2, "num_buckets": 32, "max_position_embeddings": 512,
      "vocab_size": 30522, "is_encoder_decoder": true})"},
    // 80 x 5 x 1024 + 1024 and 512 x 5 x 512 + 512; 12 layers of 4 x (256 x 256 + 256) + 2 x 256 x
    // 2048 + 2048 + 256 + 4 x 256; 6 with 8 such matrices and 6 x 256; two norms; 10000 x 256.
    {"facebook/s2t-small-librispeech-asr",
     410'624 + 1'311'232 + 12 * 1'315'072 + 6 * 1'578'752 + 4 * 256 + 2'560'000,
     R"({"architectures": ["Speech2TextForConditionalGeneration"], "model_type": "speech_to_text",
      "d_model": 256, "conv_channels": 1024, "conv_kernel_sizes": [5, 5], "num_conv_layers": 2,
      "encoder_layers": 12, "encoder_attention_heads": 4, "encoder_ffn_dim": 2048,
      "decoder_layers": 6, "decoder_attention_heads": 4, "decoder_ffn_dim": 2048,
      "input_channels": 1, "input_feat_per_channel": 80, "max_source_positions": 6000,
      "max_target_positions": 1024, "vocab_size": 10000, "is_encoder_decoder": true})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an encoder with a decoder behind it has the parameters of its checkpoint") {
    check_totals(kSequences);
  }

  TEST_CASE("their decoders keep a cache of what the encoder gives beside their own") {
    for (const Published& row : kSequences) {
      CAPTURE(row.id);
      const Model model = model_of(row.config);
      REQUIRE(model.towers.size() == 1);
      CHECK(model.towers[0].kind == gpushape::domain::TowerKind::Encoder);
      for (const auto& run : model.layers) {
        REQUIRE(run.layer.cross_attention);
        CHECK(run.layer.cross_attention->kind == LayerKind::Cross);
        CHECK(run.layer.cross_attention->encoder_tokens == model.towers[0].output_tokens);
      }
    }
  }

  TEST_CASE("an encoder may read more tokens than its decoder writes") {
    const Model led = model_of(config_of(kSequences, "allenai/led-base-16384"));
    CHECK(led.max_context_tokens == 1024);
    CHECK(led.layers[0].layer.cross_attention->encoder_tokens == 16'384);
    const Model sound = model_of(config_of(kSequences, "facebook/s2t-small-librispeech-asr"));
    CHECK(sound.role == Role::Speech);
    CHECK(sound.layers[0].layer.cross_attention->encoder_tokens == 1500);
    // Positions of 6002 frames and 1026 words, which no file holds.
    CHECK(sound.towers[0].table_values == (6002 + 1026) * 256);
  }

  TEST_CASE("Switch sends a token to one expert in every second layer") {
    const std::string config = config_of(kSequences, "google/switch-base-8");
    const Model model = model_of(config);
    std::int64_t mixtures = 0;
    for (const auto& run : model.layers) {
      if (!run.layer.feed_forward.experts) continue;
      CHECK(run.layer.feed_forward.experts->active == 1);
      mixtures += run.count;
    }
    CHECK(mixtures == 6);
    // 12 layers with 3 mixtures have one in every four, where the config says no step.
    std::string fewer = replaced(config, R"("decoder_sparse_step": 2,)", "");
    fewer =
        replaced(fewer, R"("num_sparse_decoder_layers": 6)", R"("num_sparse_decoder_layers": 3)");
    CHECK(parameters_of(model) - parameters_of(model_of(fewer)) ==
          3 * (7 * 2 * 768 * 3072 + 768 * 8));
  }

  TEST_CASE("mT5's type may stand beside T5's class, which is what engines choose by") {
    const Model model = model_of(config_of(kSequences, "google/mt5-base"));
    CHECK(model.family == "t5");
    CHECK(model_of(config_of(kSequences, "google/mt5-small")).family == "mt5");
  }

  TEST_CASE("a config without a class is of the encoder with its decoder") {
    const std::string config = config_of(kSequences, "google/switch-base-8");
    const Model bare = model_of(replaced(
        config, R"("architectures": ["SwitchTransformersForConditionalGeneration"], )", ""));
    CHECK(bare.architecture == "SwitchTransformersForConditionalGeneration");
    CHECK(parameters_of(bare) == parameters_of(model_of(config)));
  }

  TEST_CASE("an encoder of T5's kin alone attends and keeps nothing") {
    // 250112 x 512, 8 layers of 4 x 512 x 384 + 3 x 512 x 1024 and 2 norms, distances, a norm.
    const Model alone = model_of(replaced(config_of(kSequences, "google/mt5-small"),
                                          "MT5ForConditionalGeneration", "MT5EncoderModel"));
    CHECK(caching_layers(alone) == 0);
    CHECK(parameters_of(alone) ==
          250'112 * 512 + 8 * (4 * 512 * 384 + 3 * 512 * 1024 + 2 * 512) + 32 * 6 + 512);
    const Model umt5 = model_of(replaced(config_of(kSequences, "google/umt5-small"),
                                         "UMT5ForConditionalGeneration", "UMT5EncoderModel"));
    CHECK(parameters_of(umt5) - parameters_of(alone) == (256'384 - 250'112) * 512 + 7 * 32 * 6);
  }

  TEST_CASE("sizes that no model has are refused before they run over") {
    const auto refusal = [](const std::string& config) {
      const auto model = gpushape::catalog::read_config(json(config), "them/it");
      REQUIRE_FALSE(model.has_value());
      return model.error().front().message;
    };
    // 5,000 encoder layers of 100,000 experts: 10^22 values, beyond 64 bits.
    CHECK(refusal(R"({"architectures": ["SwitchTransformersForConditionalGeneration"],
      "model_type": "switch_transformers", "d_model": 1000000, "d_kv": 64, "d_ff": 10000000,
      "num_heads": 12, "num_layers": 10000, "num_decoder_layers": 2, "num_experts": 100000,
      "num_sparse_encoder_layers": 5000, "num_sparse_decoder_layers": 0, "vocab_size": 32128})")
              .ends_with("more than any model has"));
    // 2^17 frames are more than a recording has.
    const std::string speech = config_of(kSequences, "facebook/s2t-small-librispeech-asr");
    CHECK(refusal(replaced(speech, "[5, 5]", "[5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]"))
              .contains("17 convolutions"));
  }
}
