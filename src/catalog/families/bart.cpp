// BART, mBART and M2M-100 (NLLB): an encoder of text as a tower, and a decoder whose layers attend
// to it, too. Source: BartConfig, M2M100Config and their classes in transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Learned positions count from behind two padding rows.
constexpr std::int64_t kPaddingRows = 2;

// What the three differ in.
struct Differences {
  bool is_pre_norm = false;      ///< norms before each half of a layer, and once more at the end
  bool stores_positions = true;  ///< learned, with a norm behind the embeddings
};
Differences differences(const ConfigParts& parts) {
  const std::string& type = parts.model().family;
  // M2M-100 computes its positions by sine and cosine.
  const bool is_m2m = type == "m2m_100";
  return {.is_pre_norm = type == "mbart" || is_m2m, .stores_positions = !is_m2m};
}

domain::Tower read_encoder(const ConfigParts& parts, Differences is) {
  domain::Tower tower;
  tower.kind = domain::TowerKind::Encoder;
  const std::int64_t hidden = parts.model().hidden_size;
  tower.hidden_size = hidden;
  tower.layers = parts.size({"encoder_layers"}, "towers", kLayers);
  tower.heads = parts.size({"encoder_attention_heads"}, "", kHeads);
  tower.width = parts.size({"encoder_ffn_dim"}, "", kWidth);
  const std::int64_t tokens = parts.model().max_context_tokens;
  tower.parameters =
      (is.stores_positions ? (tokens + kPaddingRows) * hidden + 2 * hidden : 0) +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      (is.is_pre_norm ? 2 * hidden : 0);
  tower.inner_tokens = tokens;
  tower.output_tokens = tokens;
  return tower;
}

}  // namespace

domain::Layer bart_layer(std::int64_t hidden, std::int64_t heads, std::int64_t width) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = heads;
  attention.kv_heads = heads;
  attention.head_dim = std::max<std::int64_t>(1, hidden / heads);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = true;
  attention.output_bias = true;
  layer.cross_attention = attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  layer.feed_forward.width = width;
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norms = 3;
  layer.norm_bias = true;
  return layer;
}

void read_bart(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  const Differences is = differences(parts);
  model.has_final_norm = is.is_pre_norm;
  const std::int64_t heads = parts.size({"decoder_attention_heads"}, "attentionHeads", kHeads);
  const domain::Tower tower = read_encoder(parts, is);
  const std::int64_t width = parts.size({"decoder_ffn_dim"}, "feedForwardWidth", kWidth);
  domain::Layer layer = bart_layer(model.hidden_size, heads, width);
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  model.layers.push_back({layer, parts.size({"decoder_layers"}, "layers", kLayers)});
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  model.towers.push_back(tower);
  if (!is.stores_positions) return;
  model.extra.push_back({.name = "decoder.position_embeddings",
                         .rows = model.max_context_tokens + kPaddingRows,
                         .columns = model.hidden_size});
  for (const char* name : {"decoder.layernorm_embedding", "decoder.layernorm_embedding.bias"})
    model.extra.push_back({.name = name, .rows = model.hidden_size});
}

}  // namespace gpushape::catalog
