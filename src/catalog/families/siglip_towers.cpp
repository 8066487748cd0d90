// Families that see through SigLIP, each with a projector of its own; classes of transformers of
// the same name. Tokens are those of the largest image that vLLM profiles with.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr domain::Tower kSo400m{.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304};

// The encoder alone, for one picture of its own size.
domain::Tower read_siglip(const Fields& vision, std::int64_t image, std::int64_t patch) {
  domain::Tower tower = read_sizes(vision, kSo400m);
  const Patches patches = read_patches(vision, image, patch);
  tower.inner_tokens = patches.side * patches.side;
  tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens);
  tower.input_values = kColours * patches.image * patches.image;
  return tower;
}

// So many pictures at once, a square of whose patches becomes one token.
void see_tiles(domain::Tower& tower, std::int64_t tiles, std::int64_t merged) {
  tower.inner_tokens *= tiles;
  tower.input_values *= tiles;
  tower.output_tokens = tower.inner_tokens / merged;
}

// Squares of patches, a gated network of `alignment_intermediate_size`, and up to `max_patches`
// tiles with a thumbnail.
struct GatedProjector {
  std::int64_t image = 0;
  std::int64_t patch = 0;
  bool has_norm = false;
};

void add_gated_siglip(const ConfigParts& parts, const GatedProjector& projector) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  domain::Tower tower = read_siglip(Fields(*reader), projector.image, projector.patch);
  const std::int64_t edge = parts.root().integer("downsample_factor", kMergeEdge).value_or(2);
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t width =
      parts.root().integer("alignment_intermediate_size", kWidth).value_or(out);
  const std::int64_t features = edge * edge * tower.hidden_size;
  tower.parameters += linear_values(features, width) + linear_values(width / 2, out) +
                      (projector.has_norm ? 2 * features : 0);
  constexpr std::int64_t kTiles = 12;
  see_tiles(tower, kTiles + 1, edge * edge);
  add_tower(parts, tower);
}

}  // namespace

void add_aya_vision(ConfigParts& parts) {
  add_gated_siglip(parts, {.image = 364, .patch = 14, .has_norm = true});
}

void add_cohere2_vision(ConfigParts& parts) {
  add_gated_siglip(parts, {.image = 512, .patch = 16});
}

// PaliGemma: one matrix.
// The whole ties its embeddings, whatever its decoder's part says: the published PaliGemma 2 has
// false there and no head among its tensors.
void add_paligemma(ConfigParts& parts) {
  parts.model().tied_embeddings =
      parts.root().boolean("tie_word_embeddings").value_or(parts.traits().ties_embeddings);
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  domain::Tower tower = read_siglip(Fields(*reader), 224, 14);
  tower.parameters += linear_values(tower.hidden_size, parts.model().hidden_size);
  tower.output_tokens = tower.inner_tokens;
  add_tower(parts, tower);
}

// VideoLLaMA 3: a SigLIP that rotates positions instead of storing them, and two matrices. A
// picture has at most 16,384 tokens (the processor's max_tokens). The publisher's class and that of
// transformers name its config otherwise.
void add_video_llama3(ConfigParts& parts) {
  const std::string_view field =
      parts.root().first_given({"vision_config", "vision_encoder_config"});
  auto reader = parts.root().mapping(field.empty() ? "vision_config" : field);
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower = read_sizes(vision, kSo400m);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters = siglip_values(tower, patch, 0) + linear_values(tower.hidden_size, out) +
                     linear_values(out, out);
  constexpr std::int64_t kMostTokens = 16'384;
  tower.inner_tokens = kMostTokens;
  tower.output_tokens = kMostTokens;
  tower.input_values = kMostTokens * kColours * patch * patch;
  add_tower(parts, tower);
}

// LFM2-VL: SigLIP 2 of any aspect, two by two patches to a token behind two matrices; up to ten
// tiles of 512 pixels and a thumbnail.
void add_lfm2_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower = read_sizes(vision, kSo400m);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t positions = vision.integer("num_patches", kImageCount).value_or(256);
  const std::int64_t edge = parts.root().integer("downsample_factor", kMergeEdge).value_or(2);
  const std::int64_t width =
      parts.root().integer("projector_hidden_size", kHiddenSize).value_or(2560);
  const std::int64_t features = edge * edge * tower.hidden_size;
  const bool has_norm = parts.root().boolean("projector_use_layernorm").value_or(true);
  tower.parameters = siglip_values(tower, patch, positions) + linear_values(features, width) +
                     linear_values(width, parts.model().hidden_size) +
                     (has_norm ? 2 * features : 0);
  const std::int64_t image = parts.root().integer("tile_size", kImageEdge).value_or(512);
  const std::int64_t tiles = parts.root().integer("max_tiles", kImageCount).value_or(10);
  tower.inner_tokens = (image / patch) * (image / patch);
  tower.input_values = kColours * image * image;
  see_tiles(tower, tiles + 1, edge * edge);
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
