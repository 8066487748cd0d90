// ProphetNet (arXiv 2001.04063): an encoder of text, and a decoder that predicts several further
// tokens at once from streams of its own, with learned distances in every layer. Source:
// ProphetNetConfig and modeling_prophetnet.py of transformers.
#include "catalog/families/decoder.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kPredictedAtOnce{.least = 1, .most = 100};

domain::Tower read_text_encoder(const ConfigParts& parts) {
  domain::Tower tower;
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t tokens = parts.model().max_context_tokens;
  tower.kind = domain::TowerKind::Encoder;
  tower.hidden_size = hidden;
  tower.layers = parts.size_or({"num_encoder_layers"}, "towers", kLayers, 12);
  tower.heads = parts.size_or({"num_encoder_attention_heads"}, "", kHeads, 16);
  tower.width = parts.size_or({"encoder_ffn_dim"}, "", kWidth, 4096);
  tower.parameters =
      tokens * hidden + 2 * hidden +
      tower.layers * values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
  tower.inner_tokens = tokens;
  tower.output_tokens = tokens;
  return tower;
}

}  // namespace

void read_prophetnet(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  model.has_final_norm = false;
  const std::int64_t hidden = model.hidden_size;
  const domain::Tower tower = read_text_encoder(parts);
  const std::int64_t heads =
      parts.size_or({"num_decoder_attention_heads"}, "attentionHeads", kHeads, 16);
  const std::int64_t width = parts.size_or({"decoder_ffn_dim"}, "feedForwardWidth", kWidth, 4096);
  domain::Layer layer = bart_layer(hidden, heads, width);
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  const std::int64_t distances = heads * parts.fields().integer("num_buckets", kWidth).value_or(32);
  layer.extra.push_back({.name = "self_attn.relative_pos_embeddings",
                         .rows = distances,
                         .columns = hidden,
                         .is_linear = true});
  layer.extra.push_back({.name = "self_attn.relative_pos_embeddings.bias", .rows = distances});
  model.layers.push_back({layer, parts.size_or({"num_decoder_layers"}, "layers", kLayers, 12)});
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  model.towers.push_back(tower);
  model.extra.push_back(
      {.name = "decoder.position_embeddings", .rows = model.max_context_tokens, .columns = hidden});
  model.extra.push_back({.name = "decoder.ngram_embeddings",
                         .rows = parts.fields().integer("ngram", kPredictedAtOnce).value_or(2),
                         .columns = hidden});
  add_biased_norm(model.extra, "decoder.embeddings_layer_norm", hidden);
}

}  // namespace gpushape::catalog
