// Donut, an encoder of whole pages before mBART's decoder: Swin, whose windows attend with a table
// of distances and whose stages halve both edges of the page. Sources: transformers
// models/donut/modeling_donut_swin.py, models/vision_encoder_decoder and models/mbart.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catalog/families.hpp"
#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kStageDepth{.least = 1, .most = 1'000};
constexpr document::IntegerBounds kWindowEdge{.least = 1, .most = 1'000};

struct Swin {
  std::int64_t width = 0;  ///< of the first stage; each further one is twice as wide
  std::int64_t patch = 0;
  std::int64_t window = 0;
  double ratio = 4;  ///< of a block's network to its width
  std::vector<std::int64_t> depths;
  std::vector<std::int64_t> heads;
};

Swin read_swin(const Fields& encoder) {
  Swin swin;
  swin.width = encoder.integer("embed_dim", kHiddenSize).value_or(96);
  swin.patch = encoder.integer("patch_size", kPatchEdge).value_or(4);
  swin.window = encoder.integer("window_size", kWindowEdge).value_or(7);
  swin.ratio = encoder.number("mlp_ratio", {.least = 0.1, .most = 100}).value_or(4);
  if (encoder.given("depths")) swin.depths = encoder.reader().integers("depths", kStageDepth);
  if (encoder.given("num_heads")) swin.heads = encoder.reader().integers("num_heads", kHeads);
  constexpr std::size_t kMostStages = 8;
  const bool fits = swin.depths.size() == swin.heads.size() && !swin.depths.empty() &&
                    swin.depths.size() <= kMostStages;
  if (!fits) {
    encoder.complain("depths", "depths and num_heads do not name a number for each stage");
    swin.depths.clear();
  }
  return swin;
}

std::int64_t swin_values(const Swin& swin) {
  std::int64_t values =
      linear_values(kColours * swin.patch * swin.patch, swin.width) + 2 * swin.width;  // a norm
  const std::int64_t distances = (2 * swin.window - 1) * (2 * swin.window - 1);
  std::int64_t width = swin.width;
  for (std::size_t stage = 0; stage < swin.depths.size(); ++stage) {
    const std::int64_t block =
        values_of(TowerBlock{.hidden = width,
                             .width = std::llround(swin.ratio * static_cast<double>(width)),
                             .norm_values = 4 * width});
    values += swin.depths[stage] * (block + distances * swin.heads[stage]);
    if (stage + 1 == swin.depths.size()) break;
    values += linear_values(4 * width, 2 * width, false) + 8 * width;
    width *= 2;
  }
  return values;
}

std::vector<std::int64_t> read_page(const Fields& encoder) {
  constexpr std::int64_t kOtherwise = 224;
  const document::Node* node = encoder.node("image_size");
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) {
    const std::int64_t side = encoder.integer("image_size", kImageEdge).value_or(kOtherwise);
    return {side, side};
  }
  const std::vector<std::int64_t> sides = encoder.reader().integers("image_size", kImageEdge);
  return sides.size() == 2 ? sides : std::vector<std::int64_t>{kOtherwise, kOtherwise};
}

}  // namespace

void read_mbart_decoder(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_sizes(parts);
  const std::int64_t heads =
      parts.size_or({"decoder_attention_heads"}, "attentionHeads", kHeads, 16);
  const std::int64_t width = parts.size_or({"decoder_ffn_dim"}, "feedForwardWidth", kWidth, 4096);
  const domain::Layer layer = bart_layer(model.hidden_size, heads, width);
  model.layers.push_back({layer, parts.size_or({"decoder_layers"}, "layers", kLayers, 12)});
  model.final_norm_bias = true;
  add_biased_norm(model.extra, "decoder.layernorm_embedding", model.hidden_size);
  // There is no encoder of text, whatever mBART's config says of one.
  for (const char* field : {"encoder_layers", "is_encoder_decoder"}) {
    static_cast<void>(parts.fields().given(field));
    static_cast<void>(parts.root().given(field));
  }
}

const Family* donut_decoder(const Fields& root) {
  auto decoder = root.mapping("decoder");
  const std::string type = decoder ? Fields(*decoder).text("model_type").value_or("") : "";
  if (type == "mbart") return family_of_type("donut_text");
  root.complain("decoder",
                "a decoder of model_type '" + type +
                    "' behind an image encoder is not "
                    "understood",
                "known is mbart: Donut and its like");
  return family_of_type("donut_text");
}

// Positions are learned and count from behind two padding rows.
void read_donut(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_mbart_decoder(parts);
  constexpr std::int64_t kPadded = 2;
  model.max_context_tokens =
      parts.size_or({"max_position_embeddings"}, "contextTokens", kContextTokens, 1024);
  model.extra.push_back({.name = "decoder.position_embeddings",
                         .rows = model.max_context_tokens + kPadded,
                         .columns = model.hidden_size});
}

void add_donut_swin(ConfigParts& parts) {
  auto reader = parts.root().mapping("encoder");
  if (!reader) return;
  const Fields encoder(*reader);
  const std::string type = encoder.text("model_type").value_or("");
  if (type != "donut-swin") {
    encoder.complain("model_type", "image encoder '" + type + "' is not understood",
                     "known before a decoder of text is donut-swin");
    return;
  }
  const Swin swin = read_swin(encoder);
  if (swin.depths.empty()) return;
  // The first stage has most values at once: its sizes stand for the tower's.
  domain::Tower tower{.hidden_size = swin.width,
                      .heads = swin.heads.front(),
                      .width = std::llround(swin.ratio * static_cast<double>(swin.width))};
  for (const std::int64_t depth : swin.depths) tower.layers += depth;
  const std::int64_t shrunk = std::int64_t{1} << (swin.depths.size() - 1);
  const std::int64_t last = swin.width * shrunk;
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters = swin_values(swin) + (last == out ? 0 : linear_values(last, out));
  const std::vector<std::int64_t> page = read_page(encoder);
  const std::int64_t rows = page[0] / swin.patch;
  const std::int64_t columns = page[1] / swin.patch;
  tower.inner_tokens = rows * columns;
  tower.output_tokens = (rows / shrunk) * (columns / shrunk);
  tower.input_values = kColours * page[0] * page[1];
  for (domain::LayerRun& run : parts.model().layers)
    run.layer.cross_attention->encoder_tokens = tower.output_tokens;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
