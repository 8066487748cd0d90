// BAGEL as engines serve it, which see and do not paint: Qwen2 with norms on queries and keys,
// SigLIP without its last block, two matrices behind it and fixed positions. Sources: vLLM 0.23
// model_executor/models/bagel.py and transformers_utils/configs/bagel.py.
#include "catalog/families.hpp"
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

// Its config calls the decoder qwen2, whose class has the norms where `qk_norm` says so.
const Family* bagel_decoder(const Fields& /*root*/) { return family_of_type("bagel_text"); }

void add_bagel_vision(ConfigParts& parts) {
  const Fields& root = parts.root();
  auto reader = root.mapping("vit_config");
  if (!reader || !root.boolean("visual_und").value_or(true)) return;
  domain::Tower tower =
      read_sizes(Fields(*reader), {.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072});
  // The checkpoint has one block less than its config tells.
  constexpr std::int64_t kLayersTold = 27;
  if (tower.layers == kLayersTold) --tower.layers;
  const Patches patches = read_patches(Fields(*reader), 224, 16);
  const std::int64_t out = parts.model().hidden_size;
  tower.inner_tokens = patches.side * patches.side;
  tower.output_tokens = tower.inner_tokens;
  tower.input_values = kColours * patches.image * patches.image;
  tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens) +
                     linear_values(tower.hidden_size, out) + linear_values(out, out);
  const std::int64_t side = root.integer("vit_max_num_patch_per_side", kImageEdge).value_or(70);
  tower.table_values = side * side * out;
  add_tower(parts, tower);
  if (root.boolean("visual_gen").value_or(true)) {
    parts.model().notes.emplace_back(
        "what paints is not counted: engines that serve text do not load it");
  }
}

}  // namespace gpushape::catalog
