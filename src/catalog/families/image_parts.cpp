#include "catalog/families/image_parts.hpp"

#include <algorithm>
#include <vector>

#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// One edge, or both of a square.
std::int64_t read_edge(const Fields& vision, std::string_view field, document::IntegerBounds bounds,
                       std::int64_t otherwise) {
  const document::Node* node = vision.node(field);
  if (node == nullptr || !node->is(document::Node::Kind::Sequence))
    return vision.integer(field, bounds).value_or(otherwise);
  const std::vector<std::int64_t> edges = vision.reader().integers(field, bounds);
  return edges.empty() ? otherwise : edges.front();
}

}  // namespace

void add_tower(const ConfigParts& parts, const domain::Tower& tower) {
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

Patches read_patches(const Fields& vision, std::int64_t image, std::int64_t patch) {
  Patches patches;
  patches.image = read_edge(vision, "image_size", kImageEdge, image);
  patches.patch = read_edge(vision, "patch_size", kPatchEdge, patch);
  patches.side = std::max<std::int64_t>(1, patches.image / patches.patch);
  return patches;
}

domain::Tower read_sizes(const Fields& vision, const domain::Tower& otherwise) {
  domain::Tower tower;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(otherwise.hidden_size);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(otherwise.width);
  tower.layers = vision.integer("num_hidden_layers", kLayers).value_or(otherwise.layers);
  tower.heads = vision.integer("num_attention_heads", kHeads).value_or(otherwise.heads);
  return tower;
}

std::int64_t siglip_head_values(const domain::Tower& tower) {
  const std::int64_t hidden = tower.hidden_size;
  return hidden + linear_values(hidden, 3 * hidden) + linear_values(hidden, hidden) + 2 * hidden +
         linear_values(hidden, tower.width) + linear_values(tower.width, hidden);
}

std::int64_t siglip_values(const domain::Tower& tower, std::int64_t patch, std::int64_t positions) {
  const std::int64_t hidden = tower.hidden_size;
  return linear_values(kColours * patch * patch, hidden) + positions * hidden + 2 * hidden +
         tower.layers *
             values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
}

}  // namespace gpushape::catalog
