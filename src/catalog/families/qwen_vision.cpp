// The image encoders of Qwen2-VL, 2.5-VL, 3-VL and 3.5, and of GLM-4.1V, 4.5V and dots.ocr, which
// are of the same build. Sources: the families' vision classes in transformers, in vLLM for
// dots.ocr. Tokens: the processors' largest image.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

struct Common {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t patch = 0;
  std::int64_t frames = 0;
  std::int64_t merge = 0;  // patches of one token
};

Common read_common(const Fields& vision, std::int64_t layers, std::int64_t patch) {
  Common common;
  common.layers = vision.integer("depth", kLayers).value_or(layers);
  common.heads = vision.integer("num_heads", kHeads).value_or(16);
  common.patch = vision.integer("patch_size", kPatchEdge).value_or(patch);
  common.frames = vision.integer("temporal_patch_size", kMergeEdge).value_or(2);
  const std::int64_t edge = vision.integer("spatial_merge_size", kMergeEdge).value_or(2);
  common.merge = edge * edge;
  return common;
}

}  // namespace

domain::Tower qwen2_tower(const Fields& vision, std::int64_t out) {
  // Qwen2.5-VL gives the width of its gated network; Qwen2-VL a ratio, and calls the encoder's
  // hidden size embed_dim.
  const bool is_gated = vision.given("intermediate_size") || vision.given("fullatt_block_indexes");
  const Common common = read_common(vision, 32, 14);
  domain::Tower tower;
  tower.gated = is_gated;
  tower.rotates_copies =
      !is_gated;  // vLLM model_executor/models/qwen2_vl.py, apply_rotary_pos_emb_vision
  tower.layers = common.layers;
  tower.heads = common.heads;
  tower.hidden_size = is_gated ? vision.integer("hidden_size", kHiddenSize).value_or(1280)
                               : vision.integer("embed_dim", kHiddenSize).value_or(1280);
  const std::int64_t hidden = tower.hidden_size;
  tower.width = is_gated ? vision.integer("intermediate_size", kWidth).value_or(3420)
                         : hidden * vision.integer("mlp_ratio", kPatchEdge).value_or(4);
  // EXAONE 4.5 groups its queries.
  const std::int64_t kv_heads = vision.integer("num_key_value_heads", kHeads).value_or(tower.heads);
  // RMSNorm came with the gates.
  const std::int64_t norm = is_gated ? hidden : 2 * hidden;
  const std::int64_t merged = common.merge * hidden;
  tower.parameters = kColours * common.frames * common.patch * common.patch * hidden +
                     tower.layers * values_of({.hidden = hidden,
                                               .width = tower.width,
                                               .kv_inner = hidden / tower.heads * kv_heads,
                                               .is_gated = is_gated,
                                               .norm_values = 2 * norm}) +
                     norm + linear_values(merged, merged) + linear_values(merged, out);
  // max_pixels 12 845 056 of the processor, at 14 x 14 pixels a patch.
  constexpr std::int64_t kLargestImagePatches = 65'536;
  tower.inner_tokens = kLargestImagePatches;
  tower.output_tokens = kLargestImagePatches / common.merge;
  tower.input_values = tower.inner_tokens * kColours * common.frames * common.patch * common.patch;
  return tower;
}

domain::Tower qwen3_tower(const Fields& vision, std::int64_t out, std::int64_t deep) {
  const Common common = read_common(vision, 27, 16);
  domain::Tower tower;
  tower.layers = common.layers;
  tower.heads = common.heads;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(1152);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(4304);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t positions =
      vision.integer("num_position_embeddings", kContextTokens).value_or(2304);
  // Further mergers feed the first layers of the decoder.
  const document::Node* indexes = vision.node("deepstack_visual_indexes");
  if (indexes != nullptr && indexes->is(document::Node::Kind::Sequence))
    deep = static_cast<std::int64_t>(std::min<std::size_t>(indexes->items().size(), 64));
  tower.fed_layers = deep;
  const std::int64_t merged = common.merge * hidden;
  const std::int64_t merger = linear_values(merged, merged) + linear_values(merged, out);
  tower.parameters =
      linear_values(kColours * common.frames * common.patch * common.patch, hidden) +
      positions * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      2 * hidden + merger + deep * (2 * merged + merger);
  // The processor's largest image: 16 384 tokens.
  constexpr std::int64_t kLargestImageTokens = 16'384;
  tower.output_tokens = kLargestImageTokens;
  tower.inner_tokens = kLargestImageTokens * common.merge;
  tower.input_values = tower.inner_tokens * kColours * common.frames * common.patch * common.patch;
  return tower;
}

void add_qwen2_vision(ConfigParts& parts) {
  if (auto reader = parts.root().mapping("vision_config"))
    add_tower(parts, qwen2_tower(Fields(*reader), parts.model().hidden_size));
}

void add_qwen3_vision(ConfigParts& parts) {
  if (auto reader = parts.root().mapping("vision_config"))
    add_tower(parts, qwen3_tower(Fields(*reader), parts.model().hidden_size));
}

namespace {

// What GLM's encoders share: gated blocks, and a convolution that merges two by two patches before
// a gated merger of its own width.
struct GlmTower {
  domain::Tower tower;
  std::int64_t merged = 0;  // width of the merger
  std::int64_t around = 0;  // values of the patches and of the merger
};

GlmTower read_glm_tower(const Fields& vision, std::int64_t out, std::int64_t hidden,
                        std::string_view network_field, std::int64_t network) {
  const Common common = read_common(vision, 24, 14);
  GlmTower glm;
  glm.tower.gated = true;
  glm.tower.layers = common.layers;
  glm.tower.heads = common.heads;
  glm.tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(hidden);
  glm.merged = vision.integer("out_hidden_size", kHiddenSize).value_or(out);
  const std::int64_t inner = vision.integer(network_field, kWidth).value_or(network);
  const std::int64_t patch = kColours * common.frames * common.patch * common.patch;
  glm.around = linear_values(patch, glm.tower.hidden_size) +
               linear_values(common.merge * glm.tower.hidden_size, glm.merged) +
               glm.merged * glm.merged + 2 * glm.merged + 3 * glm.merged * inner;
  return glm;
}

// GlmOcrVisionModel: biases in the blocks, norms of queries and keys, no learned positions.
// `network` is the merger's where no field tells it, for the width that it merges to.
void add_biased_glm_vision(ConfigParts& parts, std::int64_t (*network)(std::int64_t merged)) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const std::int64_t out =
      vision.integer("out_hidden_size", kHiddenSize).value_or(parts.model().hidden_size);
  auto [tower, merged, around] =
      read_glm_tower(vision, out, 1024, "projection_intermediate_size", network(out));
  tower.width = vision.integer("intermediate_size", kWidth).value_or(4096);
  const std::int64_t hidden = tower.hidden_size;
  tower.parameters =
      around + hidden +
      tower.layers * values_of({.hidden = hidden,
                                .width = tower.width,
                                .is_gated = true,
                                .norm_values = 2 * hidden + 2 * (hidden / tower.heads)});
  add_tower(parts, tower);
}

}  // namespace

// Glm4vVisionModel: no biases in the blocks, whose networks are as wide as the merger; learned
// positions.
void add_glm_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  auto [tower, merged, around] =
      read_glm_tower(vision, parts.model().hidden_size, 1536, "intermediate_size", 13696);
  tower.width = merged;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t image =
      vision.integer("image_size", {.least = 1, .most = 10'000}).value_or(336);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  tower.parameters = around + side * side * hidden + 3 * hidden +
                     tower.layers * values_of_plain_gated(hidden, tower.width) - hidden;
  add_tower(parts, tower);
}

void add_glm_next_vision(ConfigParts& parts) {
  add_biased_glm_vision(parts, [](std::int64_t) -> std::int64_t { return 10240; });
}

// Its merger is three times as wide as what it gives. Source: GlmOcrVisionModel of transformers.
void add_glm_ocr_vision(ConfigParts& parts) {
  constexpr std::int64_t kWidths = 3;
  add_biased_glm_vision(parts, [](std::int64_t merged) { return kWidths * merged; });
}

// DotsVisionTransformer: blocks without biases, an RMSNorm behind the patches and another behind
// the blocks, a LayerNorm before the merger.
void add_dots_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const auto size = [&](std::string_view name, document::IntegerBounds bounds,
                        std::int64_t otherwise) {
    return vision.integer(name, bounds).value_or(otherwise);
  };
  domain::Tower tower;
  tower.gated = true;
  tower.rotates_joined = true;
  tower.hidden_size = size("embed_dim", kHiddenSize, 1536);
  tower.layers = size("num_hidden_layers", kLayers, 42);
  tower.heads = size("num_attention_heads", kHeads, 12);
  tower.width = size("intermediate_size", kWidth, 4224);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t patch = size("patch_size", kPatchEdge, 14);
  const std::int64_t edge = size("spatial_merge_size", kMergeEdge, 2);
  const std::int64_t merged = edge * edge * hidden;
  const std::int64_t norm = vision.boolean("post_norm").value_or(true) ? hidden : 0;
  tower.parameters = linear_values(kColours * patch * patch, hidden) + hidden +
                     tower.layers * values_of_plain_gated(hidden, tower.width) + norm + 2 * hidden +
                     linear_values(merged, merged) +
                     linear_values(merged, parts.model().hidden_size);
  // max_pixels 11 289 600 of the processor, at 14 x 14 pixels a patch.
  constexpr std::int64_t kLargestImagePatches = 57'600;
  tower.inner_tokens = kLargestImagePatches;
  tower.output_tokens = kLargestImagePatches / (edge * edge);
  tower.input_values = kLargestImagePatches * kColours * patch * patch;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
