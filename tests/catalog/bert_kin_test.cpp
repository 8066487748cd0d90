// Encoders built after BERT and RoBERTa, held against what PyTorch counts of the published
// checkpoint, or against their matrices summed by hand from the class; and the heads on them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::Model;
using gpushape::domain::Role;

namespace {

// Sizes that BERT's and RoBERTa's base have, in 12 layers of 7,087,872.
const std::string kBaseSizes =
    R"("hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12,
      "num_hidden_layers": 12)";

std::string encoder_of(const std::string& architecture, const std::string& type,
                       const std::string& more) {
  return R"({"architectures": [")" + architecture + R"("], "model_type": ")" + type + "\", " +
         kBaseSizes + ", " + more + "}";
}

const std::string kRobertaWords =
    R"("vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1)";
const std::string kBertWords =
    R"("vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2)";

// BertModel and RobertaModel with their poolers.
constexpr std::int64_t kBertModel = 109'482'240;
constexpr std::int64_t kRobertaModel = 124'645'632;
constexpr std::int64_t kMatrix = 768 * 768 + 768;
constexpr std::int64_t kNorm = 2 * 768;

const std::vector<Published> kKin = {
    {"microsoft/deberta-base", 138'601'728,
     encoder_of("DebertaModel", "deberta",
                R"("relative_attention": true, "pos_att_type": "c2p|p2c",
      "max_relative_positions": -1, "position_biased_input": false, "vocab_size": 50265,
      "max_position_embeddings": 512, "type_vocab_size": 0)")},
    {"facebook/data2vec-text-base", kRobertaModel,
     encoder_of("Data2VecTextModel", "data2vec-text", kRobertaWords)},
    // One norm more, behind the last layer.
    {"andreasmadsen/efficient_mlm", kRobertaModel + kNorm,
     encoder_of("RobertaPreLayerNormModel", "roberta-prelayernorm", kRobertaWords)},
    {"google/rembert", 575'920'384,
     R"({"architectures": ["RemBertModel"], "model_type": "rembert", "hidden_size": 1152,
      "input_embedding_size": 256, "output_embedding_size": 1664, "intermediate_size": 4608,
      "num_attention_heads": 18, "num_hidden_layers": 32, "max_position_embeddings": 512,
      "type_vocab_size": 2, "vocab_size": 250300})"},
    // RoBERTa's of 250002 words, and two languages' matrices of 768 x 384 in 12 layers.
    {"facebook/xmod-base",
     kRobertaModel + (250'002 - 50'265) * 768 + 12 * 2 * (2 * 768 * 384 + 384 + 768),
     encoder_of("XmodModel", "xmod",
                R"("adapter_reduction_factor": 2, "adapter_layer_norm": false, "languages":
      ["en_XX", "de_DE"], "pre_norm": false, "vocab_size": 250002, "max_position_embeddings": 514,
      "type_vocab_size": 1)")},
    {"google/bigbird-roberta-base", 127'468'800,
     encoder_of("BigBirdModel", "big_bird",
                R"("use_bias": true, "vocab_size": 50358, "max_position_embeddings": 4096,
      "type_vocab_size": 2)")},
    {"allenai/longformer-base-4096", 148'659'456,
     encoder_of("LongformerModel", "longformer",
                R"("attention_window": [512], "vocab_size": 50265, "max_position_embeddings":
      4098, "type_vocab_size": 1)")},
    // RoBERTa's with two words more; 500000 entities of 256 and a matrix of 256 x 768, their 514
    // positions, one type and a norm; three matrices in 12 layers.
    {"studio-ousia/luke-base",
     kRobertaModel + 2 * 768 + 500'000 * 256 + 256 * 768 + 515 * 768 + kNorm + 12 * 3 * kMatrix,
     encoder_of("LukeModel", "luke",
                R"("entity_vocab_size": 500000, "entity_emb_size": 256,
      "use_entity_aware_attention": true, "vocab_size": 50267, "max_position_embeddings": 514,
      "type_vocab_size": 1)")},
    {"facebook/dpr-ctx_encoder-multiset-base", kBertModel - kMatrix,
     encoder_of("DPRContextEncoder", "dpr", R"("projection_dim": 0, )" + kBertWords)},
    {"google/fnet-base", 82'861'056,
     R"({"architectures": ["FNetModel"], "model_type": "fnet", "hidden_size": 768,
      "intermediate_size": 3072, "num_hidden_layers": 12, "max_position_embeddings": 512,
      "type_vocab_size": 4, "vocab_size": 32000})"},
    // As Meta's own package counts it.
    {"facebook/esm2_t33_650M_UR50D", 651'043'254,
     R"({"architectures": ["EsmForMaskedLM"], "model_type": "esm", "emb_layer_norm_before": false,
      "hidden_size": 1280, "intermediate_size": 5120, "num_attention_heads": 20,
      "num_hidden_layers": 33, "max_position_embeddings": 1026, "position_embedding_type":
      "rotary", "vocab_size": 33})"},
    // The Hub's safetensors metadata (parameter-counts.csv).
    {"jinaai/jina-embeddings-v3", 572'310'396,
     R"({"architectures": ["XLMRobertaLoRA"], "model_type": "xlm-roberta", "hidden_size": 1024,
      "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24,
      "max_position_embeddings": 8194, "position_embedding_type": "rotary", "rotary_emb_base":
      20000.0, "lora_rank": 4, "lora_adaptations": ["retrieval.query", "retrieval.passage",
      "separation", "classification", "text-matching"], "type_vocab_size": 1, "vocab_size":
      250002, "torch_dtype": "bfloat16"})"},
    // BERT's, and four tables of 1024 x 768.
    {"microsoft/layoutlm-base-uncased", kBertModel + 4 * 1024 * 768,
     encoder_of("LayoutLMModel", "layoutlm",
                R"("max_2d_position_embeddings": 1024, )" + kBertWords)},
    // RoBERTa's without its pooler; four tables of 1024 x 128; patches of 16 x 16 x 3, a token, 197
    // places and two norms; 32 and twice 64 distances of 12 heads.
    {"microsoft/layoutlmv3-base",
     kRobertaModel - kMatrix + 4 * 1024 * 128 + 769 * 768 + 768 + 197 * 768 + 2 * kNorm +
         (32 + 2 * 64) * 12,
     encoder_of("LayoutLMv3Model", "layoutlmv3",
                R"("coordinate_size": 128, "shape_size": 128, "max_2d_position_embeddings": 1024,
      "has_relative_attention_bias": true, "has_spatial_attention_bias": true, "rel_pos_bins": 32,
      "rel_2d_pos_bins": 64, "input_size": 224, "visual_embed": true, )" +
                    kRobertaWords)},
    // RoBERTa's; four tables of 1024 x 128, 514 x 192, 768 x 192 + 192 and a norm of 192; in 12
    // layers 4 x (192 x 192 + 192), 192 x 768 + 768, 768 x 192 + 192 and two norms of 192.
    {"SCUT-DLVCLab/lilt-roberta-en-base",
     kRobertaModel + 4 * 1024 * 128 + 514 * 192 + 769 * 192 + 2 * 192 +
         12 * (4 * (192 * 192 + 192) + 192 * 768 + 768 + 768 * 192 + 192 + 4 * 192),
     encoder_of(
         "LiltModel", "lilt",
         R"("channel_shrink_ratio": 4, "max_2d_position_embeddings": 1024, )" + kRobertaWords)},
    // BERT's without its pooler; of its layers' four matrices the first three have half the
    // outputs; 768 x 9, 384 x 768 + 384, 384 x 54 + 54 and 768 x 384 + 384 beside them.
    {"YituTech/conv-bert-base",
     kBertModel - kMatrix +
         12 * (768 * 9 + 384 * 768 + 384 + 384 * 54 + 54 + 768 * 384 + 384 - 3 * (384 * 768 + 384)),
     encoder_of("ConvBertModel", "convbert",
                R"("conv_kernel_size": 9, "head_ratio": 2, "num_groups": 1, "embedding_size":
      768, )" + kBertWords)},
    // BERT's, with a quarter of the weights of queries, keys, values and the network.
    {"squeezebert/squeezebert-uncased", kBertModel - 12 * (3 * 768 * 768 + 2 * 768 * 3072) / 4 * 3,
     encoder_of("SqueezeBertModel", "squeezebert",
                R"("q_groups": 4, "k_groups": 4, "v_groups": 4, "post_attention_groups": 1,
      "intermediate_groups": 4, "output_groups": 4, "embedding_size": 768, )" +
                    kBertWords)},
};

std::int64_t count_of(const std::string& architecture, const std::string& type,
                      const std::string& more) {
  return parameters_of(model_of(encoder_of(architecture, type, more)));
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("an encoder after BERT has the parameters of its checkpoint") { check_totals(kKin); }

  TEST_CASE("encoders after BERT embed, and keep nothing of a text") {
    for (const Published& row : kKin) {
      CAPTURE(row.id);
      const Model model = model_of(row.config);
      CHECK(model.role == Role::Embed);
      CHECK(caching_layers(model) == 0);
      CHECK_FALSE(model.has_head);
    }
  }

  TEST_CASE("a config without a class is of the encoder itself") {
    const std::string bare = replaced(config_of(kKin, "microsoft/deberta-base"),
                                      R"("architectures": ["DebertaModel"], )", "");
    CHECK(model_of(bare).architecture == "DebertaModel");
    CHECK(parameters_of(model_of(bare)) == 138'601'728);
  }

  TEST_CASE("heads on an encoder are told by the class") {
    // An answer's ends, without a pooler; one row for each choice, behind it.
    CHECK(count_of("BertForQuestionAnswering", "bert", kBertWords) ==
          kBertModel - kMatrix + 2 * 768 + 2);
    CHECK(count_of("BertForMultipleChoice", "bert", kBertWords) == kBertModel + 768 + 1);
    CHECK(count_of("BertForNextSentencePrediction", "bert", kBertWords) ==
          kBertModel + 2 * 768 + 2);
    CHECK(count_of("RobertaForQuestionAnswering", "roberta", kRobertaWords) ==
          kRobertaModel - kMatrix + 2 * 768 + 2);
    // Words have their classifier alone.
    CHECK(count_of("RobertaForTokenClassification", "roberta",
                   R"("id2label": {"0": "a", "1": "b", "2": "c"}, )" + kRobertaWords) ==
          kRobertaModel - kMatrix + 3 * 768 + 3);
    CHECK(count_of("DPRReader", "dpr", R"("projection_dim": 0, )" + kBertWords) ==
          kBertModel - kMatrix + 3 * 768 + 3);
    // distilbert-base-uncased-distilled-squad: DistilBertModel's 66,362,880 and two rows.
    CHECK(parameters_of(model_of(
              R"({"architectures": ["DistilBertForQuestionAnswering"], "model_type": "distilbert",
      "dim": 768, "hidden_dim": 3072, "n_heads": 12, "n_layers": 6, "max_position_embeddings": 512,
      "vocab_size": 30522})")) == 66'362'880 + 2 * 768 + 2);
    // Spans of LUKE: their ends and what lies between.
    const std::string luke = config_of(kKin, "studio-ousia/luke-base");
    CHECK(parameters_of(model_of(replaced(luke, "LukeModel", "LukeForEntitySpanClassification"))) -
              parameters_of(model_of(luke)) ==
          2 * 3 * 768 + 2);
  }

  TEST_CASE("a decoder's class for answers is not taken for an encoder's") {
    const auto model = read_config(json(R"({"architectures": ["LlamaForQuestionAnswering"],
      "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
      "num_hidden_layers": 2, "vocab_size": 100, "max_position_embeddings": 64})"),
                                   "some/model");
    REQUIRE_FALSE(model);
    CHECK(mentions(model.error(), "'LlamaForQuestionAnswering' is not understood"));
  }

  TEST_CASE("a model that folds proteins is no encoder alone") {
    const auto model = read_config(
        json(replaced(config_of(kKin, "facebook/esm2_t33_650M_UR50D"), R"("vocab_size": 33)",
                      R"("is_folding_model": true, "vocab_size": 33)")),
        "some/model");
    REQUIRE_FALSE(model);
    CHECK(mentions(model.error(), "folds proteins"));
  }
}
