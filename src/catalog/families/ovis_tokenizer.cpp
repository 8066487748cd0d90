// Ovis 1.6 and 2 (arXiv 2405.20797): an image encoder whose squares of patches are looked up in a
// vocabulary of pictures: a matrix to its words with a norm, and a table of them. Sources: vLLM
// model_executor/models/ovis.py, aimv2.py and transformers_utils/configs/ovis.py; for ovis2,
// Ovis2VisionModel of transformers.
#include <algorithm>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// AIMv2 (arXiv 2411.14402): gated blocks with norms of weights alone, a norm behind the patches and
// one at the end, which is stored and not taken.
domain::Tower aimv2_tower(const Fields& vision, const Patches& patches) {
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1024, .layers = 24, .heads = 8, .width = 2816});
  tower.gated = true;
  const std::int64_t hidden = tower.hidden_size;
  const bool qkv_bias = vision.boolean("qkv_bias").value_or(false);
  const std::string_view bias_field = vision.first_given({"use_bias", "mlp_bias"});
  const bool bias = !bias_field.empty() && vision.boolean(bias_field).value_or(false);
  std::int64_t block = values_of_plain_gated(hidden, tower.width);
  if (qkv_bias) block += 3 * hidden;
  if (bias) block += hidden + 2 * tower.width + hidden;
  tower.parameters = linear_values(kColours * patches.patch * patches.patch, hidden) +
                     patches.side * patches.side * hidden + tower.layers * block + 2 * hidden;
  return tower;
}

domain::Tower siglip_tower(const Fields& vision, const Patches& patches) {
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072});
  tower.parameters = siglip_values(tower, patches.patch, patches.side * patches.side);
  if (vision.boolean("vision_use_head").value_or(true))
    tower.parameters += siglip_head_values(tower);
  return tower;
}

/// What stands beside the encoder: its words, of which some mark tiles and are in the table alone.
struct Words {
  std::int64_t count = 0;
  std::int64_t marks = 5;
  std::int64_t edge = 1;  ///< of the squares of patches that become one token
};

Words read_words(const Fields& tokenizer) {
  Words words;
  words.count = tokenizer.integer("vocab_size", kVocabulary).value_or(16384);
  words.marks = tokenizer.integer("num_visual_indicator_tokens", kImageCount).value_or(words.marks);
  words.edge = tokenizer.integer("hidden_stride", kMergeEdge).value_or(1);
  return words;
}

// A picture is cut into nine tiles at most, before which it is seen as a whole; marks stand before
// each of them, and two more at the end.
void add_tokenizer(const ConfigParts& parts, domain::Tower tower, const Patches& patches,
                   const Words& words) {
  const std::int64_t named = std::max<std::int64_t>(1, words.count - words.marks);
  tower.parameters += words.edge * words.edge * tower.hidden_size * named + 2 * named +
                      words.count * parts.model().hidden_size;
  constexpr std::int64_t kTiles = 10;
  const std::int64_t row = (patches.side + words.edge - 1) / words.edge;
  tower.inner_tokens = kTiles * patches.side * patches.side;
  tower.output_tokens = kTiles * row * row + kTiles + 1;
  tower.input_values = kTiles * kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace

void add_ovis_tokenizer(ConfigParts& parts) {
  auto reader = parts.root().mapping("visual_tokenizer_config");
  if (!reader) return;
  const Fields tokenizer(*reader);
  auto backbone = tokenizer.mapping("backbone_config");
  if (!backbone) return;
  const Fields vision(*backbone);
  const std::string kind = vision.text("model_type").value_or("aimv2");
  if (kind != "aimv2" && kind != "siglip_vision_model") {
    vision.complain("model_type", "visual tokenizer '" + kind + "' is not understood",
                    "known are aimv2 and siglip_vision_model");
    return;
  }
  const bool is_siglip = kind == "siglip_vision_model";
  const Patches patches = read_patches(vision, 224, is_siglip ? 16 : 14);
  add_tokenizer(parts, is_siglip ? siglip_tower(vision, patches) : aimv2_tower(vision, patches),
                patches, read_words(tokenizer));
}

void add_ovis2_tokenizer(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const Patches patches = read_patches(vision, 224, 14);
  add_tokenizer(parts, aimv2_tower(vision, patches), patches, read_words(vision));
}

}  // namespace gpushape::catalog
