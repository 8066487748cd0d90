// ELECTRA (arXiv 2003.10555): BERT without a pooler, whose small ones embed narrower than they are.
// Source: ElectraConfig and modeling_electra of transformers.
#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

void read_electra(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t narrow = parts.size_or({"embedding_size"}, "", kHiddenSize, 128);
  read_encoder(parts, {.embedding_width = narrow});
  const std::int64_t hidden = model.hidden_size;
  if (narrow != hidden) add_linear(model.extra, "embeddings_project", hidden, narrow);
  if (is_class(parts, "ForMaskedLM")) {
    add_linear(model.extra, "generator_predictions.dense", narrow, hidden);
    add_biased_norm(model.extra, "generator_predictions.norm", narrow);
    model.extra.push_back({.name = "generator_lm_head.bias", .rows = model.vocabulary});
  }
  if (is_class(parts, "ForPreTraining")) {
    add_linear(model.extra, "discriminator_predictions.dense", hidden, hidden);
    add_linear(model.extra, "discriminator_predictions.dense_prediction", 1, hidden);
  }
  if (is_class(parts, "ForSequenceClassification")) {
    add_linear(model.extra, "classifier.dense", hidden, hidden);
    add_linear(model.extra, "classifier.out_proj", label_count(parts.root()), hidden);
  }
  if (is_class(parts, "ForTokenClassification"))
    add_linear(model.extra, "classifier", label_count(parts.root()), hidden);
  model.has_head = false;
}

}  // namespace gpushape::catalog
