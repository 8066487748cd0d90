// T5 (arXiv 1910.10683): RMS norms, no biases, positions as a learned bias of the attention scores.
// With its decoder, or the encoder alone, as embedding models and image generators use it. Source:
// T5Config and modeling_t5.py of transformers.
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Nothing in a config bounds a text; 512 tokens is what the published ones were trained with.
constexpr std::int64_t kTrainedTokens = 512;
constexpr std::int64_t kBuckets = 32;  // of distances

domain::Attention read_t5_attention(const ConfigParts& parts) {
  domain::Attention attention;
  attention.heads = parts.size({"num_heads"}, "attentionHeads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = parts.size({"d_kv"}, "headDim", kHeadDim);
  attention.value_head_dim = attention.head_dim;
  return attention;
}

domain::FeedForward read_t5_feed_forward(const ConfigParts& parts) {
  domain::FeedForward feed_forward;
  feed_forward.width = parts.size({"d_ff"}, "feedForwardWidth", kWidth);
  feed_forward.gated =
      parts.fields().text("feed_forward_proj").value_or("relu").starts_with("gated");
  return feed_forward;
}

domain::ExtraTensor distances(const std::string& name, std::int64_t buckets, std::int64_t heads) {
  return {.name = name + ".relative_attention_bias", .rows = buckets, .columns = heads};
}

domain::Tower encoder_of(const domain::Model& model, const domain::Layer& layer,
                         std::int64_t layers, std::int64_t buckets) {
  domain::Tower tower{.kind = domain::TowerKind::Encoder,
                      .hidden_size = model.hidden_size,
                      .layers = layers,
                      .heads = layer.attention.heads,
                      .width = layer.feed_forward.width,
                      .gated = layer.feed_forward.gated};
  const std::int64_t block = values_of({.hidden = model.hidden_size,
                                        .width = tower.width,
                                        .inner = layer.attention.heads * layer.attention.head_dim,
                                        .attention_bias = false,
                                        .network_bias = false,
                                        .is_gated = tower.gated,
                                        .norm_values = 2 * model.hidden_size});
  tower.parameters = layers * block + buckets * tower.heads + model.hidden_size;
  tower.inner_tokens = model.max_context_tokens;
  tower.output_tokens = model.max_context_tokens;
  return tower;
}

}  // namespace

void read_t5(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_sizes(parts);
  model.max_context_tokens =
      parts.size_or({"n_positions"}, "contextTokens", kContextTokens, kTrainedTokens);
  const std::int64_t buckets =
      parts.fields().integer("relative_attention_num_buckets", kWidth).value_or(kBuckets);
  domain::Layer layer;
  layer.attention = read_t5_attention(parts);
  layer.feed_forward = read_t5_feed_forward(parts);
  const std::int64_t layers = read_layer_count(parts);
  const std::int64_t heads = layer.attention.heads;
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  if (model.architecture.ends_with("EncoderModel")) {
    layer.attention.kind = domain::LayerKind::None;
    model.layers.push_back({layer, layers});
    model.extra.push_back(distances("encoder", buckets, heads));
    model.has_head = false;
    return;
  }
  model.towers.push_back(encoder_of(model, layer, layers, buckets));
  layer.cross_attention = layer.attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  layer.cross_attention->encoder_tokens = model.max_context_tokens;
  layer.norms = 3;
  const auto decoder_layers = parts.fields().integer("num_decoder_layers", kLayers);
  model.layers.push_back({layer, decoder_layers.value_or(layers)});
  model.extra.push_back(distances("decoder", buckets, heads));
}

}  // namespace gpushape::catalog
