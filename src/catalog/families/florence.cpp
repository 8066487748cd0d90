// Florence-2 (arXiv 2311.06242): BART, whose encoder reads an image's tokens before the text's, and
// DaViT (arXiv 2204.03645) as its eyes: stages of ever fewer and wider tokens, in each of which
// blocks attend within windows and blocks attend between channels. Source: Florence2Config and
// modeling_florence2.py of transformers, modeling_florence2.py of the repositories.
#include <cmath>
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kFlorencePixels = 768;  // preprocessor_config.json of the repositories
constexpr document::NumberBounds kNetworkRatio{.least = 0.01, .most = 100};
constexpr document::IntegerBounds kGridEdge{.least = 1, .most = 100'000};

struct Stage {
  std::int64_t inputs = 0;
  std::int64_t width = 0;
  std::int64_t blocks = 0;
  std::int64_t patch = 0;
  bool norm_comes_first = false;
};

// A block's attention and its network, each behind a convolution of three by three pixels that
// keeps channels apart. Blocks come in pairs: one over windows, one over channels.
std::int64_t stage_values(const Stage& stage, double network_ratio) {
  const std::int64_t width = stage.width;
  const std::int64_t convolution = linear_values(9, width);
  const std::int64_t block =
      values_of({.hidden = width,
                 .width = std::llround(network_ratio * static_cast<double>(width)),
                 .norm_values = 4 * width}) +
      2 * convolution;
  return linear_values(stage.inputs * stage.patch * stage.patch, width) +
         2 * (stage.norm_comes_first ? stage.inputs : width) + stage.blocks * 2 * block;
}

std::vector<std::int64_t> read_stage_list(const Fields& vision, std::string_view field,
                                          document::IntegerBounds bounds) {
  return vision.given(field) ? vision.reader().integers(field, bounds)
                             : std::vector<std::int64_t>{};
}

std::vector<Stage> read_stages(const Fields& vision) {
  const std::string_view widths_field = vision.first_given({"dim_embed", "embed_dim"});
  const auto widths =
      read_stage_list(vision, widths_field.empty() ? "dim_embed" : widths_field, kHiddenSize);
  const auto blocks = read_stage_list(vision, "depths", kLayers);
  const auto patches = read_stage_list(vision, "patch_size", kPatchEdge);
  if (widths.empty() || blocks.size() != widths.size() || patches.size() != widths.size()) {
    vision.complain("depths", "dim_embed, depths and patch_size must name as many stages");
    return {};
  }
  std::vector<Stage> stages;
  stages.reserve(widths.size());
  for (std::size_t index = 0; index < widths.size(); ++index) {
    stages.push_back({.inputs = index == 0 ? kColours : widths[index - 1],
                      .width = widths[index],
                      .blocks = blocks[index],
                      .patch = patches[index],
                      .norm_comes_first = index > 0});
  }
  return stages;
}

std::int64_t read_grid_edge(const Fields& vision) {
  if (auto reader = vision.mapping("image_pos_embed"))
    return Fields(*reader).integer("max_pos_embeddings", kGridEdge).value_or(50);
  return vision.integer("max_position_embeddings", kGridEdge).value_or(50);
}

std::int64_t product_of(const std::vector<std::int64_t>& strides) {
  std::int64_t product = 1;
  for (const std::int64_t stride : strides) product *= stride;
  return product;
}

}  // namespace

void add_davit(ConfigParts& parts) {
  static_cast<void>(parts.root().given("is_encoder_decoder"));
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const std::vector<Stage> stages = read_stages(vision);
  const auto strides = read_stage_list(vision, "patch_stride", kPatchEdge);
  const auto heads = read_stage_list(vision, "num_heads", kHeads);
  if (stages.empty() || strides.empty() || heads.empty()) return;
  const double ratio = vision.number("mlp_ratio", kNetworkRatio).value_or(4);
  // The first stage has most values at once: its sizes stand for the tower's.
  domain::Tower tower{.hidden_size = stages.front().width,
                      .heads = heads.front(),
                      .width = std::llround(ratio * static_cast<double>(stages.front().width))};
  for (const Stage& stage : stages) {
    tower.layers += 2 * stage.blocks;
    tower.parameters += stage_values(stage, ratio);
  }
  const std::int64_t last = stages.back().width;
  const std::int64_t out = parts.model().hidden_size;
  // Rows and columns each give half of a position; a projection and a norm follow.
  tower.parameters += read_grid_edge(vision) * last + last * out + 2 * out;
  const std::int64_t first_side = kFlorencePixels / strides.front();
  const std::int64_t last_side = kFlorencePixels / product_of(strides);
  tower.inner_tokens = first_side * first_side;
  tower.output_tokens = last_side * last_side + 1;  // and the mean of all
  tower.input_values = kColours * kFlorencePixels * kFlorencePixels;
  tower.table_values = last * vision.integer("max_temporal_embeddings", kGridEdge).value_or(100);
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
