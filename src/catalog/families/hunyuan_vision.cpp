// HunyuanOCR: blocks of SigLIP's sizes at any resolution, behind which two convolutions halve the
// grid and widen it, with a token for each end of a line and of the picture. Source:
// HunYuanVisionTransformer and HunYuanVisionPatchMerger of vLLM
// model_executor/models/hunyuan_vision.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void add_hunyuan_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t image = vision.integer("max_image_size", kImageEdge).value_or(2048);
  const std::int64_t edge = vision.integer("spatial_merge_size", kMergeEdge).value_or(2);
  const std::int64_t out =
      vision.integer("out_hidden_size", kHiddenSize).value_or(parts.model().hidden_size);
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  // Where the lines of a picture end, and three more: its begin, its end, and what separates two.
  const std::int64_t marks = 4 * hidden + 3 * out;
  tower.parameters = siglip_values(tower, patch, side * side + 1) - 2 * hidden +
                     linear_values(edge * edge * hidden, 2 * hidden) +
                     linear_values(2 * hidden, 4 * hidden) + linear_values(4 * hidden, out) +
                     marks + hidden + out;  // two norms
  tower.inner_tokens = side * side;
  tower.output_tokens = side / edge * (side / edge + 1) + 2;
  tower.input_values = kColours * image * image;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
