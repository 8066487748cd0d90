// Isaac (Perceptron): SigLIP 2 at any resolution, whose squares of patches are shuffled to one and
// widened fourfold between two matrices without biases. Source: vLLM
// model_executor/models/isaac.py and transformers_utils/configs/isaac.py.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void add_isaac_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t positions = vision.integer("num_patches", kImageCount).value_or(256);
  const std::int64_t edge =
      vision.integer("pixel_shuffle_scale_factor", kMergeEdge)
          .value_or(parts.root().integer("pixel_shuffle_scale", kMergeEdge).value_or(1));
  const std::int64_t merged = edge * edge * tower.hidden_size;
  const std::int64_t width = 4 * merged;
  tower.parameters =
      siglip_values(tower, patch, positions) + merged * width + width * parts.model().hidden_size;
  tower.inner_tokens = parts.root().integer("vision_max_num_patches", kImageCount).value_or(256);
  tower.output_tokens = tower.inner_tokens / (edge * edge);
  tower.input_values = tower.inner_tokens * kColours * patch * patch;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
