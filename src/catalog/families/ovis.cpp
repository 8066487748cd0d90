// Ovis 2.5 (arXiv 2508.11737): SigLIP 2 at any resolution, whose squares of patches are looked up
// in a vocabulary of pictures: a matrix to its words with a norm, and a table of them. Source: vLLM
// model_executor/models/ovis2_5.py and siglip2navit.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kPatchCount{.least = -1, .most = kImageCount.most};

// Learned places: as many as the config counts, or as a picture of its size has.
std::int64_t places(const Fields& vision, const Patches& patches) {
  if (!vision.boolean("preserve_original_pe").value_or(true)) return 0;
  const std::int64_t counted = vision.integer("num_patches", kPatchCount).value_or(-1);
  return counted > 0 ? counted : patches.side * patches.side;
}

}  // namespace

void add_ovis_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vit_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 512, 16);
  const std::int64_t edge = vision.integer("hidden_stride", kMergeEdge).value_or(2);
  const std::int64_t words = parts.root().integer("visual_vocab_size", kVocabulary).value_or(65536);
  // Four of them mark where pictures begin and end.
  constexpr std::int64_t kMarks = 4;
  const std::int64_t named = std::max<std::int64_t>(1, words - kMarks);
  tower.parameters = siglip_values(tower, patches.patch, places(vision, patches)) +
                     edge * edge * tower.hidden_size * named + 2 * named +
                     words * parts.model().hidden_size;
  tower.rotates_copies = true;
  // The largest picture that vLLM profiles with: 1792 by 1792 pixels.
  constexpr std::int64_t kLargestEdge = 1792;
  const std::int64_t side = kLargestEdge / patches.patch;
  tower.inner_tokens = side * side;
  tower.output_tokens = tower.inner_tokens / (edge * edge);
  tower.input_values = tower.inner_tokens * kColours * patches.patch * patches.patch;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
