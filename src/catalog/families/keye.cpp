// Keye-VL (arXiv 2507.01949): SigLIP with its head, a second table of positions for packed
// pictures, and rotary positions; squares of two by two patches behind a norm and two matrices. The
// norm is of one patch, in 1.5 of the square. Sources: vLLM model_executor/models/keye.py and
// keye_vl1_5.py, which pass over the head; keye-vl-8b-preview of github.com/Kwai-Keye/Keye.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void add_keye_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  tower.rotates_copies = true;
  const Patches patches = read_patches(vision, 384, 14);
  constexpr std::int64_t kPackedPositions = 32'768;
  constexpr std::int64_t kMerged = 4;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t merged = kMerged * hidden;
  const bool norms_squares = parts.family().model_type() == "KeyeVL1_5";
  const std::int64_t norm = norms_squares ? merged : hidden;
  tower.parameters = siglip_values(tower, patches.patch, patches.side * patches.side) +
                     kPackedPositions * hidden + 2 * norm + linear_values(merged, merged) +
                     linear_values(merged, parts.model().hidden_size);
  if (vision.boolean("vision_use_head").value_or(true))
    tower.parameters += siglip_head_values(tower);
  if (!norms_squares) {
    // max_pixels 1 003 520 of the preview's processor, at 14 x 14 pixels a patch.
    constexpr std::int64_t kLargestImagePatches = 5120;
    tower.inner_tokens = kLargestImagePatches;
    tower.output_tokens = kLargestImagePatches / kMerged;
    tower.input_values = kLargestImagePatches * kColours * patches.patch * patches.patch;
  }
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
