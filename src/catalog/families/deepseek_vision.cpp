// What DeepSeek's decoders see through. VL2 (arXiv 2412.10302): SigLIP with its head and two
// matrices. OCR (arXiv 2510.18234): SAM's ViT-B and CLIP's ViT-L one after the other. OCR 2 (arXiv
// 2601.20552): the same SAM, and the blocks of Qwen2-0.5B in place of CLIP. Sources: vLLM
// model_executor/models/deepseek_vl2.py and the publisher's deepencoder.py and deepencoderv2.py;
// the Hub counts 16,148,349,504, 3,336,106,240 and 3,389,119,360 of VL2-small, OCR and OCR 2, which
// these sizes give.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// A norm of weights and biases.
constexpr std::int64_t norm_values(std::int64_t hidden) { return 2 * hidden; }

// Image Encoder ViT-B of Segment Anything at 1024 pixels, with a neck of 256 channels and two
// convolutions of 3 x 3, each of which halves the grid; the second has `out` channels.
constexpr std::int64_t sam_values(std::int64_t out) {
  constexpr std::int64_t kHidden = 768;
  constexpr std::int64_t kHeadDim = 64;
  constexpr std::int64_t kPatch = 16;
  constexpr std::int64_t kGrid = 64;
  constexpr std::int64_t kWindow = 14;
  constexpr std::int64_t kWindowBlocks = 8;
  constexpr std::int64_t kGlobalBlocks = 4;
  constexpr std::int64_t kNeck = 256;
  constexpr std::int64_t kMiddle = 512;
  constexpr std::int64_t kKernel = 9;  // 3 x 3
  constexpr std::int64_t kBlock =
      values_of({.hidden = kHidden, .width = 4 * kHidden, .norm_values = 4 * kHidden});
  // Relative positions by row and by column.
  constexpr std::int64_t kRelative =
      2 * kHeadDim * (kWindowBlocks * (2 * kWindow - 1) + kGlobalBlocks * (2 * kGrid - 1));
  return linear_values(kColours * kPatch * kPatch, kHidden) + kGrid * kGrid * kHidden +
         (kWindowBlocks + kGlobalBlocks) * kBlock + kRelative + kHidden * kNeck +
         norm_values(kNeck) + kKernel * kNeck * kNeck + norm_values(kNeck) +
         kKernel * kNeck * kMiddle + kKernel * kMiddle * out;
}

// CLIP's ViT-L/14 of 224 pixels, without the norm behind its blocks.
constexpr std::int64_t clip_values() {
  constexpr std::int64_t kHidden = 1024;
  constexpr std::int64_t kLayers = 24;
  constexpr std::int64_t kPatchValues = kColours * 14 * 14;
  constexpr std::int64_t kPositions = 16 * 16 + 1;
  return kPatchValues * kHidden + kHidden + kPositions * kHidden + norm_values(kHidden) +
         kLayers * values_of({.hidden = kHidden, .width = 4 * kHidden, .norm_values = 4 * kHidden});
}

// Qwen2-0.5B without embedding and head, and the queries of crops and of whole pages.
constexpr std::int64_t kQueryWidth = 896;
constexpr std::int64_t query_values() {
  constexpr std::int64_t kLayers = 24;
  constexpr std::int64_t kKvInner = 128;
  constexpr std::int64_t kCropQueries = 144;
  constexpr std::int64_t kPageQueries = 256;
  constexpr std::int64_t kBiases = kQueryWidth + 2 * kKvInner;
  return kLayers * (values_of({.hidden = kQueryWidth,
                               .width = 4864,
                               .kv_inner = kKvInner,
                               .attention_bias = false,
                               .network_bias = false,
                               .is_gated = true,
                               .norm_values = 2 * kQueryWidth}) +
                    kBiases) +
         kQueryWidth + (kCropQueries + kPageQueries) * kQueryWidth;
}

enum class Encoder { Siglip, Deep, Deep2 };

// By its sizes where the config has them, else by the class's name.
Encoder encoder_of(const ConfigParts& parts) {
  if (auto reader = parts.root().mapping("vision_config")) {
    const Fields vision(*reader);
    const document::Node* width = vision.node("width");
    if (width != nullptr && width->is(document::Node::Kind::Mapping))
      return width->find("qwen2-0-5b") != nullptr ? Encoder::Deep2 : Encoder::Deep;
    if (vision.text("model_name").value_or("").starts_with("siglip")) return Encoder::Siglip;
  }
  const std::string& architecture = parts.model().architecture;
  if (architecture.contains("OCR2")) return Encoder::Deep2;
  return architecture.contains("OCR") ? Encoder::Deep : Encoder::Siglip;
}

void add_deep_encoder(const ConfigParts& parts, bool is_second) {
  const std::int64_t out = parts.model().hidden_size;
  constexpr std::int64_t kFeatures = 2048;  // of SAM and CLIP side by side
  domain::Tower tower;
  tower.parameters = is_second ? sam_values(kQueryWidth) + query_values() +
                                     linear_values(kQueryWidth, out) + out  // ends a view
                               : sam_values(1024) + clip_values() + linear_values(kFeatures, out) +
                                     2 * out;  // ends a view, ends a line
  tower.inner_tokens = 4096;                   // of 1024 pixels in patches of 16
  tower.output_tokens = 256;
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
}

// SigLIP so400m of 384 pixels: squares of two by two patches behind two matrices. The largest
// picture is cut into a column of nine tiles, and seen once more as a whole.
void add_siglip(const ConfigParts& parts) {
  domain::Tower tower;
  tower.hidden_size = 1152;
  tower.layers = 27;
  tower.heads = 16;
  tower.width = 4304;
  std::int64_t image = 384;
  std::int64_t patch = 14;
  if (auto reader = parts.root().mapping("vision_config")) {
    const Fields vision(*reader);
    tower.hidden_size = vision.integer("width", kHiddenSize).value_or(tower.hidden_size);
    tower.layers = vision.integer("layers", kLayers).value_or(tower.layers);
    tower.heads = vision.integer("heads", kHeads).value_or(tower.heads);
    const double ratio = vision.number("mlp_ratio", {.least = 0.01, .most = 100}).value_or(3.7362);
    tower.width = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(ratio * static_cast<double>(tower.hidden_size)));
    image = vision.integer("image_size", kImageEdge).value_or(image);
    patch = vision.integer("patch_size", kPatchEdge).value_or(patch);
  }
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  constexpr std::int64_t kMerged = 4;
  tower.parameters = siglip_values(tower, patch, side * side) + siglip_head_values(tower) +
                     linear_values(kMerged * tower.hidden_size, out) + linear_values(out, out) +
                     2 * out;  // ends a line, ends a view
  constexpr std::int64_t kTiles = 9;
  tower.inner_tokens = (kTiles + 1) * side * side;
  const std::int64_t rows = (side + 1) / 2;
  tower.output_tokens = (kTiles + 1) * rows * (rows + 1) + 1;
  tower.input_values = (kTiles + 1) * kColours * image * image;
  add_tower(parts, tower);
}

// Published configs repeat the decoder's sizes outside of it.
void read_copies(const ConfigParts& parts) {
  for (const char* field : {"n_routed_experts", "n_shared_experts", "moe_intermediate_size"}) {
    const auto copy = parts.root().integer(field, kWidth);
    if (parts.is_nested() && copy && copy != parts.fields().integer(field, kWidth))
      parts.root().complain(field, "it is another number than that of the language_config");
  }
}

}  // namespace

void add_deepseek_vision(ConfigParts& parts) {
  read_copies(parts);
  const Encoder encoder = encoder_of(parts);
  if (encoder == Encoder::Siglip) return add_siglip(parts);
  add_deep_encoder(parts, encoder == Encoder::Deep2);
}

}  // namespace gpushape::catalog
