// DeBERTa (arXiv 2006.03654, 2111.09543): attention by content and by distance, whose embeddings
// all layers share. Sources: modeling_deberta.py and modeling_deberta_v2.py of transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kBuckets{.least = -1, .most = kContextTokens.most};
constexpr document::IntegerBounds kConvolution{.least = 0, .most = 1'000};

// "p2c|c2p", or a list of the same words.
bool attends(const Fields& fields, std::string_view word) {
  const document::Node* node = fields.node("pos_att_type");
  if (node == nullptr) return false;
  if (node->is(document::Node::Kind::String)) return node->text().contains(word);
  const std::vector<std::string> words = fields.texts("pos_att_type");
  return std::ranges::find(words, word) != words.end();
}

// Matrices of a layer for distances, where it does not take those for content.
void add_distance_matrices(const ConfigParts& parts, domain::Layer& layer) {
  const Fields& fields = parts.fields();
  if (fields.boolean("share_att_key").value_or(false)) return;
  const std::int64_t hidden = parts.model().hidden_size;
  if (attends(fields, "c2p")) add_linear(layer.extra, "self_attn.pos_key_proj", hidden, hidden);
  if (attends(fields, "p2c")) add_linear(layer.extra, "self_attn.pos_query_proj", hidden, hidden);
}

// Two directions of so many buckets, or of so many tokens.
std::int64_t distances(const ConfigParts& parts) {
  const Fields& fields = parts.fields();
  const std::int64_t buckets = fields.integer("position_buckets", kBuckets).value_or(-1);
  if (buckets > 0) return 2 * buckets;
  const std::int64_t tokens = fields.integer("max_relative_positions", kBuckets).value_or(-1);
  return 2 * (tokens > 0 ? tokens : parts.model().max_context_tokens);
}

void add_distances(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  model.extra.push_back(
      {.name = "encoder.rel_embeddings", .rows = distances(parts), .columns = hidden});
  if (parts.fields().text("norm_rel_ebd").value_or("none").contains("layer_norm"))
    add_biased_norm(model.extra, "encoder.norm", hidden);
  for (domain::LayerRun& run : model.layers) add_distance_matrices(parts, run.layer);
}

// The second's larger ones look at neighbours, too, beside the first layer.
void add_convolution(const ConfigParts& parts) {
  const std::int64_t kernel = parts.fields().integer("conv_kernel_size", kConvolution).value_or(0);
  if (kernel == 0) return;
  domain::Model& model = parts.model();
  const std::int64_t groups =
      std::max<std::int64_t>(1, parts.fields().integer("conv_groups", kConvolution).value_or(1));
  add_linear(model.extra, "encoder.conv", model.hidden_size, model.hidden_size * kernel / groups);
  add_biased_norm(model.extra, "encoder.conv.norm", model.hidden_size);
}

// Its base class has no pooler.
void add_deberta_head(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (is_class(parts, "ForMaskedLM")) read_masked_head(parts, "cls.predictions.transform");
  if (is_class(parts, "ForSequenceClassification") || is_class(parts, "ForMultipleChoice"))
    add_linear(model.extra, "pooler.dense", model.hidden_size, model.hidden_size);
  add_classifier_rows(parts);
  model.has_head = false;
}

}  // namespace

// The first has no biases of keys, and matrices for distances in every layer.
void read_deberta_v1(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const bool stores_positions = parts.fields().boolean("position_biased_input").value_or(true);
  const bool has_types = parts.fields().integer("type_vocab_size", kTypes).value_or(0) > 0;
  read_encoder(parts, {.has_types = has_types, .has_positions = stores_positions});
  const std::int64_t hidden = model.hidden_size;
  const Fields& fields = parts.fields();
  const bool is_relative = fields.boolean("relative_attention").value_or(false);
  if (is_relative)
    model.extra.push_back(
        {.name = "encoder.rel_embeddings", .rows = distances(parts), .columns = hidden});
  for (domain::LayerRun& run : model.layers) {
    domain::Layer& layer = run.layer;
    layer.attention.key_has_bias = false;
    if (is_relative && attends(fields, "c2p"))
      layer.extra.push_back(
          {.name = "self_attn.pos_proj", .rows = hidden, .columns = hidden, .is_linear = true});
    if (is_relative && attends(fields, "p2c"))
      add_linear(layer.extra, "self_attn.pos_q_proj", hidden, hidden);
    if (!fields.boolean("talking_head").value_or(false)) continue;
    for (const char* name : {"self_attn.head_logits_proj", "self_attn.head_weights_proj"})
      layer.extra.push_back(
          {.name = name, .rows = layer.attention.heads, .columns = layer.attention.heads});
  }
  add_deberta_head(parts);
}

void read_deberta(ConfigParts& parts) {
  const bool stores_positions = parts.fields().boolean("position_biased_input").value_or(true);
  const bool has_types = parts.fields().integer("type_vocab_size", kTypes).value_or(0) > 0;
  read_encoder(parts, {.has_types = has_types, .has_positions = stores_positions});
  if (parts.fields().boolean("relative_attention").value_or(false)) add_distances(parts);
  add_convolution(parts);
  add_deberta_head(parts);
}

}  // namespace gpushape::catalog
