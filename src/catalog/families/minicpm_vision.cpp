// MiniCPM-V 4.6: SigLIP, between whose blocks attention inside windows merges two by two patches to
// one, and a merger of two by two of those behind them. Source: MiniCPMV4_6VisionModel and
// MiniCPMV4_6Merger of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Of a square of patches: its edge is the first number of a list of two.
std::int64_t patches_of(const Fields& fields, std::string_view field) {
  const document::Node* node = fields.node(field);
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) return 4;
  const std::vector<std::int64_t> edges = fields.reader().integers(field, kMergeEdge);
  return edges.empty() ? 4 : edges.front() * edges.back();
}

}  // namespace

void add_minicpm46_vision(ConfigParts& parts) {
  if (parts.model().multi_token_prediction) {
    // The decoder's part of the config is Qwen3.5's own; the class has no such layer.
    parts.model().multi_token_prediction.reset();
    parts.model().notes.emplace_back(
        "the decoder's layer for a further token is not counted: MiniCPM-V 4.6 has none");
  }
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072});
  const Patches patches = read_patches(vision, 224, 16);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t window = patches_of(vision, "window_kernel_size");
  // Attention with its norm; the windows' norm and network.
  const std::int64_t inserted = 4 * linear_values(hidden, hidden) + 2 * hidden +
                                2 * window * hidden +
                                linear_values(window * hidden, window * tower.width) +
                                linear_values(window * tower.width, hidden);
  // Each round merges `merged` patches; the last one gives what the decoder takes.
  const std::int64_t merged = patches_of(parts.root(), "merge_kernel_size");
  const std::int64_t rounds = parts.root().integer("merger_times", kMergeEdge).value_or(1);
  const std::int64_t before = 8 * hidden + linear_values(4 * hidden, 4 * hidden);
  tower.parameters = siglip_values(tower, patches.patch, patches.side * patches.side) + inserted +
                     (rounds - 1) * (before + linear_values(4 * hidden, hidden)) + before +
                     linear_values(4 * hidden, out);
  // Nine slices and the whole, each of 448 pixels: what its processor is published with
  // (max_slice_nums, scale_resolution).
  constexpr std::int64_t kSlices = 10;
  constexpr std::int64_t kSlice = 448;
  const std::int64_t side = kSlice / patches.patch;
  tower.inner_tokens = kSlices * side * side;
  tower.output_tokens = tower.inner_tokens / (window * merged);
  tower.input_values = kSlices * kColours * kSlice * kSlice;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
