// Nemotron Nano VL: C-RADIO, whose class and register tokens fill up to a multiple, and a norm and
// two matrices without biases behind squares of two by two patches (mlp1). Sources: vLLM
// model_executor/models/nano_nemotron_vl.py, radio.py and transformers_utils/configs/radio.py.
#include <algorithm>
#include <array>
#include <string_view>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/radio.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Sizes of timm's encoders by the beginning of their names.
struct Encoder {
  std::string_view name;
  std::int64_t hidden;
  std::int64_t layers;
  std::int64_t heads;
};
constexpr auto kEncoders = std::to_array<Encoder>({
    {"vit_small", 384, 12, 6},
    {"vit_base", 768, 12, 12},
    {"vit_large", 1024, 24, 16},
    {"vit_huge", 1280, 32, 16},
});

}  // namespace

domain::Tower radio_encoder(const Fields& args, std::int64_t patch, std::int64_t tokens) {
  domain::Tower tower;
  const std::string model = args.text("model").value_or("vit_huge");
  const auto* const encoder = std::ranges::find_if(
      kEncoders, [&](const Encoder& row) { return model.starts_with(row.name); });
  if (encoder == kEncoders.end()) {
    args.complain("model", "an image encoder of this name is not understood",
                  "known are vit_small, vit_base, vit_large and vit_huge");
    return tower;
  }
  tower.hidden_size = encoder->hidden;
  tower.layers = encoder->layers;
  tower.heads = encoder->heads;
  tower.width = 4 * encoder->hidden;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t largest = args.integer("cpe_max_size", kImageEdge).value_or(2048);
  const std::int64_t places = (largest / patch) * (largest / patch);
  tower.parameters =
      kColours * patch * patch * hidden + (places + tokens) * hidden +
      tower.layers * values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden});
  return tower;
}

void add_radio_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  auto arguments = vision.mapping("args");
  if (!arguments) return;
  const Fields args(*arguments);
  const std::int64_t patch = parts.root().integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t tokens = args.integer("register_multiple", kImageCount).value_or(16);
  domain::Tower tower = radio_encoder(args, patch, tokens);
  if (tower.layers == 0) return;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t image = parts.root().integer("force_image_size", kImageEdge).value_or(512);
  const std::int64_t network =
      parts.root().integer("projector_hidden_size", kWidth).value_or(4 * hidden);
  const std::int64_t merged = 4 * hidden;
  tower.parameters += merged + merged * network + network * parts.model().hidden_size;
  constexpr std::int64_t kTiles = 13;  // twelve and a thumbnail
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  tower.inner_tokens = kTiles * (side * side + tokens);
  tower.output_tokens = kTiles * side * side / 4;
  tower.input_values = kTiles * kColours * image * image;
  add_tower(parts, tower);
}

// Llama Nemotron Nano VL: the same with biases in the projector, whose norm has one, too. Source:
// vLLM model_executor/models/nemotron_vl.py.
void add_nemotron_vision(ConfigParts& parts) {
  add_radio_vision(parts);
  if (parts.model().towers.empty()) return;
  domain::Tower& tower = parts.model().towers.back();
  const std::int64_t merged = 4 * tower.hidden_size;
  const std::int64_t network =
      parts.root().integer("projector_hidden_size", kWidth).value_or(merged);
  tower.parameters += merged + network + parts.model().hidden_size;
}

}  // namespace gpushape::catalog
