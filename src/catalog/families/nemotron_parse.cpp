// Nemotron Parse: C-RADIO, whose patches a convolution joins four to one and whose class tokens
// become one more, before mBART's decoder without positions. Sources: vLLM 0.23
// model_executor/models/nemotron_parse.py and radio.py; NemotronParseConfig of the publisher.
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/radio.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kNeck = 1024;        // RadioWithNeck: widths stand in the class
constexpr std::int64_t kTeachers = 3;       // whose class tokens go side by side into one matrix
constexpr std::int64_t kJoinedPatches = 4;  // in a row

/// Height and width in pixels.
std::vector<std::int64_t> read_picture(const Fields& root) {
  if (root.given("image_size")) {
    std::vector<std::int64_t> sides = root.reader().integers("image_size", kImageEdge);
    if (sides.size() == 2) return sides;
  }
  return {2048, 1648};
}

}  // namespace

void read_nemotron_parse(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_mbart_decoder(parts);
  model.max_context_tokens =
      parts.root().integer("max_sequence_length", kContextTokens).value_or(9000);
  parts.from_config("contextTokens");
}

void add_radio_neck(ConfigParts& parts) {
  auto reader = parts.root().mapping("encoder");
  if (!reader) return;
  const Fields encoder(*reader);
  auto arguments = encoder.mapping("args");
  if (!arguments) return;
  const Fields args(*arguments);
  const std::int64_t patch = encoder.integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t tokens = args.integer("register_multiple", kImageCount).value_or(8);
  domain::Tower tower = radio_encoder(args, patch, tokens);
  if (tower.layers == 0) return;
  const std::int64_t hidden = tower.hidden_size;
  constexpr std::int64_t kNorms = 3;
  tower.parameters += linear_values(hidden, kNeck) +
                      linear_values(kJoinedPatches * kNeck, kNeck, false) +
                      linear_values(kTeachers * hidden, kNeck) + kNorms * 2 * kNeck;
  const std::vector<std::int64_t> picture = read_picture(parts.root());
  const std::int64_t rows = picture[0] / patch;
  const std::int64_t columns = picture[1] / patch;
  tower.inner_tokens = rows * columns + tokens;
  tower.output_tokens = rows * (columns / kJoinedPatches) + 1;
  tower.input_values = kColours * picture[0] * picture[1];
  for (domain::LayerRun& run : parts.model().layers)
    run.layer.cross_attention->encoder_tokens = tower.output_tokens;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
