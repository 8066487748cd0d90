// ERNIE 4.5 VL: experts for text and experts for images beside each other in every mixture, each
// with a router of its own, a tower of Qwen2-VL's kind, and a resampler that merges two by two
// patches of two frames. Sources: vLLM model_executor/models/ernie45_vl.py and ernie45_vl_moe.py.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kLayerIndex{.least = 0, .most = kLayers.most};

// A size of text and one of images; where there is a default, one number stands for both.
struct Pair {
  std::int64_t text = 0;
  std::int64_t image = 0;
};
Pair read_pair(const ConfigParts& parts, std::string_view field, document::IntegerBounds bounds,
               Pair otherwise) {
  const document::Node* node = parts.fields().node(field);
  if (otherwise.text > 0 && node != nullptr && node->is(document::Node::Kind::Integer)) {
    const std::int64_t both = parts.fields().integer(field, bounds).value_or(otherwise.text);
    return {both, both};
  }
  const std::vector<std::int64_t> numbers = parts.integers(field, bounds);
  if (numbers.size() == 2) return {numbers[0], numbers[1]};
  if (parts.fields().given(field) || otherwise.text == 0)
    parts.fields().complain(field,
                            fmt::format("{} names no size of text and one of images", field));
  return otherwise.text == 0 ? Pair{1, 1} : otherwise;
}

// The experts for images, which the layer has beside those for text.
void add_image_experts(domain::Layer& layer, std::int64_t hidden, Pair experts, Pair widths) {
  constexpr std::int64_t kMatrices = 3;  // gate, up and down
  layer.extra.push_back({.name = "mlp.vision_experts",
                         .rows = kMatrices * experts.image * widths.image,
                         .columns = hidden,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "mlp.vision_gate", .rows = experts.image, .columns = hidden});
  layer.extra.push_back({.name = "mlp.vision_gate.e_score_correction_bias", .rows = experts.image});
}

}  // namespace

void read_ernie_vl(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  const Pair experts = read_pair(parts, "moe_num_experts", kExperts, {});
  const Pair widths = read_pair(parts, "moe_intermediate_size", kWidth, {});
  const Pair first =
      read_pair(parts, "moe_layer_start_index", kLayerIndex, {.text = 1, .image = 1});
  const Pair last = read_pair(parts, "moe_layer_end_index", kLayerIndex,
                              {.text = std::max<std::int64_t>(1, count - 1), .image = count - 1});
  domain::Layer dense;
  dense.attention = read_attention(parts);
  domain::Layer mixture = dense;
  dense.feed_forward = read_feed_forward(parts);
  domain::Experts text{.count = experts.text, .correction_bias = true};
  text.active = parts.size({"moe_k"}, "activeExperts", kExperts);
  text.width = widths.text;
  text.shared_width =
      widths.text *
      parts.fields().integer("moe_num_shared_experts", {.least = 0, .most = 1'000}).value_or(0);
  mixture.feed_forward.experts = text;
  add_image_experts(mixture, parts.model().hidden_size, experts, widths);
  for (std::int64_t i = 0; i < count; ++i)
    add_layer(parts, i >= first.text && i <= last.text ? mixture : dense);
  if (first.text != first.image ||
      std::min(last.text, count - 1) != std::min(last.image, count - 1))
    parts.fields().complain("moe_layer_start_index",
                            "layers with experts of one kind alone are not understood");
  for (const char* fact : {"experts", "expertWidth", "sharedExpertWidth"}) parts.from_config(fact);
  read_rotary_dim(parts, dense.attention.head_dim);
}

void add_ernie_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower;
  tower.hidden_size = vision.integer("embed_dim", kHiddenSize).value_or(1280);
  tower.layers = vision.integer("depth", kLayers).value_or(32);
  tower.heads = vision.integer("num_heads", kHeads).value_or(16);
  tower.width = tower.hidden_size * vision.integer("mlp_ratio", kPatchEdge).value_or(4);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t edge = parts.root().integer("spatial_conv_size", kMergeEdge).value_or(2);
  const std::int64_t frames = parts.root().integer("temporal_conv_size", kMergeEdge).value_or(2);
  const std::int64_t merged = edge * edge * hidden;
  const std::int64_t behind_space = 2 * linear_values(merged, merged) + 2 * merged;
  const std::int64_t behind_time =
      linear_values(frames * merged, merged) + linear_values(merged, merged) + 2 * merged;
  const bool sees_time = parts.root().boolean("use_temporal_conv").value_or(true);
  tower.parameters =
      kColours * patch * patch * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      2 * hidden + behind_space + (sees_time ? behind_time : 0) + linear_values(merged, out) + out;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
