// What stands on an encoder, by the ending of its class's name. Sources: modeling_bert.py,
// modeling_roberta.py and modeling_electra.py of transformers, from which others copy their heads.
#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"

namespace gpushape::catalog {

bool is_class(const ConfigParts& parts, std::string_view ending) {
  return parts.model().architecture.ends_with(ending);
}

void add_linear(std::vector<domain::ExtraTensor>& extra, const std::string& name, std::int64_t rows,
                std::int64_t columns) {
  extra.push_back({.name = name, .rows = rows, .columns = columns, .is_linear = true});
  extra.push_back({.name = name + ".bias", .rows = rows});
}

void read_masked_head(const ConfigParts& parts, const std::string& prefix) {
  domain::Model& model = parts.model();
  add_linear(model.extra, prefix + ".dense", model.hidden_size, model.hidden_size);
  add_biased_norm(model.extra, prefix + ".layer_norm", model.hidden_size);
  model.extra.push_back({.name = prefix + ".bias", .rows = model.vocabulary});
}

void add_classifier_rows(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  if (is_class(parts, "ForSequenceClassification") || is_class(parts, "ForTokenClassification"))
    add_linear(model.extra, "classifier", label_count(parts.root()), hidden);
  if (is_class(parts, "ForMultipleChoice")) add_linear(model.extra, "classifier", 1, hidden);
  if (is_class(parts, "ForQuestionAnswering")) add_linear(model.extra, "qa_outputs", 2, hidden);
}

void add_bert_head(const ConfigParts& parts, bool always_pools) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  const bool is_sparse = is_class(parts, "SpladeSparseEmbeddingModel");
  const bool is_of_words = is_sparse || is_class(parts, "ForMaskedLM") ||
                           is_class(parts, "ForTokenClassification") ||
                           is_class(parts, "ForQuestionAnswering");
  if (always_pools || !is_of_words) add_linear(model.extra, "pooler.dense", hidden, hidden);
  if (is_sparse || is_class(parts, "ForMaskedLM") || is_class(parts, "ForPreTraining"))
    read_masked_head(parts, "cls.predictions.transform");
  // Whether one sentence follows the other.
  if (is_class(parts, "ForPreTraining") || is_class(parts, "ForNextSentencePrediction"))
    add_linear(model.extra, "cls.seq_relationship", 2, hidden);
  add_classifier_rows(parts);
}

void add_roberta_head(const ConfigParts& parts, bool always_pools) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  const bool scores = is_class(parts, "ForSequenceClassification");
  const bool is_of_words = is_class(parts, "ForMaskedLM") ||
                           is_class(parts, "ForTokenClassification") ||
                           is_class(parts, "ForQuestionAnswering");
  if (always_pools || !(scores || is_of_words))
    add_linear(model.extra, "pooler.dense", hidden, hidden);
  if (is_class(parts, "ForMaskedLM")) read_masked_head(parts, "lm_head");
  if (!scores) {
    add_classifier_rows(parts);
    return;
  }
  add_linear(model.extra, "classifier.dense", hidden, hidden);
  add_linear(model.extra, "classifier.out_proj", label_count(parts.root()), hidden);
}

void add_electra_head(const ConfigParts& parts, std::int64_t width) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  if (is_class(parts, "ForMaskedLM")) {
    add_linear(model.extra, "generator_predictions.dense", width, hidden);
    add_biased_norm(model.extra, "generator_predictions.norm", width);
    model.extra.push_back({.name = "generator_lm_head.bias", .rows = model.vocabulary});
  }
  if (is_class(parts, "ForPreTraining")) {
    add_linear(model.extra, "discriminator_predictions.dense", hidden, hidden);
    add_linear(model.extra, "discriminator_predictions.dense_prediction", 1, hidden);
  }
  if (is_class(parts, "ForSequenceClassification")) {
    add_linear(model.extra, "classifier.dense", hidden, hidden);
    add_linear(model.extra, "classifier.out_proj", label_count(parts.root()), hidden);
    return;
  }
  // Choices pass a matrix of the sequence's summary first.
  if (is_class(parts, "ForMultipleChoice"))
    add_linear(model.extra, "sequence_summary.summary", hidden, hidden);
  add_classifier_rows(parts);
}

}  // namespace gpushape::catalog
