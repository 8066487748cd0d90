// SigLIP (arXiv 2303.15343, 2502.14786) as a model of its own: an encoder of texts, which is the
// model here, and one of images beside it, its tower. Source: SiglipConfig and modeling_siglip.py
// of transformers.
#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr domain::Tower kBase{.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072};

domain::Tower image_encoder(const Fields& vision) {
  domain::Tower tower = read_sizes(vision, kBase);
  const Patches patches = read_patches(vision, 224, 16);
  tower.inner_tokens =
      vision.integer("num_patches", kImageCount).value_or(patches.side * patches.side);
  tower.parameters =
      siglip_values(tower, patches.patch, tower.inner_tokens) + siglip_head_values(tower);
  tower.output_tokens = 1;
  tower.input_values = kColours * tower.inner_tokens * patches.patch * patches.patch;
  return tower;
}

}  // namespace

void read_siglip(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  model.has_head = false;
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  model.layers.push_back({layer, read_layer_count(parts)});
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t width =
      parts.fields().integer("projection_size", kHiddenSize).value_or(hidden);
  model.extra.push_back(
      {.name = "position_embeddings", .rows = model.max_context_tokens, .columns = hidden});
  model.extra.push_back({.name = "head", .rows = width, .columns = hidden, .is_linear = true});
  model.extra.push_back({.name = "head.bias", .rows = width});
  for (const char* name : {"logit_scale", "logit_bias"})
    model.extra.push_back({.name = name, .rows = 1});
  if (auto reader = parts.root().mapping("vision_config"))
    add_tower(parts, image_encoder(Fields(*reader)));
}

}  // namespace gpushape::catalog
