// Encoders with rotary positions and gated networks: ModernBERT (arXiv 2412.13663), EuroBERT
// (arXiv 2503.05500), Nomic's BERT and that of the second GTE (arXiv 2407.19669). Sources: their
// classes in transformers, modeling_hf_nomic_bert.py and Alibaba-NLP/new-impl of the publishers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// Every second layer, say, routes to experts of the network's width, which share one bias of their
// output. Source: modeling_hf_nomic_bert.py, NomicExperts.
void add_nomic_layers(const ConfigParts& parts, const domain::Layer& dense) {
  constexpr document::IntegerBounds kCount{.least = 0, .most = kExperts.most};
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t experts = parts.fields().integer("num_experts", kCount).value_or(0);
  const std::int64_t every = parts.fields().integer("moe_every_n_layers", kCount).value_or(0);
  domain::Layer mixture = dense;
  mixture.feed_forward.width = 0;
  mixture.feed_forward.experts =
      domain::Experts{.count = experts,
                      .active = parts.fields().integer("moe_top_k", kExperts).value_or(1),
                      .width = dense.feed_forward.width,
                      .is_gated = dense.feed_forward.gated};
  mixture.extra.push_back({.name = "mlp.experts.bias", .rows = parts.model().hidden_size});
  const bool mixes = experts > 0 && every > 0;
  for (std::int64_t i = 0; i < count; ++i)
    add_layer(parts, mixes && i % every == 1 ? mixture : dense);
}

}  // namespace

void read_nomic_bert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  layer.attention.qkv_bias = parts.flag("qkv_proj_bias", "qkvBias", true);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.feed_forward.bias = parts.flag("mlp_fc1_bias", "feedForwardBias", true);
  layer.feed_forward.gated =
      parts.fields().text("activation_function").value_or("swiglu").ends_with("glu");
  add_nomic_layers(parts, layer);
  const std::int64_t types = parts.size_or({"type_vocab_size"}, "", kVocabulary, 2);
  model.extra.push_back(
      {.name = "embeddings.token_type_embeddings", .rows = types, .columns = model.hidden_size});
  for (const char* name : {"embeddings.norm", "embeddings.norm.bias"})
    model.extra.push_back({.name = name, .rows = model.hidden_size});
  read_rotary_dim(parts, layer.attention.head_dim);
  model.has_final_norm = false;
  model.has_head = false;
}

// Gate and up are one matrix without a bias; everything else has one. Snowflake's copies of it call
// themselves GTE.
void read_gte(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  // The scaling of its angles is what brought it to as many positions.
  model.max_context_tokens =
      parts.size_or({"max_position_embeddings"}, "contextTokens", kContextTokens, 8192);
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  layer.extra.push_back({.name = "mlp.down_proj.bias", .rows = model.hidden_size});
  model.layers.push_back({layer, read_layer_count(parts)});
  const std::int64_t types =
      parts.root().integer("type_vocab_size", {.least = 0, .most = kVocabulary.most}).value_or(1);
  if (types > 0) {
    model.extra.push_back(
        {.name = "embeddings.token_type_embeddings", .rows = types, .columns = model.hidden_size});
  }
  for (const char* name : {"embeddings.norm", "embeddings.norm.bias"})
    model.extra.push_back({.name = name, .rows = model.hidden_size});
  if (model.architecture.ends_with("ForSequenceClassification")) {
    model.extra.push_back({.name = "pooler.dense",
                           .rows = model.hidden_size,
                           .columns = model.hidden_size,
                           .is_linear = true});
    model.extra.push_back({.name = "pooler.dense.bias", .rows = model.hidden_size});
    model.extra.push_back({.name = "classifier", .rows = 1, .columns = model.hidden_size});
    model.extra.push_back({.name = "classifier.bias", .rows = 1});
  }
  read_rotary_dim(parts, layer.attention.head_dim);
  model.has_final_norm = false;
  model.has_head = false;
}

// A llama that attends in both directions.
void read_eurobert(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  parts.model().layers.push_back({layer, read_layer_count(parts)});
  read_rotary_dim(parts, layer.attention.head_dim);
}

void read_modern_bert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  layer.attention.qkv_bias = parts.flag("attention_bias", "qkvBias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.feed_forward.bias = parts.flag("mlp_bias", "feedForwardBias", false);
  layer.norm_bias = parts.flag("norm_bias", "", false);
  const std::int64_t count = read_layer_count(parts);
  // The embeddings' norm stands for the first layer's own.
  domain::Layer first = layer;
  first.norms = 1;
  add_layer(parts, first);
  if (count > 1) model.layers.push_back({layer, count - 1});
  model.final_norm_bias = layer.norm_bias;
  model.extra.push_back({.name = "embeddings.norm", .rows = model.hidden_size});
  if (layer.norm_bias)
    model.extra.push_back({.name = "embeddings.norm.bias", .rows = model.hidden_size});
  if (model.architecture.contains("ModernBertFor")) {
    model.extra.push_back({.name = "head.dense",
                           .rows = model.hidden_size,
                           .columns = model.hidden_size,
                           .is_linear = true});
    model.extra.push_back({.name = "head.norm", .rows = model.hidden_size});
  }
  if (model.architecture.ends_with("ForMaskedLM"))
    model.extra.push_back({.name = "decoder.bias", .rows = model.vocabulary});
  const bool counts_labels = model.architecture.ends_with("Classification");
  if (counts_labels || is_class(parts, "ForMultipleChoice") ||
      is_class(parts, "ForQuestionAnswering")) {
    const std::int64_t rows = is_class(parts, "ForMultipleChoice")      ? 1
                              : is_class(parts, "ForQuestionAnswering") ? 2
                                                                        : label_count(parts.root());
    model.extra.push_back({.name = "classifier", .rows = rows, .columns = model.hidden_size});
    model.extra.push_back({.name = "classifier.bias", .rows = rows});
  }
  read_rotary_dim(parts, layer.attention.head_dim);
  model.has_head = false;
}

}  // namespace gpushape::catalog
