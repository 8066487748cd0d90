#include "catalog/families/towers.hpp"

#include <algorithm>

#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

// CLIPVisionModel of transformers: class token, learned positions, a norm before and after, biases
// everywhere but on the patch convolution.
domain::Tower clip_tower(const Fields& vision) {
  domain::Tower tower;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(768);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(3072);
  tower.layers = vision.integer("num_hidden_layers", kLayers).value_or(12);
  tower.heads = vision.integer("num_attention_heads", kHeads).value_or(12);
  const std::int64_t image = vision.integer("image_size", kImageEdge).value_or(224);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(32);
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  const std::int64_t positions = side * side + 1;
  const std::int64_t hidden = tower.hidden_size;
  tower.parameters =
      kColours * patch * patch * hidden + hidden + positions * hidden + 4 * hidden +
      tower.layers * values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
  tower.inner_tokens = positions;
  tower.output_tokens = side * side;
  tower.input_values = kColours * image * image;
  return tower;
}

domain::Tower whisper_sizes(const Fields& audio) {
  // Later classes have the usual names in place of Whisper's.
  const auto size = [&](std::string_view own, std::string_view usual,
                        document::IntegerBounds bounds, std::int64_t otherwise) {
    return audio.integer(audio.given(own) ? own : usual, bounds).value_or(otherwise);
  };
  domain::Tower tower;
  tower.hidden_size = size("d_model", "hidden_size", kHiddenSize, 1280);
  tower.width = size("encoder_ffn_dim", "intermediate_size", kWidth, 5120);
  tower.layers = size("encoder_layers", "num_hidden_layers", kLayers, 32);
  tower.heads = size("encoder_attention_heads", "num_attention_heads", kHeads, 20);
  return tower;
}

// WhisperEncoder: two convolutions of three frames, fixed positions that are stored all the same,
// keys without bias, a norm at the end.
domain::Tower whisper_tower(const Fields& audio, std::int64_t mel_bins) {
  domain::Tower tower = whisper_sizes(audio);
  tower.kind = domain::TowerKind::Encoder;
  tower.inner_tokens = audio.integer("max_source_positions", kImageEdge).value_or(1500);
  return whisper_of(tower, audio.integer("num_mel_bins", kPatchEdge).value_or(mel_bins));
}

domain::Tower whisper_of(domain::Tower tower, std::int64_t bins) {
  const std::int64_t positions = tower.inner_tokens;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t block =
      values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) - hidden;
  tower.parameters = linear_values(3 * bins, hidden) + linear_values(3 * hidden, hidden) +
                     positions * hidden + tower.layers * block + 2 * hidden;
  tower.output_tokens = positions;
  tower.input_values = bins * 2 * positions;  // the second convolution halves the frames
  return tower;
}

// MllamaVisionModel: tiles with gated position and tile embeddings, local blocks and gated global
// ones; the projector takes the outputs of several blocks side by side.
domain::Tower mllama_tower(const Fields& vision, std::int64_t hidden_size) {
  domain::Tower tower;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(1280);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(5120);
  const std::int64_t local = vision.integer("num_hidden_layers", kLayers).value_or(32);
  const std::int64_t global = vision.integer("num_global_layers", kLayers).value_or(8);
  tower.layers = local + global;
  tower.heads = vision.integer("attention_heads", kHeads).value_or(16);
  const std::int64_t image = vision.integer("image_size", kImageEdge).value_or(560);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t tiles = vision.integer("max_num_tiles", kMergeEdge).value_or(4);
  const std::int64_t output = vision.integer("vision_output_dim", kHiddenSize).value_or(7680);
  const document::Node* ratios = vision.node("supported_aspect_ratios");
  const std::int64_t ratio_count =
      ratios != nullptr && ratios->is(document::Node::Kind::Sequence)
          ? static_cast<std::int64_t>(std::min<std::size_t>(ratios->items().size(), 64))
          : 8;
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  const std::int64_t positions = side * side + 1;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t block = values_of(
      {.hidden = hidden, .width = tower.width, .attention_bias = false, .norm_values = 4 * hidden});
  const std::int64_t tile_positions =
      1 + positions * hidden + (ratio_count + 1) * tiles * positions * hidden;
  const std::int64_t tile_embedding = 1 + (ratio_count + 1) * tiles * hidden;
  tower.parameters = kColours * patch * patch * hidden + hidden + tile_positions +
                     2 * tile_embedding + 4 * hidden + local * block + global * (block + 2) +
                     linear_values(output, hidden_size);
  tower.inner_tokens = tiles * positions;
  tower.output_tokens = tiles * positions;
  tower.input_values = tiles * kColours * image * image;
  return tower;
}

// GLM-4V-9B's EVA-02 encoder; a convolution of two by two and a gated projector follow it.
void add_eva_tower(const ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower;
  tower.hidden_size = vision.required_integer("hidden_size", kHiddenSize);
  tower.width = vision.required_integer("intermediate_size", kWidth);
  tower.layers = vision.required_integer("num_hidden_layers", kLayers);
  tower.heads = vision.required_integer("num_heads", kHeads);
  const std::int64_t patch = vision.required_integer("patch_size", kPatchEdge);
  const std::int64_t positions = vision.required_integer("num_positions", kContextTokens);
  const std::int64_t image = vision.integer("image_size", kImageEdge).value_or(0);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t network = parts.fields().integer("ffn_hidden_size", kWidth).value_or(1);
  tower.parameters =
      linear_values(kColours * patch * patch, hidden) + hidden + positions * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      linear_values(4 * hidden, out) + out * out + 2 * out + 3 * out * network + 2 * out;
  tower.inner_tokens = positions;
  tower.output_tokens = (positions - 1) / 4 + 2;
  tower.input_values = kColours * image * image;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

// Molmo: OpenAI's ViT-L/14 at 336 pixels without its last block, pooling of two by two by
// attention, and a gated projector as wide as the decoder's network. Sizes: the publisher's
// modeling_molmo.py; they stand nowhere in the config.
void add_molmo_tower(const ConfigParts& parts) {
  constexpr std::int64_t kHidden = 1024;
  constexpr std::int64_t kLayersUsed = 23;
  constexpr std::int64_t kPatchPixels = 14;
  constexpr std::int64_t kPositions = 577;
  domain::Tower tower;
  tower.hidden_size = kHidden;
  tower.width = 4096;
  tower.layers = kLayersUsed;
  tower.heads = 16;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t network = parts.fields().integer("intermediate_size", kWidth).value_or(2) / 2;
  // Features of two blocks side by side go into the pooling.
  constexpr std::int64_t kFeatures = 2 * kHidden;
  tower.parameters =
      kColours * kPatchPixels * kPatchPixels * kHidden + kHidden + kPositions * kHidden +
      2 * kHidden +
      kLayersUsed *
          values_of({.hidden = kHidden, .width = tower.width, .norm_values = 4 * kHidden}) +
      3 * linear_values(kFeatures, kHidden) + linear_values(kHidden, kHidden) + 2 * kFeatures +
      2 * kHidden * network + network * out;
  tower.inner_tokens = kPositions;
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
}

}  // namespace gpushape::catalog
