// Moonshine (arXiv 2410.15608): convolutions over the samples, an encoder of sound with rotary
// positions as a tower, and a decoder with gated networks whose layers attend to it, too. Source:
// MoonshineConfig and modeling_moonshine.py of transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Recordings of at most half a minute were its training's (section 3 of the paper).
constexpr std::int64_t kSamples = 30 * 16'000;

domain::Tower read_raw_encoder(const ConfigParts& parts) {
  const std::int64_t hidden = parts.model().hidden_size;
  domain::Tower tower;
  tower.kind = domain::TowerKind::Encoder;
  tower.hidden_size = hidden;
  tower.layers = parts.size({"encoder_num_hidden_layers"}, "towers", kLayers);
  tower.heads = parts.size({"encoder_num_attention_heads"}, "", kHeads);
  tower.width = parts.size({"intermediate_size"}, "", kWidth);
  const bool bias = parts.flag("attention_bias", "", false);
  // Kernels of 127, 7 and 3 samples, 64, 3 and 2 of which one output stands for.
  constexpr std::int64_t kReduced = 64 * 3 * 2;
  const std::int64_t front = 127 * hidden + 2 * hidden + linear_values(7 * hidden, 2 * hidden) +
                             linear_values(3 * 2 * hidden, hidden);
  tower.parameters = front +
                     tower.layers * values_of({.hidden = hidden,
                                               .width = tower.width,
                                               .attention_bias = bias,
                                               .norm_values = 2 * hidden}) +
                     hidden;
  tower.inner_tokens = kSamples / kReduced;
  tower.output_tokens = tower.inner_tokens;
  tower.input_values = kSamples;
  return tower;
}

}  // namespace

void read_moonshine(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  model.final_norm_bias = false;
  const domain::Tower tower = read_raw_encoder(parts);
  const std::int64_t heads = parts.size({"decoder_num_attention_heads"}, "attentionHeads", kHeads);
  domain::Layer layer = bart_layer(model.hidden_size, heads, tower.width);
  const bool bias = parts.flag("attention_bias", "qkvBias", false);
  for (domain::Attention* attention : {&layer.attention, &*layer.cross_attention}) {
    attention->qkv_bias = bias;
    attention->output_bias = false;
    attention->kv_heads = parts.size_or({"decoder_num_key_value_heads"}, "", kHeads, heads);
  }
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  layer.feed_forward.gated = true;
  layer.norm_bias = false;
  model.layers.push_back({layer, parts.size({"decoder_num_hidden_layers"}, "layers", kLayers)});
  for (const char* field : {"is_encoder_decoder", "encoder_num_key_value_heads"})
    static_cast<void>(parts.fields().given(field));
  model.towers.push_back(tower);
  read_rotary_dim(parts, layer.attention.head_dim);
}

}  // namespace gpushape::catalog
