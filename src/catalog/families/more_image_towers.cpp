// Image encoders of newer families, each with the classes of transformers or of the publisher that
// build it. Tokens are those of the largest image that vLLM profiles with.
#include <algorithm>
#include <array>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

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
  add_tower(parts, tower);
}

// Step3VisionTransformer: a class token, no norm around the blocks; two convolutions halve the grid
// before the projector.
void add_step3_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1792, .layers = 63, .heads = 16, .width = 15360});
  const Patches patches = read_patches(vision, 728, 14);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t halved = vision.integer("output_hidden_size", kHiddenSize).value_or(4096);
  const std::int64_t grid = patches.side * patches.side;
  const bool has_bias = parts.root().boolean("projector_bias").value_or(false);
  tower.parameters =
      linear_values(kColours * patches.patch * patches.patch, hidden) + (grid + 2) * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      linear_values(4 * hidden, halved) + linear_values(9 * halved, 2 * halved) +
      linear_values(2 * halved, parts.model().hidden_size, has_bias);
  tower.inner_tokens = grid;
  tower.output_tokens = grid / 16;
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
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

namespace {

/// Of patches by row and column, and from 4.5 on of frames. Source: vLLM
/// model_executor/models/minicpmv.py, Resampler2_5 and Resampler4_5 (max_size, max_temporal_size);
/// transformers' own class makes 72,000 of frames. MiniCPM-o-2.6 prints 15.7985 GiB (0.7.1,
/// https://github.com/vllm-project/vllm/issues/12820), MiniCPM-V-4.5 8.5244 on each of two GPUs
/// (0.10.2): 0.03 and 0.31 above their parameters.
std::int64_t resampler_positions(double version) {
  constexpr std::int64_t kSide = 70;
  constexpr std::int64_t kFrames = 36000;
  return kSide * kSide + (version < 4.5 ? 0 : kFrames);
}

}  // namespace

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
  // The largest image is cut into as many slices as are allowed, and encoded once more as a whole.
  std::int64_t slices = 10;
  if (auto cut = parts.root().mapping("slice_config"))
    slices = 1 + Fields(*cut).integer("max_slice_nums", kImageCount).value_or(9);
  tower.output_tokens = slices * queries;
  const std::int64_t slice = parts.root().integer("image_size", kImageEdge).value_or(448);
  tower.inner_tokens = slices * (slice / patches.patch) * (slice / patches.patch);
  tower.input_values = slices * kColours * slice * slice;
  const double version = parts.root().number("version", {.least = 0, .most = 100}).value_or(2.6);
  tower.table_values = resampler_positions(version) * out;
  add_tower(parts, tower);
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
  const std::int64_t patch = size({"patch_size"}, kPatchEdge, 14);
  const std::int64_t rows = size({"init_pos_emb_height"}, kPatchEdge, 64);
  const std::int64_t columns = size({"init_pos_emb_width"}, kPatchEdge, 64);
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
  add_tower(parts, tower);
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
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t frames = vision.integer("patch_temporal", kMergeEdge).value_or(2);
  const std::int64_t rows = vision.integer("pos_emb_height", kPatchEdge).value_or(32);
  const std::int64_t columns = vision.integer("pos_emb_width", kPatchEdge).value_or(32);
  const std::int64_t merged = parts.root().integer("out_hidden_size", kHiddenSize).value_or(hidden);
  const std::int64_t width =
      parts.root().integer("projector_hidden_size", kHiddenSize).value_or(merged);
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters =
      kColours * frames * patch * patch * hidden + rows * columns * hidden + 4 * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      linear_values(merged, width) + linear_values(width, width) + linear_values(width, out);
  add_tower(parts, tower);
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
  add_tower(parts, tower);
  parts.model().notes.emplace_back(
      "the vision tower is counted from the sizes that its config gives: its projector is assumed");
}

}  // namespace gpushape::catalog
