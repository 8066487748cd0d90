// Persimmon, and Fuyu, which has no image encoder: one matrix takes the pixels of each patch into
// the decoder's space. Norms of queries and keys have weight and bias. Sources: vLLM
// model_executor/models/persimmon.py and fuyu.py.
#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void read_persimmon(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (layer.attention.head_norm != domain::HeadNorm::None) {
    for (const char* name : {"self_attn.q_layernorm.bias", "self_attn.k_layernorm.bias"})
      layer.extra.push_back({.name = name, .rows = layer.attention.head_dim});
  }
  add_sliding_layers(parts, layer);
}

// A picture is at most 1920 by 1080 pixels (the processor's size), and each line of patches ends
// with a word of its own. Beside a text_config, the whole repeats what its first form said of the
// decoder; the class takes the text_config's (FuyuConfig of transformers).
void add_fuyu_patches(ConfigParts& parts) {
  if (parts.is_nested()) static_cast<void>(parts.root().given("qk_layernorm"));
  const std::int64_t patch = parts.root().integer("patch_size", kPatchEdge).value_or(30);
  const std::int64_t colours = parts.root().integer("num_channels", kMergeEdge).value_or(kColours);
  constexpr std::int64_t kImageWidth = 1920;
  constexpr std::int64_t kImageHeight = 1080;
  const std::int64_t columns = (kImageWidth + patch - 1) / patch;
  const std::int64_t rows = (kImageHeight + patch - 1) / patch;
  domain::Tower tower;
  tower.kind = domain::TowerKind::Projector;
  tower.parameters = linear_values(colours * patch * patch, parts.model().hidden_size);
  tower.output_tokens = rows * (columns + 1);
  tower.input_values = rows * columns * colours * patch * patch;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
