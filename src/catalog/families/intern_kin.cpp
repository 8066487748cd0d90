// Families of InternVL's build that differ from it in their projector, their tiles or their
// encoder: NVLM-D, H2OVL Mississippi and Eagle 2.5. Sources: vLLM model_executor/models/nvlm_d.py,
// h2ovl.py and eagle2_5_vl.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// A norm over four patches side by side and two matrices (mlp1).
std::int64_t merger_values(std::int64_t hidden, std::int64_t width, std::int64_t out, bool bias) {
  const std::int64_t merged = 4 * hidden;
  return 2 * merged + linear_values(merged, width, bias) + linear_values(width, out, bias);
}

// Tiles of the largest picture, and an overview.
std::int64_t read_tiles(const ConfigParts& parts) {
  const std::int64_t tiles = parts.root().integer("max_dynamic_patch", kImageCount).value_or(12);
  return tiles > 1 ? tiles + 1 : std::max<std::int64_t>(1, tiles);
}

void scale_tiles(domain::Tower& tower, std::int64_t from, std::int64_t to) {
  for (std::int64_t* size : {&tower.inner_tokens, &tower.output_tokens, &tower.input_values})
    *size = *size / from * to;
}

}  // namespace

// The projector is as wide as the decoder's network and has no biases.
void add_nvlm_vision(ConfigParts& parts) {
  add_intern_vision(parts);
  if (parts.model().towers.empty()) return;
  domain::Tower& tower = parts.model().towers.back();
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t width = parts.fields().integer("intermediate_size", kWidth).value_or(4 * out);
  tower.parameters += merger_values(tower.hidden_size, width, out, false) -
                      merger_values(tower.hidden_size, out, out, true);
}

// A picture is cut twice, each time into another grid (MSAC), and seen once as a whole.
void add_h2ovl_vision(ConfigParts& parts) {
  add_intern_vision(parts);
  if (parts.model().towers.empty()) return;
  const std::int64_t tiles = read_tiles(parts);
  if (tiles > 1 && parts.root().boolean("use_msac").value_or(false))
    scale_tiles(parts.model().towers.back(), tiles, 2 * (tiles - 1) + 1);
}

// SigLIP, whose pooling head is stored and not loaded.
void add_eagle_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 448, 14);
  const std::int64_t grid = patches.side * patches.side;
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters =
      siglip_values(tower, patches.patch, grid) + merger_values(tower.hidden_size, out, out, true);
  if (vision.boolean("vision_use_head").value_or(true))
    tower.parameters += siglip_head_values(tower);
  const std::int64_t tiles = read_tiles(parts);
  tower.inner_tokens = tiles * grid;
  tower.output_tokens = tiles * (grid / 4);
  tower.input_values = tiles * kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
