// Image encoders and their projectors, each with the classes of transformers or of the publisher
// that build it. Tokens are those of the largest image that vLLM profiles with.
#include <algorithm>
#include <array>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kPatch{.least = 1, .most = 256};
constexpr document::IntegerBounds kEdge{.least = 1, .most = 16};  // of what is merged
constexpr document::IntegerBounds kPixels{.least = 1, .most = 10'000};
constexpr document::IntegerBounds kImageCount{.least = 0, .most = 100'000};
constexpr std::int64_t kColours = 3;

void put(const ConfigParts& parts, const domain::Tower& tower) {
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

struct Patches {
  std::int64_t image = 0;
  std::int64_t patch = 0;
  std::int64_t side = 0;
};

// One edge, or both of a square.
std::int64_t read_edge(const Fields& vision, std::string_view field, document::IntegerBounds bounds,
                       std::int64_t otherwise) {
  const document::Node* node = vision.node(field);
  if (node == nullptr || !node->is(document::Node::Kind::Sequence))
    return vision.integer(field, bounds).value_or(otherwise);
  const std::vector<std::int64_t> edges = vision.reader().integers(field, bounds);
  return edges.empty() ? otherwise : edges.front();
}

Patches read_patches(const Fields& vision, std::int64_t image, std::int64_t patch) {
  Patches patches;
  patches.image = read_edge(vision, "image_size", kPixels, image);
  patches.patch = read_edge(vision, "patch_size", kPatch, patch);
  patches.side = std::max<std::int64_t>(1, patches.image / patches.patch);
  return patches;
}

domain::Tower read_sizes(const Fields& vision, const domain::Tower& otherwise) {
  domain::Tower tower;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(otherwise.hidden_size);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(otherwise.width);
  tower.layers = vision.integer("num_hidden_layers", kLayers).value_or(otherwise.layers);
  tower.heads = vision.integer("num_attention_heads", kHeads).value_or(otherwise.heads);
  return tower;
}

// SiglipVisionModel: patches with bias, learned positions, a norm at the end; no class token.
std::int64_t siglip_values(const domain::Tower& tower, std::int64_t patch, std::int64_t positions) {
  const std::int64_t hidden = tower.hidden_size;
  return linear_values(kColours * patch * patch, hidden) + positions * hidden + 2 * hidden +
         tower.layers *
             values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
}

}  // namespace

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
  put(parts, tower);
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
    const std::int64_t patch = vision.integer("patch_size", kPatch).value_or(16);
    const std::int64_t head_dim = vision.integer("head_dim", kHeadDim).value_or(64);
    const std::int64_t positions =
        vision.integer("position_embedding_size", kContextTokens).value_or(10240);
    const std::int64_t pool = vision.integer("pooling_kernel_size", kEdge).value_or(3);
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
    put(parts, tower);
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

// PixtralVisionModel: no biases, gated networks, one norm before the blocks. The projector of
// Mistral 3 merges two by two patches.
void add_pixtral(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1024, .layers = 24, .heads = 16, .width = 4096});
  tower.gated = true;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const Patches patches = read_patches(vision, 1540, 14);
  const std::int64_t merge = parts.root().integer("spatial_merge_size", kEdge).value_or(2);
  const bool bias = parts.root().boolean("multimodal_projector_bias").value_or(false);
  tower.parameters = kColours * patches.patch * patches.patch * hidden + hidden +
                     tower.layers * values_of({.hidden = hidden,
                                               .width = tower.width,
                                               .attention_bias = false,
                                               .network_bias = false,
                                               .is_gated = true,
                                               .norm_values = 2 * hidden}) +
                     hidden + merge * merge * hidden * hidden + linear_values(hidden, out, bias) +
                     linear_values(out, out, bias);
  tower.inner_tokens = patches.side * patches.side;
  // A break after each row of merged patches.
  tower.output_tokens = (patches.side / merge) * (patches.side / merge + 1);
  tower.input_values = kColours * patches.image * patches.image;
  put(parts, tower);
}

// LlavaForConditionalGeneration: CLIP and two matrices; the class token is left out.
void add_llava(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const std::string kind = vision.text("model_type").value_or("clip_vision_model");
  if (kind == "pixtral") {
    add_pixtral(parts);
    const std::int64_t hidden = parts.model().towers.back().hidden_size;
    // LLaVA's own projector in place of Mistral's: neither norm nor merging, and biases.
    const std::int64_t out = parts.model().hidden_size;
    parts.model().towers.back().parameters += 2 * out - hidden - 4 * hidden * hidden;
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
  } else if (kind == "clip_vision_model") {
    tower = clip_tower(vision);
  } else {
    vision.complain("model_type", "vision tower '" + kind + "' is not understood",
                    "known are clip_vision_model, siglip_vision_model and pixtral");
    return;
  }
  tower.parameters += linear_values(tower.hidden_size, out) + linear_values(out, out);
  put(parts, tower);
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

// Idefics3VisionTransformer and its connector: a square of patches becomes one token behind one
// matrix without bias. A picture of 2048 pixels is cut into 512-pixel tiles and one overview.
void add_idefics3(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 12, .heads = 16, .width = 3072});
  const Patches patches = read_patches(vision, 224, 32);
  const std::int64_t scale = parts.root().integer("scale_factor", kEdge).value_or(2);
  const std::int64_t grid = patches.side * patches.side;
  tower.parameters = siglip_values(tower, patches.patch, grid) +
                     tower.hidden_size * scale * scale * parts.model().hidden_size;
  constexpr std::int64_t kTiles = 17;
  tower.inner_tokens = kTiles * grid;
  tower.output_tokens = kTiles * grid / (scale * scale);
  tower.input_values = kTiles * kColours * patches.image * patches.image;
  put(parts, tower);
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
  put(parts, tower);
}

// Llama4VisionModel: class token, two outer norms; pixels are shuffled four to one before two
// matrices of the adapter and one of the projector.
void add_llama4_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) {
    parts.model().notes.emplace_back(
        "the config has no vision_config: the vision tower is not counted");
    return;
  }
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1408, .layers = 34, .heads = 16, .width = 5632});
  const Patches patches = read_patches(vision, 336, 14);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t adapter = vision.integer("projector_input_dim", kHiddenSize).value_or(4096);
  const std::int64_t output = vision.integer("projector_output_dim", kHiddenSize).value_or(4096);
  const std::int64_t grid = patches.side * patches.side;
  tower.parameters =
      kColours * patches.patch * patches.patch * hidden + hidden + (grid + 1) * hidden +
      4 * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      4 * hidden * adapter + adapter * output + output * parts.model().hidden_size;
  tower.inner_tokens = grid + 1;
  tower.output_tokens = grid / 4;
  tower.input_values = kColours * patches.image * patches.image;
  put(parts, tower);
}

// MiniCPM-V names its decoder by a version of its own.
const Family* minicpmv_decoder(const Fields& root) {
  struct Version {
    double number;
    std::string_view decoder;
  };
  constexpr auto kVersions =
      std::to_array<Version>({{2.5, "llama"}, {2.6, "qwen2"}, {4.0, "llama"}, {4.5, "qwen3"}});
  const auto version = root.number("version", {.least = 0, .most = 100});
  if (!version) return nullptr;
  const auto* const found = std::ranges::find(kVersions, *version, &Version::number);
  if (found != kVersions.end()) return family_of_type(found->decoder);
  root.complain("version", "a MiniCPM-V of this version is not understood",
                "known are 2.5, 2.6, 4.0 and 4.5");
  return nullptr;
}

// MiniCPM-V: SigLIP, and a resampler whose queries attend to the patches.
void add_minicpm_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 980, 14);
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t queries = parts.root().integer("query_num", kImageCount).value_or(64);
  tower.parameters = siglip_values(tower, patches.patch, patches.side * patches.side) +
                     queries * out + tower.hidden_size * out + linear_values(out, 3 * out) +
                     linear_values(out, out) + 6 * out + out * out;
  tower.output_tokens = queries;
  const std::int64_t slice = parts.root().integer("image_size", kPixels).value_or(448);
  tower.inner_tokens = (slice / patches.patch) * (slice / patches.patch);
  tower.input_values = kColours * slice * slice;
  put(parts, tower);
}

// Phi-3.5-vision: OpenAI's ViT-L/14 at 336 pixels, whose sizes stand in the modeling code, four
// patches to a token, separators, two matrices.
void add_phi3_vision(ConfigParts& parts) {
  constexpr std::int64_t kHidden = 1024;
  constexpr std::int64_t kSide = 24;
  domain::Tower tower;
  tower.hidden_size = kHidden;
  tower.width = 4096;
  tower.layers = 24;
  tower.heads = 16;
  const std::int64_t out = parts.model().hidden_size;
  constexpr std::int64_t kPatchValues = kColours * 14 * 14;
  tower.parameters =
      kPatchValues * kHidden + kHidden + (kSide * kSide + 1) * kHidden + 4 * kHidden +
      tower.layers *
          values_of({.hidden = kHidden, .width = tower.width, .norm_values = 4 * kHidden}) +
      8 * kHidden + linear_values(4 * kHidden, out) + linear_values(out, out);
  tower.inner_tokens = kSide * kSide + 1;
  tower.output_tokens = kSide * kSide / 4;
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
}

// MoonViT (Kimi-VL, Kimi K2.5): learned positions that are interpolated, biases everywhere; the
// projector merges two by two patches behind a norm.
void add_moon_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const auto size = [&](FieldNames names, document::IntegerBounds bounds, std::int64_t otherwise) {
    const std::string_view name = vision.first_given(names);
    return name.empty() ? otherwise : vision.integer(name, bounds).value_or(1);
  };
  domain::Tower tower;
  tower.hidden_size = size({"vt_hidden_size", "hidden_size"}, kHiddenSize, 1152);
  tower.width = size({"vt_intermediate_size", "intermediate_size"}, kWidth, 4304);
  tower.layers = size({"vt_num_hidden_layers", "num_hidden_layers"}, kLayers, 27);
  tower.heads = size({"vt_num_attention_heads", "num_attention_heads"}, kHeads, 16);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t inner = size({"qkv_hidden_size"}, kHiddenSize, hidden);
  const std::int64_t patch = size({"patch_size"}, kPatch, 14);
  const std::int64_t rows = size({"init_pos_emb_height"}, kPatch, 64);
  const std::int64_t columns = size({"init_pos_emb_width"}, kPatch, 64);
  const std::int64_t out = parts.model().hidden_size;
  const bool is_rms = vision.text("norm_type").value_or("") == "rmsnorm";
  const std::int64_t norm = is_rms ? hidden : 2 * hidden;
  tower.parameters =
      linear_values(kColours * patch * patch, hidden) + rows * columns * hidden +
      tower.layers *
          values_of(
              {.hidden = hidden, .width = tower.width, .inner = inner, .norm_values = 2 * norm}) +
      norm + 2 * hidden + linear_values(4 * hidden, 4 * hidden) + linear_values(4 * hidden, out);
  if (parts.family().model_type() == "kimi_vl") {
    // in_token_limit 4096 rounded up to whole merges: 66 x 66 patches, four to a token.
    tower.inner_tokens = 66LL * 66;
    tower.output_tokens = 33LL * 33;
    tower.input_values = tower.inner_tokens * kColours * patch * patch;
  }
  put(parts, tower);
  if (parts.family().model_type() == "kimi_k3")
    parts.model().notes.emplace_back(
        "the vision tower is counted as MoonViT of the sizes that the config gives: its own code "
        "is "
        "not published");
}

// Muse Glimmer: counted as its config describes it.
void add_muse_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower = read_sizes(vision, {});
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t patch = vision.integer("patch_size", kPatch).value_or(14);
  const std::int64_t frames = vision.integer("patch_temporal", kEdge).value_or(2);
  const std::int64_t rows = vision.integer("pos_emb_height", kPatch).value_or(32);
  const std::int64_t columns = vision.integer("pos_emb_width", kPatch).value_or(32);
  const std::int64_t merged = parts.root().integer("out_hidden_size", kHiddenSize).value_or(hidden);
  const std::int64_t width =
      parts.root().integer("projector_hidden_size", kHiddenSize).value_or(merged);
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters =
      kColours * frames * patch * patch * hidden + rows * columns * hidden + 4 * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      linear_values(merged, width) + linear_values(width, out);
  put(parts, tower);
  parts.model().notes.emplace_back(
      "the vision tower is counted from the sizes that its config gives: biases and norms are "
      "assumed as in its kin");
}

// MiniMax M3: CLIP blocks with rotary positions, two frames a patch, two by two patches to a token
// behind two matrices.
void add_minimax_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower = read_sizes(vision, {});
  const Patches patches = read_patches(vision, 2016, 14);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t width =
      parts.root().integer("projector_hidden_size", kHiddenSize).value_or(out);
  constexpr std::int64_t kMerge = 4;
  tower.parameters =
      2 * kColours * patches.patch * patches.patch * hidden + 2 * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      linear_values(hidden, width) + linear_values(width, out) +
      linear_values(kMerge * out, width) + linear_values(width, out);
  tower.inner_tokens = patches.side * patches.side;
  tower.output_tokens = tower.inner_tokens / kMerge;
  tower.input_values = 2 * kColours * patches.image * patches.image;
  put(parts, tower);
  parts.model().notes.emplace_back(
      "the vision tower is counted from the sizes that its config gives: its projector is assumed");
}

}  // namespace gpushape::catalog
