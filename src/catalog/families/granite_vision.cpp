// Granite 4 Vision: SigLIP, and a projector for each of the decoder's layers that are fed, which
// makes tokens of windows of patches by a Q-Former of one layer. Sources: vLLM 0.23
// model_executor/models/granite4_vision.py and transformers_utils/configs/granite4_vision.py.
#include <algorithm>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kSpatialProjectors = 4;  // one for each corner of two by two patches
constexpr std::int64_t kQFormerWidth = 3072;    // the class's own

/// "4/8": so many queries along an edge, for so many patches.
struct Rate {
  std::int64_t queries = 1;
  std::int64_t patches = 1;
};

Rate read_rate(const Fields& root) {
  const std::string text = root.text("downsample_rate").value_or("");
  const auto digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '1' && text[at] <= '9' ? text[at] - '0' : 0;
  };
  const Rate rate{.queries = digit(0), .patches = digit(2)};
  if (text.size() == 3 && text[1] == '/' && rate.queries > 0 && rate.patches > 0) return rate;
  root.complain("downsample_rate", "downsample_rate is no quotient of two digits",
                "published models have \"4/8\"");
  return {};
}

std::int64_t length_of(const Fields& root, FieldNames names) {
  const std::string_view field = root.first_given(names);
  const document::Node* node = field.empty() ? nullptr : root.node(field);
  constexpr std::size_t kMost = 1'000;
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) return 0;
  return static_cast<std::int64_t>(std::min(kMost, node->items().size()));
}

/// Tiles along both edges of the largest picture, and an overview of it beside them.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

Grid largest_grid(const Fields& root, std::int64_t tile) {
  Grid largest;
  const document::Node* node = root.node("image_grid_pinpoints");
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) return largest;
  for (const document::Node& size : node->items()) {
    if (size.items().size() != 2) continue;
    const Grid grid{.rows = std::clamp<std::int64_t>(size.items()[0].integer() / tile, 1, 100),
                    .columns = std::clamp<std::int64_t>(size.items()[1].integer() / tile, 1, 100)};
    if (grid.rows * grid.columns > largest.rows * largest.columns) largest = grid;
  }
  return largest;
}

}  // namespace

void add_granite_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields& root = parts.root();
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 384, 16);
  const Rate rate = read_rate(root);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const bool is_spatial =
      root.boolean(root.first_given({"use_spatial_sampling", "use_checkerboard_sampling"}))
          .value_or(false);
  // Each projector's outputs go to a layer of their own.
  tower.fed_layers = length_of(root, {"deepstack_layer_map", "vision_layer_to_llm_layer"}) +
                     (is_spatial ? kSpatialProjectors : 0);
  const std::int64_t projector =
      2 * hidden + (rate.queries * rate.queries + rate.patches * rate.patches) * hidden +
      values_of(QFormer{.hidden = hidden, .width = kQFormerWidth, .seen = hidden}) +
      linear_values(hidden, out);
  const std::int64_t patch_count = patches.side * patches.side;
  // The pooling head is stored, though nobody asks it.
  tower.parameters = siglip_values(tower, patches.patch, patch_count) + siglip_head_values(tower) +
                     tower.fed_layers * projector +
                     (root.boolean("use_image_newline_parameter").value_or(true) ? out : 0);
  const Grid grid = largest_grid(root, patches.image);
  const std::int64_t tiles = grid.rows * grid.columns + 1;
  const std::int64_t edge = patches.side * rate.queries / rate.patches;
  tower.inner_tokens = tiles * patch_count;
  tower.output_tokens = edge * edge + grid.rows * edge * (grid.columns * edge + 1);
  tower.input_values = tiles * kColours * patches.image * patches.image;
  for (const std::string_view field :
       {"spatial_target_layers", "checkerboard_llm_layers", "image_seq_length"})
    static_cast<void>(root.given(field));
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
