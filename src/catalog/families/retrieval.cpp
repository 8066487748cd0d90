// Decoders turned to retrieval: whether they look ahead, and what stands behind them. Sources:
// vLLM's model_executor/models/llama.py (LlamaBidirectionalModel), jina.py and voyage.py.
#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// As an encoder, which caches nothing.
void attend_both_ways(domain::Model& model) {
  for (domain::LayerRun& run : model.layers) run.layer.attention.kind = domain::LayerKind::None;
}

void add_matrix(domain::Model& model, const char* name, std::int64_t rows, std::int64_t columns) {
  model.extra.push_back({.name = name, .rows = rows, .columns = columns, .is_linear = true});
}

// What vLLM sets of jina-reranker-v3.
constexpr std::int64_t kJinaRankingWidth = 512;

}  // namespace

void read_bidirectional(ConfigParts& parts) {
  read_dense(parts);
  attend_both_ways(parts.model());
}

void read_qwen3(ConfigParts& parts) {
  read_dense(parts);
  domain::Model& model = parts.model();
  if (model.architecture == "VoyageQwen3BidirectionalEmbedModel") {
    attend_both_ways(model);
    add_matrix(model, "linear", label_count(parts.root()), model.hidden_size);
  } else if (model.architecture == "JinaForRanking") {
    add_matrix(model, "projector.0", model.hidden_size / 2, model.hidden_size);
    add_matrix(model, "projector.2", kJinaRankingWidth, model.hidden_size / 2);
  }
}

// jina-embeddings-v5: Qwen3, with the adapter of a task added to its weights.
void read_jina_v5(ConfigParts& parts) {
  if (!parts.fields().boolean("is_decoder").value_or(true))
    parts.fields().complain("is_decoder", "a jina-embeddings-v5 of an encoder is not understood",
                            "known are those of Qwen3");
  read_dense(parts);
}

}  // namespace gpushape::catalog
