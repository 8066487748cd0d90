// BLIP-2 (arXiv 2301.12597): EVA's image encoder without its last block, a Q-Former, whose queries
// attend to the picture in every other layer, and one matrix. Source: Blip2VisionModel and
// Blip2QFormerModel of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Blocks of BERT with a norm on the queries before them; their norms stand behind.
std::int64_t querying_values(const Fields& former, std::int64_t seen, std::int64_t queries,
                             std::int64_t out) {
  const std::int64_t hidden = former.integer("hidden_size", kHiddenSize).value_or(768);
  const std::int64_t width = former.integer("intermediate_size", kWidth).value_or(3072);
  const std::int64_t layers = former.integer("num_hidden_layers", kLayers).value_or(12);
  const std::int64_t period = former.integer("cross_attention_frequency", kLayers).value_or(2);
  const std::int64_t features = former.integer("encoder_hidden_size", kHiddenSize).value_or(seen);
  const std::int64_t looks = (layers + period - 1) / period;
  const std::int64_t look =
      2 * linear_values(hidden, hidden) + 2 * linear_values(features, hidden) + 2 * hidden;
  return queries * hidden + 2 * hidden +
         layers * values_of({.hidden = hidden, .width = width, .norm_values = 4 * hidden}) +
         looks * look + linear_values(hidden, out);
}

}  // namespace

void add_blip2_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  auto former = parts.root().mapping("qformer_config");
  if (!reader || !former) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1408, .layers = 39, .heads = 16, .width = 6144});
  const Patches patches = read_patches(vision, 224, 14);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t positions = patches.side * patches.side + 1;
  std::int64_t block =
      values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
  if (!vision.boolean("qkv_bias").value_or(true)) block -= 3 * hidden;
  const std::int64_t queries = parts.root().integer("num_query_tokens", kImageCount).value_or(32);
  tower.parameters = linear_values(kColours * patches.patch * patches.patch, hidden) + hidden +
                     positions * hidden + tower.layers * block + 2 * hidden +
                     querying_values(Fields(*former), hidden, queries, parts.model().hidden_size);
  tower.inner_tokens = positions;
  tower.output_tokens = queries;
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
