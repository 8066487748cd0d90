// BERT's and RoBERTa's kin, which differ in one part each: norms before the halves of a layer,
// embeddings of another width, adapters of languages, windows, entities, or no attention at all.
// Sources: their configuration_*.py and modeling_*.py in transformers.
#include <algorithm>
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kPaddingRows = 2;  // positions count from behind the padding word's

// A layer of `runs` holds a matrix with a bias more.
void add_to_layers(const ConfigParts& parts, const std::string& name, std::int64_t rows,
                   std::int64_t columns) {
  for (domain::LayerRun& run : parts.model().layers)
    add_linear(run.layer.extra, name, rows, columns);
}

}  // namespace

// Norms before each half of a layer, and one at the end.
void read_roberta_prelayernorm(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = kPaddingRows});
  model.has_final_norm = true;
  add_roberta_head(parts);
  model.has_head = false;
}

// Narrow words at the entrance, wide ones at the exit, which share nothing.
void read_rembert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t narrow = parts.size_or({"input_embedding_size"}, "", kHiddenSize, 256);
  const std::int64_t wide = parts.size_or({"output_embedding_size"}, "", kHiddenSize, 1664);
  read_encoder(parts, {.embedding_width = narrow});
  const std::int64_t hidden = model.hidden_size;
  add_linear(model.extra, "encoder.embedding_hidden_mapping_in", hidden, narrow);
  if (is_class(parts, "ForMaskedLM") || is_class(parts, "ForCausalLM")) {
    add_linear(model.extra, "cls.predictions.dense", wide, hidden);
    add_linear(model.extra, "cls.predictions.decoder", model.vocabulary, wide);
    add_biased_norm(model.extra, "cls.predictions.norm", wide);
  } else {
    add_bert_head(parts);
  }
  model.has_head = false;
}

// X-MOD (arXiv 2205.06266): two matrices of each language behind every layer, of which a text
// passes one language's.
void read_xmod(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = kPaddingRows});
  model.has_final_norm = parts.flag("pre_norm", "", false);
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t factor = parts.size_or({"adapter_reduction_factor"}, "", kHiddenSize, 2);
  const std::int64_t narrow = std::max<std::int64_t>(1, hidden / factor);
  const auto count = static_cast<std::int64_t>(parts.fields().texts("languages").size());
  const std::int64_t languages = std::max<std::int64_t>(1, count);
  const bool has_norm = parts.flag("adapter_layer_norm", "", false);
  for (domain::LayerRun& run : model.layers) {
    add_linear(run.layer.extra, "output.adapter_modules.dense1", languages * narrow, hidden);
    run.layer.extra.push_back({.name = "output.adapter_modules.dense2",
                               .rows = languages * hidden,
                               .columns = narrow,
                               .is_linear = true});
    run.layer.extra.push_back(
        {.name = "output.adapter_modules.dense2.bias", .rows = languages * hidden});
    if (has_norm) add_biased_norm(run.layer.extra, "output.adapter_layer_norm", hidden);
  }
  add_roberta_head(parts);
  model.has_head = false;
}

// Blocks of a text attend to some others; its classes pool even where nothing reads it.
void read_big_bird(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {});
  const std::int64_t hidden = model.hidden_size;
  const bool has_bias = parts.flag("use_bias", "", true);
  for (domain::LayerRun& run : model.layers) run.layer.attention.qkv_bias = has_bias;
  if (is_class(parts, "ForQuestionAnswering")) {
    const std::int64_t width = model.layers.front().layer.feed_forward.width;
    add_linear(model.extra, "qa_classifier.intermediate", width, hidden);
    add_linear(model.extra, "qa_classifier.output", hidden, width);
    add_biased_norm(model.extra, "qa_classifier.output.norm", hidden);
    add_bert_head(parts);
  } else {
    if (is_class(parts, "ForSequenceClassification"))
      add_linear(model.extra, "classifier.dense", hidden, hidden);
    add_bert_head(parts, true);
  }
  model.has_head = false;
}

// Tokens that see everything have queries, keys and values of their own.
void read_longformer(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = kPaddingRows});
  for (const char* name : {"query_global", "key_global", "value_global"})
    add_to_layers(parts, std::string("attention.") + name, model.hidden_size, model.hidden_size);
  add_roberta_head(parts);
  model.has_head = false;
}

// LUKE (arXiv 2010.01057): entities beside the words, with an embedding and queries of their own.
void read_luke(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = kPaddingRows});
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t entities = parts.size_or({"entity_vocab_size"}, "", kVocabulary, 500'000);
  const std::int64_t narrow = parts.size_or({"entity_emb_size"}, "", kHiddenSize, 256);
  const std::int64_t types = parts.size_or({"type_vocab_size"}, "", kVocabulary, 2);
  model.extra.push_back({.name = "entity_embeddings", .rows = entities, .columns = narrow});
  if (narrow != hidden)
    model.extra.push_back(
        {.name = "entity_embeddings.dense", .rows = hidden, .columns = narrow, .is_linear = true});
  model.extra.push_back({.name = "entity_embeddings.positions",
                         .rows = model.max_context_tokens + kPaddingRows,
                         .columns = hidden});
  model.extra.push_back({.name = "entity_embeddings.types", .rows = types, .columns = hidden});
  add_biased_norm(model.extra, "entity_embeddings.norm", hidden);
  if (parts.flag("use_entity_aware_attention", "", true)) {
    for (const char* name : {"w2e_query", "e2w_query", "e2e_query"})
      add_to_layers(parts, std::string("attention.") + name, hidden, hidden);
  }
  const bool is_of_words =
      is_class(parts, "ForTokenClassification") || is_class(parts, "ForQuestionAnswering");
  if (!is_of_words) add_linear(model.extra, "pooler.dense", hidden, hidden);
  if (is_class(parts, "ForMaskedLM")) {
    read_masked_head(parts, "lm_head");
    add_linear(model.extra, "entity_predictions.dense", narrow, hidden);
    add_biased_norm(model.extra, "entity_predictions.norm", narrow);
    model.extra.push_back({.name = "entity_predictions.bias", .rows = entities});
  }
  add_classifier_rows(parts);
  // An entity, two of them, or a stretch of words between its ends.
  const std::int64_t labels = label_count(parts.root());
  if (is_class(parts, "ForEntityClassification"))
    add_linear(model.extra, "classifier", labels, hidden);
  if (is_class(parts, "ForEntityPairClassification"))
    model.extra.push_back({.name = "classifier", .rows = labels, .columns = 2 * hidden});
  if (is_class(parts, "ForEntitySpanClassification"))
    add_linear(model.extra, "classifier", labels, 3 * hidden);
  model.has_head = false;
}

// BERT without a pooler, which encodes questions or passages, or reads answers out of them.
void read_dpr(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {});
  constexpr document::IntegerBounds kNarrow{.least = 0, .most = kHiddenSize.most};
  const std::int64_t narrow = parts.fields().integer("projection_dim", kNarrow).value_or(0);
  if (narrow > 0) add_linear(model.extra, "encode_proj", narrow, model.hidden_size);
  const std::int64_t out = narrow > 0 ? narrow : model.hidden_size;
  if (is_class(parts, "DPRReader")) {
    add_linear(model.extra, "qa_outputs", 2, out);
    add_linear(model.extra, "qa_classifier", 1, out);
  }
  model.has_head = false;
}

// FNet (arXiv 2105.03824): Fourier transforms in the place of attention.
void read_fnet(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  model.has_final_norm = false;
  const std::int64_t hidden = model.hidden_size;
  domain::Layer layer;
  layer.attention.kind = domain::LayerKind::None;
  layer.feed_forward = read_feed_forward(parts);
  layer.norm_bias = true;
  model.layers.push_back({layer, read_layer_count(parts)});
  model.extra.push_back({.name = "embeddings.position_embeddings",
                         .rows = model.max_context_tokens,
                         .columns = hidden});
  model.extra.push_back({.name = "embeddings.token_type_embeddings",
                         .rows = parts.size_or({"type_vocab_size"}, "", kVocabulary, 4),
                         .columns = hidden});
  add_biased_norm(model.extra, "embeddings.norm", hidden);
  add_linear(model.extra, "embeddings.projection", hidden, hidden);
  add_bert_head(parts, is_class(parts, "ForMaskedLM"));
  model.has_head = false;
}

// ESM (a language model of proteins): norms before each half of a layer and at the end; a head that
// tells contacts from all attention scores.
void read_esm(ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (parts.flag("is_folding_model", "", false))
    parts.fields().complain("is_folding_model", "a model that folds proteins is not understood");
  read_outer(parts, Positions::Stored);
  const std::int64_t positions = model.max_context_tokens;
  model.max_context_tokens = std::max<std::int64_t>(1, positions - kPaddingRows);
  model.rope = {};
  const std::int64_t hidden = model.hidden_size;
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  const std::int64_t count = read_layer_count(parts);
  model.layers.push_back({layer, count});
  if (parts.fields().text("position_embedding_type").value_or("absolute") == "absolute")
    model.extra.push_back(
        {.name = "embeddings.position_embeddings", .rows = positions, .columns = hidden});
  if (parts.flag("emb_layer_norm_before", "", false))
    add_biased_norm(model.extra, "embeddings.layer_norm", hidden);
  add_linear(model.extra, "contact_head.regression", 1, count * layer.attention.heads);
  add_roberta_head(parts);
  model.has_head = false;
}

// jina-embeddings-v3 (arXiv 2409.10173): XLM-RoBERTa with rotary positions. The publisher's class
// holds two narrow matrices of each task beside every other; that of transformers loads them apart.
void read_jina_v3(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = kPaddingRows, .has_positions = false});
  const std::int64_t hidden = model.hidden_size;
  add_linear(model.extra, "pooler.dense", hidden, hidden);
  model.has_head = false;
  const auto tasks = static_cast<std::int64_t>(parts.fields().texts("lora_adaptations").size());
  const std::int64_t rank = parts.size_or({"lora_rank"}, "", kHeadDim, 4);
  if (!is_class(parts, "XLMRobertaLoRA") || tasks == 0) return;
  const auto adapter = [&](std::int64_t rows, std::int64_t columns) {
    return domain::ExtraTensor{.name = "adapters", .rows = tasks * rank * (rows + columns)};
  };
  const std::int64_t types = parts.size_or({"type_vocab_size"}, "", kVocabulary, 1);
  for (const std::int64_t rows : {model.vocabulary, types, hidden})
    model.extra.push_back(adapter(rows, hidden));
  for (domain::LayerRun& run : model.layers) {
    const std::int64_t width = run.layer.feed_forward.width;
    for (const std::int64_t rows : {3 * hidden, hidden, width, width})
      run.layer.extra.push_back(adapter(rows, hidden));
  }
}

}  // namespace gpushape::catalog
