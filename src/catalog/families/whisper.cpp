// Whisper: an encoder of sound as a tower, and a decoder whose layers attend to it, too. Source:
// WhisperConfig and modeling_whisper of transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

void read_whisper(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_sizes(parts);
  model.max_context_tokens =
      parts.size_or({"max_target_positions"}, "contextTokens", kContextTokens, 448);
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = parts.size({"decoder_attention_heads"}, "attentionHeads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = std::max<std::int64_t>(1, model.hidden_size / attention.heads);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = true;
  attention.key_has_bias = false;
  attention.output_bias = true;
  layer.cross_attention = attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  const domain::Tower tower = whisper_tower(parts.fields());
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  layer.feed_forward.width = parts.size({"decoder_ffn_dim"}, "feedForwardWidth", kWidth);
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norms = 3;
  layer.norm_bias = true;
  for (const char* fact : {"headDim", "qkvBias"}) parts.from_family(fact);
  const std::int64_t count = parts.size({"decoder_layers"}, "layers", kLayers);
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  model.layers.push_back({layer, count});
  model.extra.push_back({.name = "decoder.position_embeddings",
                         .rows = model.max_context_tokens,
                         .columns = model.hidden_size});
  model.towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
