// Llama 3.2 Vision: a Llama with layers in between whose only attention reads the image. Source:
// MllamaConfig and modeling_mllama of transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

void read_mllama(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  const domain::Layer self = read_layer(parts);
  domain::Layer cross = self;
  cross.attention.kind = domain::LayerKind::Cross;
  cross.attention.head_norm = domain::HeadNorm::Shared;
  for (const char* name : {"cross_attn_attn_gate", "cross_attn_mlp_gate"})
    cross.extra.push_back({.name = name, .rows = 1});
  std::optional<domain::Tower> tower;
  if (auto reader = parts.root().mapping("vision_config"))
    tower = mllama_tower(Fields(*reader), model.hidden_size);
  if (tower) cross.attention.encoder_tokens = tower->output_tokens;
  std::vector<bool> reads_image(static_cast<std::size_t>(count), false);
  for (const std::int64_t layer :
       parts.integers("cross_attention_layers", {.least = 0, .most = kLayers.most})) {
    if (layer < count) reads_image[static_cast<std::size_t>(layer)] = true;
  }
  for (const bool reads : reads_image) add_layer(parts, reads ? cross : self);
  // The embedding has rows for the image tokens that the head has not.
  model.extra.push_back(
      {.name = "embed_tokens.image_rows", .rows = 8, .columns = model.hidden_size});
  read_rotary_dim(parts, self.attention.head_dim);
  if (!tower) return;
  model.towers.push_back(*tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
