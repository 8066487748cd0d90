// Classes that turn a decoder or an encoder to retrieval: published counts, and what they cache.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::domain::LayerKind;
using gpushape::domain::Role;

namespace {

const std::string kQwen3Small =
    R"("hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
      "max_position_embeddings": 40960, "rope_theta": 1000000, "tie_word_embeddings": true,
      "attention_bias": false, "torch_dtype": "bfloat16")";
const std::string kLlama1b =
    R"("model_type": "llama_bidirec", "hidden_size": 2048, "intermediate_size": 8192,
      "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
      "vocab_size": 128256, "max_position_embeddings": 131072, "rope_theta": 500000.0,
      "tie_word_embeddings": true, "pooling": "avg", "torch_dtype": "bfloat16")";

// The models' metadata in github.com/embeddings-benchmark/mteb, and the Hub's of the first of
// NVIDIA's.
const std::vector<Published> kRetrievalModels = {
    {"jinaai/jina-reranker-v3", 596'836'352,
     R"({"architectures": ["JinaForRanking"], "model_type": "qwen3", )" + kQwen3Small + "}"},
    {"jinaai/jina-embeddings-v5-text-small", 596'049'920,
     R"({"architectures": ["JinaEmbeddingsV5Model"], "model_type": "jina_embeddings_v5", )" +
         kQwen3Small + "}"},
    {"nvidia/llama-nemotron-embed-1b-v2", 1'235'814'400,
     R"({"architectures": ["LlamaBidirectionalModel"], )" + kLlama1b + "}"},
    {"nvidia/llama-nemotron-rerank-1b-v2", 1'235'816'448,
     R"({"architectures": ["LlamaBidirectionalForSequenceClassification"], "id2label": {"0":
      "LABEL_0"}, )" +
         kLlama1b + "}"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a class of retrieval has the parameters of its checkpoint") {
    check_totals(kRetrievalModels);
  }

  TEST_CASE("a decoder that looks both ways caches nothing") {
    const auto model = model_of(kRetrievalModels[2].config);
    CHECK(model.layers.front().layer.attention.kind == LayerKind::None);
    CHECK(model.role == Role::Embed);
    CHECK(model_of(kRetrievalModels[3].config).role == Role::Rerank);
    // jina-reranker-v3 reads forwards.
    CHECK(model_of(kRetrievalModels[0].config).layers.front().layer.attention.kind ==
          LayerKind::Full);
  }

  TEST_CASE("Voyage's embeddings of Qwen3 are narrowed, or widened, by one matrix") {
    // Qwen3-0.6B's 596,049,920 and 2048 x 1024.
    const auto model = model_of(
        R"({"architectures": ["VoyageQwen3BidirectionalEmbedModel"], "model_type": "qwen3",
          "num_labels": 2048, )" +
        kQwen3Small + "}");
    CHECK(model.parameters.total == 596'049'920 + 2048 * 1024);
    CHECK(model.layers.front().layer.attention.kind == LayerKind::None);
  }

  TEST_CASE("a ColBERT is BERT and 128 values a token") {
    // 30522 x 768 + 512 x 768 + 2 x 768 + 2 x 768 + 12 x (4 x 768^2 + 4 x 768 + 2 x 768 x 3072
    // + 3072 + 768 + 4 x 768) + 768^2 + 768, and 128 x 768.
    const auto model = model_of(
        R"({"architectures": ["HF_ColBERT"], "model_type": "bert", "hidden_size": 768,
          "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
          "max_position_embeddings": 512, "type_vocab_size": 2, "vocab_size": 30522, "torch_dtype":
          "float32"})");
    CHECK(model.parameters.total == 109'482'240 + 128 * 768);
    CHECK(model.role == Role::Embed);
  }

  TEST_CASE("Qwen2.5-Math's reward models score by two matrices") {
    // Qwen2.5-Math-7B's 7,615,616,512 less its head, 152064 x 3584.
    constexpr std::int64_t kBody = 7'615'616'512 - std::int64_t{152064} * 3584;
    const std::string sizes =
        R"("model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
          "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
          "vocab_size": 152064, "max_position_embeddings": 4096, "tie_word_embeddings": false,
          "torch_dtype": "bfloat16"})";
    const auto process = model_of(R"({"architectures": ["Qwen2ForProcessRewardModel"], )" + sizes);
    CHECK(process.parameters.total == kBody + 3584 * 3584 + 3584 + 2 * 3584 + 2);
    const auto outcome = model_of(R"({"architectures": ["Qwen2ForRewardModel"], )" + sizes);
    CHECK(outcome.parameters.total == kBody + 3584 * 3584 + 3584 + 3584 + 1);
  }

  TEST_CASE("BGE-M3 weighs each token, and keeps a vector of it, where its class is asked for") {
    const std::string sizes =
        R"("model_type": "xlm-roberta", "hidden_size": 1024, "intermediate_size": 4096,
          "num_hidden_layers": 24, "num_attention_heads": 16, "max_position_embeddings": 8194,
          "type_vocab_size": 1, "vocab_size": 250002, "torch_dtype": "float32"})";
    // 1024 + 1 and 1024^2 + 1024 more than the encoder, from two further files.
    CHECK(model_of(R"({"architectures": ["XLMRobertaModel"], )" + sizes).parameters.total ==
          567'754'752);
    CHECK(model_of(R"({"architectures": ["BgeM3EmbeddingModel"], )" + sizes).parameters.total ==
          567'754'752 + 1025 + 1024 * 1025);
  }

  TEST_CASE("SPLADE reads the head for masked words, and no pooler") {
    const std::string sizes =
        R"("model_type": "bert", "hidden_size": 768, "intermediate_size": 3072,
          "num_hidden_layers": 12, "num_attention_heads": 12, "max_position_embeddings": 512,
          "type_vocab_size": 2, "vocab_size": 30522, "torch_dtype": "float32"})";
    CHECK(model_of(R"({"architectures": ["BertSpladeSparseEmbeddingModel"], )" + sizes)
              .parameters.total ==
          model_of(R"({"architectures": ["BertForMaskedLM"], )" + sizes).parameters.total);
  }

  TEST_CASE("other names of built-in shapes are read as those") {
    const std::string sizes =
        R"("hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 2,
          "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000,
          "max_position_embeddings": 4096, "torch_dtype": "bfloat16"})";
    const auto total = [&](const std::string& names) {
      return model_of("{" + names + ", " + sizes).parameters.total;
    };
    CHECK(total(R"("architectures": ["GritLM"], "model_type": "mistral")") ==
          total(R"("architectures": ["MistralForCausalLM"], "model_type": "mistral")"));
    CHECK(total(R"("architectures": ["Fairseq2LlamaForCausalLM"], "model_type": "llama")") ==
          total(R"("architectures": ["LlamaForCausalLM"], "model_type": "llama")"));
    CHECK(total(R"("architectures": ["Rnj1ForCausalLM"], "model_type": "gemma3_text")") ==
          total(R"("architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text")"));
    CHECK(total(R"("architectures": ["CamembertModel"], "model_type": "camembert")") ==
          total(R"("architectures": ["RobertaModel"], "model_type": "roberta")"));
  }
}
