// Encoders: BERT and its kin, and CLIP. They attend in both directions and cache nothing. Sources:
// the families' classes in transformers.
#include <algorithm>
#include <utility>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

// An encoder's layer: attention in both directions, two networks, biases everywhere.
domain::Layer encoder_layer(const ConfigParts& parts) {
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  return layer;
}

}  // namespace

void read_encoder(const ConfigParts& parts, EncoderTraits traits) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  const std::int64_t positions = model.max_context_tokens;
  model.max_context_tokens = std::max<std::int64_t>(1, positions - traits.padding_rows);
  model.rope = {};
  model.has_final_norm = false;
  model.layers.push_back({encoder_layer(parts), read_layer_count(parts)});
  if (traits.embedding_width > 0 && traits.embedding_width != model.hidden_size)
    model.embedding_width = traits.embedding_width;
  const std::int64_t width = domain::embedding_columns(model);
  // Jina's encoders tell positions in attention: by a slope or by rotation, without weights.
  if (traits.has_positions &&
      parts.fields().text("position_embedding_type").value_or("absolute") == "absolute")
    model.extra.push_back(
        {.name = "embeddings.position_embeddings", .rows = positions, .columns = width});
  if (traits.has_types) {
    const std::int64_t types = parts.fields().integer("type_vocab_size", kVocabulary).value_or(2);
    model.extra.push_back(
        {.name = "embeddings.token_type_embeddings", .rows = types, .columns = width});
  }
  add_biased_norm(model.extra, "embeddings.norm", width);
}

namespace {

// Jina's second: gate and up are one matrix without a bias. Published with the pooler and without
// the head that the class in their configs has. Source: modeling_bert.py of
// jinaai/jina-bert-implementation and jinaai/jina-bert-v2-qk-post-norm.
void read_jina_bert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {});
  domain::Layer& layer = model.layers.front().layer;
  layer.feed_forward.gated =
      parts.fields().text("feed_forward_type").value_or("geglu").ends_with("glu");
  layer.feed_forward.bias = !layer.feed_forward.gated;
  if (layer.feed_forward.gated)
    layer.extra.push_back({.name = "mlp.wo.bias", .rows = model.hidden_size});
  auto classes = parts.root().mapping("auto_map");
  const std::string base = classes ? Fields(*classes).text("AutoModel").value_or("") : "";
  if (base.contains("qk-post-norm")) {
    layer.attention.head_norm = domain::HeadNorm::Each;
    for (const char* name : {"self_attn.q_norm.bias", "self_attn.k_norm.bias"})
      layer.extra.push_back({.name = name, .rows = model.hidden_size});
    layer.norms = 3;
  }
  add_linear(model.extra, "pooler.dense", model.hidden_size, model.hidden_size);
  model.has_head = false;
}

}  // namespace

void read_bert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (model.architecture.starts_with("JinaBert")) {
    read_jina_bert(parts);
    return;
  }
  read_encoder(parts, {});
  add_bert_head(parts);
  // ColBERT narrows every token (vLLM's model_executor/models/colbert.py); its first paper's width.
  if (is_class(parts, "_ColBERT")) {
    model.extra.push_back(
        {.name = "linear",
         .rows = parts.size_or({"colbert_dim", "dim", "projection_dim"}, "", kHiddenSize, 128),
         .columns = model.hidden_size,
         .is_linear = true});
  }
  model.has_head = false;
}

// BERT with an embedding of tasks, where the config says so (ErnieEmbeddings of transformers).
void read_ernie(ConfigParts& parts) {
  read_bert(parts);
  if (!parts.flag("use_task_id", "", false)) return;
  const std::int64_t tasks =
      parts.fields().integer("task_type_vocab_size", kVocabulary).value_or(3);
  domain::Model& model = parts.model();
  model.extra.push_back(
      {.name = "embeddings.task_type_embeddings", .rows = tasks, .columns = model.hidden_size});
}

void read_xlm_roberta(ConfigParts& parts) {
  domain::Model& model = parts.model();
  // Positions count from behind the padding token's.
  read_encoder(parts, {.padding_rows = 2});
  add_roberta_head(parts);
  // Beside the embedding, a weight and a vector of each token (vLLM's BgeM3EmbeddingModel).
  if (is_class(parts, "BgeM3EmbeddingModel")) {
    add_linear(model.extra, "sparse_linear", 1, model.hidden_size);
    add_linear(model.extra, "colbert_linear", model.hidden_size, model.hidden_size);
  }
  model.has_head = false;
}

// Half of BERT, which names its sizes in words of its own and has neither token types nor a pooler.
void read_distilbert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.hidden_size = parts.size({"dim"}, "hiddenSize", kHiddenSize);
  model.vocabulary = parts.size({"vocab_size"}, "vocabulary", kVocabulary);
  model.tied_embeddings = true;
  model.max_context_tokens =
      parts.size_or({"max_position_embeddings"}, "contextTokens", kContextTokens, 512);
  model.has_final_norm = false;
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention = read_equal_heads(parts, "n_heads");
  attention.kind = domain::LayerKind::None;
  attention.qkv_bias = true;
  attention.output_bias = true;
  layer.feed_forward.width = parts.size({"hidden_dim"}, "feedForwardWidth", kWidth);
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norm_bias = true;
  model.layers.push_back({layer, parts.size({"n_layers"}, "layers", kLayers)});
  model.extra.push_back({.name = "embeddings.position_embeddings",
                         .rows = model.max_context_tokens,
                         .columns = model.hidden_size});
  add_biased_norm(model.extra, "embeddings.norm", model.hidden_size);
  if (is_class(parts, "ForMaskedLM")) read_masked_head(parts, "vocab_transform");
  const bool chooses = is_class(parts, "ForMultipleChoice");
  if (chooses || is_class(parts, "ForSequenceClassification"))
    add_linear(model.extra, "pre_classifier", model.hidden_size, model.hidden_size);
  add_classifier_rows(parts);
  model.has_head = false;
}

// MPNet adds one table of relative positions that all layers share.
void read_mpnet(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_encoder(parts, {.padding_rows = 2, .has_types = false});
  const std::int64_t buckets =
      parts.size_or({"relative_attention_num_buckets"}, "", kVocabulary, 32);
  model.extra.push_back({.name = "encoder.relative_attention_bias",
                         .rows = buckets,
                         .columns = model.layers.front().layer.attention.heads});
  if (!is_class(parts, "ForMaskedLM"))
    add_linear(model.extra, "pooler.dense", model.hidden_size, model.hidden_size);
  model.has_head = false;
}

// Two encoders side by side; the text's is the model, the image's its tower.
void read_clip(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  model.has_head = false;
  model.layers.push_back({encoder_layer(parts), read_layer_count(parts)});
  model.extra.push_back({.name = "position_embeddings",
                         .rows = model.max_context_tokens,
                         .columns = model.hidden_size});
  const std::int64_t width = parts.root().integer("projection_dim", kHiddenSize).value_or(512);
  model.extra.push_back(
      {.name = "text_projection", .rows = width, .columns = model.hidden_size, .is_linear = true});
  model.extra.push_back({.name = "logit_scale", .rows = 1});
  if (auto reader = parts.root().mapping("vision_config")) {
    const Fields vision(*reader);
    domain::Tower tower = clip_tower(vision);
    tower.parameters += tower.hidden_size * width;  // visual_projection
    tower.output_tokens = 1;
    model.towers.push_back(tower);
    parts.from_config("towers");
  }
}

}  // namespace gpushape::catalog
