// Image encoders and their projectors, each with the classes of transformers or of the publisher
// that build it. Tokens are those of the largest image that vLLM profiles with.
#include <algorithm>
#include <array>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

// Gemma3MultiModalProjector: a norm and one matrix.
void add_siglip_gemma3(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 896, 14);
  tower.inner_tokens = patches.side * patches.side;
  tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens) +
                     tower.hidden_size * parts.model().hidden_size + tower.hidden_size;
  tower.output_tokens = parts.root().integer("mm_tokens_per_image", kImageCount).value_or(256);
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

// Gemma4VisionModel: patches without bias, positions by row and column, four norms and head norms a
// block, gated networks.
void add_gemma4_vision(ConfigParts& parts) {
  if (auto reader = parts.root().mapping("vision_config")) {
    const Fields vision(*reader);
    domain::Tower tower =
        read_sizes(vision, {.hidden_size = 768, .layers = 16, .heads = 12, .width = 3072});
    tower.gated = true;
    const std::int64_t hidden = tower.hidden_size;
    const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(16);
    const std::int64_t head_dim = vision.integer("head_dim", kHeadDim).value_or(64);
    const std::int64_t positions =
        vision.integer("position_embedding_size", kContextTokens).value_or(10240);
    const std::int64_t pool = vision.integer("pooling_kernel_size", kMergeEdge).value_or(3);
    tower.parameters = kColours * patch * patch * hidden + 2 * positions * hidden +
                       tower.layers * values_of({.hidden = hidden,
                                                 .width = tower.width,
                                                 .inner = tower.heads * head_dim,
                                                 .attention_bias = false,
                                                 .network_bias = false,
                                                 .is_gated = true,
                                                 .norm_values = 4 * hidden + 2 * head_dim}) +
                       hidden * parts.model().hidden_size;
    tower.output_tokens =
        parts.root().integer("vision_soft_tokens_per_image", kImageCount).value_or(280);
    tower.inner_tokens = tower.output_tokens * pool * pool;
    tower.input_values = tower.inner_tokens * kColours * patch * patch;
    // vLLM model_executor/models/gemma4_mm.py, _encoder_chunk.
    tower.chunk_token_bytes = 4 * positions * 8;
    add_tower(parts, tower);
  }
  if (!parts.root().given("audio_config")) return;
  // The Hub counts 7 996 156 490 values of gemma-4-E4B-it; text and image tower have 7 687 399 680.
  constexpr std::int64_t kAudioValues = 308'756'810;
  domain::Tower audio;
  audio.kind = domain::TowerKind::Audio;
  audio.parameters = kAudioValues;
  parts.model().towers.push_back(audio);
}

// MobileNet-V5 and a conformer, whose blocks the config does not describe: together what the Hub
// counts of gemma-3n-E4B-it (7 849 978 192) beyond its text part (6 866 696 688).
void add_gemma3n_towers(ConfigParts& parts) {
  const bool sees = parts.root().given("vision_config");
  const bool hears = parts.root().given("audio_config");
  if (!sees && !hears) return;
  constexpr std::int64_t kValues = 983'281'504;
  domain::Tower tower;
  tower.parameters = kValues;
  tower.output_tokens =
      parts.root().integer("vision_soft_tokens_per_image", kImageCount).value_or(256);
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
  parts.model().notes.emplace_back(
      "image and audio towers are counted together as the Hub counts those of gemma-3n-E4B-it");
}

namespace {

struct PixtralDefaults {
  std::int64_t image = 0;  ///< edge, pixels
  std::int64_t patch = 0;
  std::int64_t merge = 0;  ///< edge of the patches that become one
};

// PixtralVisionModel: no biases, gated networks, one norm before the blocks. The projector of
// Mistral 3 merges two by two patches.
void add_pixtral(ConfigParts& parts, const PixtralDefaults& defaults) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1024, .layers = 24, .heads = 16, .width = 4096});
  tower.gated = true;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const Patches patches = read_patches(vision, defaults.image, defaults.patch);
  const std::int64_t merge =
      parts.root().integer("spatial_merge_size", kMergeEdge).value_or(defaults.merge);
  const bool bias = parts.root().boolean("multimodal_projector_bias").value_or(false);
  tower.parameters = kColours * patches.patch * patches.patch * hidden + hidden +
                     tower.layers * values_of_plain_gated(hidden, tower.width) + hidden +
                     merge * merge * hidden * hidden + linear_values(hidden, out, bias) +
                     linear_values(out, out, bias);
  tower.inner_tokens = patches.side * patches.side;
  // A break after each row of merged patches.
  tower.output_tokens = (patches.side / merge) * (patches.side / merge + 1);
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace

void add_pixtral(ConfigParts& parts) {
  add_pixtral(parts, {.image = 1540, .patch = 14, .merge = 2});
}

namespace {

// Blocks whose outputs go side by side into LLaVA's projector.
std::int64_t feature_layers(const ConfigParts& parts) {
  const document::Node* node = parts.root().node("vision_feature_layer");
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) return 1;
  constexpr std::size_t kMost = 64;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(node->items().size(), 1, kMost));
}

// LLaVA takes what the last block but one gives, unless its config says otherwise: -2 leaves one.
std::int64_t layers_behind_features(const ConfigParts& parts) {
  const document::Node* node = parts.root().node("vision_feature_layer");
  if (node == nullptr) return 1;
  if (!node->is(document::Node::Kind::Integer) || node->integer() >= 0) return 0;
  constexpr std::int64_t kMost = 64;
  return std::min(kMost, -(node->integer() + 1));
}

}  // namespace

// LlavaForConditionalGeneration: CLIP and two matrices; the class token is left out.
void add_llava(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const std::string kind = vision.text("model_type").value_or("clip_vision_model");
  if (kind == "pixtral") {
    // PixtralVisionConfig's own defaults; nothing is merged.
    add_pixtral(parts, {.image = 1024, .patch = 16, .merge = 1});
    const std::int64_t hidden = parts.model().towers.back().hidden_size;
    // LLaVA's own projector in place of Mistral's: neither norm nor merging, and biases.
    const std::int64_t out = parts.model().hidden_size;
    parts.model().towers.back().parameters += 2 * out - hidden - hidden * hidden;
    return;
  }
  const std::int64_t out = parts.model().hidden_size;
  domain::Tower tower;
  if (kind == "siglip_vision_model") {
    tower = read_sizes(vision, {.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072});
    const Patches patches = read_patches(vision, 224, 16);
    tower.inner_tokens = patches.side * patches.side;
    tower.output_tokens = tower.inner_tokens;
    tower.input_values = kColours * patches.image * patches.image;
    tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens);
    if (vision.boolean("vision_use_head").value_or(true))
      tower.parameters += siglip_head_values(tower);
  } else if (kind == "clip_vision_model") {
    tower = clip_tower(vision);
    tower.unused_layers = std::min(layers_behind_features(parts), tower.layers);
  } else {
    vision.complain("model_type", "vision tower '" + kind + "' is not understood",
                    "known are clip_vision_model, siglip_vision_model and pixtral");
    return;
  }
  tower.parameters +=
      linear_values(feature_layers(parts) * tower.hidden_size, out) + linear_values(out, out);
  add_tower(parts, tower);
}

// LLaVA-NeXT: LLaVA with up to four further tiles and a learned end of line. The largest picture
// comes to 2928 tokens (vLLM's profiling of 672 x 672 pixels in 336 x 336 tiles).
void add_llava_next(ConfigParts& parts) {
  add_llava(parts);
  if (parts.model().towers.empty()) return;
  domain::Tower& tower = parts.model().towers.back();
  tower.parameters += parts.model().hidden_size;
  constexpr std::int64_t kTiles = 5;
  constexpr std::int64_t kLargestOutput = 2928;
  tower.inner_tokens *= kTiles;
  tower.input_values *= kTiles;
  tower.output_tokens = kLargestOutput;
}

// LLaVA-OneVision: SigLIP without its head, two matrices and a learned end of line. The largest
// picture comes to 9 tiles and an overview of 27 x 27 patches (vLLM's profiling: 7290 and more).
void add_llava_onevision(ConfigParts& parts) {
  add_llava(parts);
  if (parts.model().towers.empty()) return;
  domain::Tower& tower = parts.model().towers.back();
  tower.parameters += parts.model().hidden_size;
  constexpr std::int64_t kTiles = 10;
  tower.inner_tokens *= kTiles;
  tower.input_values *= kTiles;
  tower.output_tokens *= kTiles;
}

// Idefics3VisionTransformer and its connector: a square of patches becomes one token behind one
// matrix without bias. A picture of 2048 pixels is cut into 512-pixel tiles and one overview.
void add_idefics3(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 12, .heads = 16, .width = 3072});
  const Patches patches = read_patches(vision, 224, 32);
  const std::int64_t scale = parts.root().integer("scale_factor", kMergeEdge).value_or(2);
  const std::int64_t grid = patches.side * patches.side;
  tower.parameters = siglip_values(tower, patches.patch, grid) +
                     tower.hidden_size * scale * scale * parts.model().hidden_size;
  constexpr std::int64_t kTiles = 17;
  tower.inner_tokens = kTiles * grid;
  tower.output_tokens = kTiles * grid / (scale * scale);
  tower.input_values = kTiles * kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

// InternVisionModel: class token, layer scales; four patches become one token behind a norm and two
// matrices (mlp1).
void add_intern_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1024, .layers = 24, .heads = 16, .width = 4096});
  const Patches patches = read_patches(vision, 448, 14);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  // The class of transformers and the publisher's own differ in words.
  const auto says = [&](FieldNames names, bool otherwise) {
    const std::string_view name = vision.first_given(names);
    return name.empty() ? otherwise : vision.boolean(name).value_or(otherwise);
  };
  const bool bias = says({"qkv_bias", "attention_bias"}, true);
  const bool has_head_norms = says({"qk_normalization", "use_qk_norm"}, false);
  const bool is_rms = vision.text("norm_type").value_or("layer_norm") == "rms_norm";
  const std::int64_t norms = (is_rms ? 2 : 4) * hidden + (has_head_norms ? 2 * hidden : 0);
  std::int64_t block =
      values_of({.hidden = hidden, .width = tower.width, .norm_values = norms + 2 * hidden});
  if (!bias) block -= 3 * hidden;
  const std::int64_t grid = patches.side * patches.side;
  tower.parameters = linear_values(kColours * patches.patch * patches.patch, hidden) + hidden +
                     (grid + 1) * hidden + tower.layers * block + 8 * hidden +
                     linear_values(4 * hidden, out) + linear_values(out, out);
  const std::int64_t tiles = parts.root().integer("max_dynamic_patch", kImageCount).value_or(12);
  const std::int64_t images = tiles > 1 ? tiles + 1 : tiles;  // and a thumbnail
  tower.inner_tokens = images * (grid + 1);
  tower.output_tokens = images * (grid / 4);
  tower.input_values = images * kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
