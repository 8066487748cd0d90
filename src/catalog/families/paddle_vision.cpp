// PaddleOCR-VL (arXiv 2510.14528): SigLIP with its head and a second table of positions for
// packed pictures, squares of two by two patches behind a norm and two matrices. Source: the
// publisher's modeling_paddleocr_vl.py; engines pass over the head and the second table.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void add_paddle_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 384, 14);
  constexpr std::int64_t kPackedPositions = 32'768;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t edge = vision.integer("spatial_merge_size", kMergeEdge).value_or(2);
  const std::int64_t merged = edge * edge * hidden;
  tower.parameters = siglip_values(tower, patches.patch, patches.side * patches.side) +
                     siglip_head_values(tower) + kPackedPositions * hidden + 2 * hidden +
                     linear_values(merged, merged) +
                     linear_values(merged, parts.model().hidden_size);
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
