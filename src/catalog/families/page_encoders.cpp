// Encoders of words with their places on a page: LayoutLM (arXiv 1912.13318), its third
// (arXiv 2204.08387), which sees the page's picture as well, and LiLT (arXiv 2202.13669), whose
// places pass layers of their own beside those of the words. Sources: their classes in
// transformers.
#include <algorithm>
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Tables of coordinates, heights and widths.
void add_places(const ConfigParts& parts, std::int64_t coordinate, std::int64_t length) {
  const std::int64_t rows = parts.size_or({"max_2d_position_embeddings"}, "", kContextTokens, 1024);
  std::vector<domain::ExtraTensor>& extra = parts.model().extra;
  for (const char* name : {"x_position_embeddings", "y_position_embeddings"})
    extra.push_back(
        {.name = std::string("embeddings.") + name, .rows = rows, .columns = coordinate});
  for (const char* name : {"h_position_embeddings", "w_position_embeddings"})
    extra.push_back({.name = std::string("embeddings.") + name, .rows = rows, .columns = length});
}

}  // namespace

void read_layoutlm(ConfigParts& parts) {
  read_encoder(parts, {});
  domain::Model& model = parts.model();
  add_places(parts, model.hidden_size, model.hidden_size);
  add_bert_head(parts, true);
  model.has_head = false;
}

namespace {

// Patches of the page, their places, and the norms around them.
void add_page_patches(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t patch = parts.size_or({"patch_size"}, "", kPatchEdge, 16);
  const std::int64_t image = parts.size_or({"input_size"}, "", kImageEdge, 224);
  const std::int64_t side = std::max<std::int64_t>(1, image / patch);
  add_linear(model.extra, "patch_embed.proj", hidden, kColours * patch * patch);
  model.extra.push_back({.name = "cls_token", .rows = hidden});
  model.extra.push_back({.name = "pos_embed", .rows = side * side + 1, .columns = hidden});
  add_biased_norm(model.extra, "visual.layer_norm", hidden);
  add_biased_norm(model.extra, "visual.norm", hidden);
}

// Fewer than ten labels of words have one matrix, all others two.
void add_layoutlmv3_head(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  constexpr std::int64_t kManyLabels = 10;
  const std::int64_t labels = label_count(parts.root());
  const bool is_of_words = is_class(parts, "ForTokenClassification");
  if (is_of_words && labels < kManyLabels) {
    add_linear(model.extra, "classifier", labels, hidden);
  } else if (is_of_words || is_class(parts, "ForSequenceClassification") ||
             is_class(parts, "ForQuestionAnswering")) {
    add_linear(model.extra, "classifier.dense", hidden, hidden);
    add_linear(model.extra, "classifier.out_proj", labels, hidden);
  }
}

}  // namespace

void read_layoutlmv3(ConfigParts& parts) {
  constexpr std::int64_t kRobertaPadding = 2;
  read_encoder(parts, {.padding_rows = kRobertaPadding});
  domain::Model& model = parts.model();
  const std::int64_t coordinate = parts.size_or({"coordinate_size"}, "", kHiddenSize, 128);
  add_places(parts, coordinate, parts.size_or({"shape_size"}, "", kHiddenSize, 128));
  if (parts.flag("visual_embed", "", true)) add_page_patches(parts);
  const std::int64_t heads = model.layers.front().layer.attention.heads;
  if (parts.flag("has_relative_attention_bias", "", true))
    model.extra.push_back({.name = "encoder.rel_pos_bias",
                           .rows = heads,
                           .columns = parts.size_or({"rel_pos_bins"}, "", kWidth, 32)});
  if (parts.flag("has_spatial_attention_bias", "", true)) {
    const std::int64_t bins = parts.size_or({"rel_2d_pos_bins"}, "", kWidth, 64);
    for (const char* name : {"encoder.rel_pos_x_bias", "encoder.rel_pos_y_bias"})
      model.extra.push_back({.name = name, .rows = heads, .columns = bins});
  }
  add_layoutlmv3_head(parts);
  model.has_head = false;
}

void read_lilt(ConfigParts& parts) {
  constexpr std::int64_t kRobertaPadding = 2;
  constexpr std::int64_t kPlaces = 6;  // four coordinates, a height and a width
  read_encoder(parts, {.padding_rows = kRobertaPadding});
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t factor = parts.size_or({"channel_shrink_ratio"}, "", kHiddenSize, 4);
  const std::int64_t narrow = std::max<std::int64_t>(1, hidden / factor);
  add_places(parts, std::max<std::int64_t>(1, hidden / kPlaces),
             std::max<std::int64_t>(1, hidden / kPlaces));
  model.extra.push_back({.name = "layout_embeddings.box_position_embeddings",
                         .rows = model.max_context_tokens + kRobertaPadding,
                         .columns = narrow});
  add_linear(model.extra, "layout_embeddings.box_linear_embeddings", narrow, hidden);
  add_biased_norm(model.extra, "layout_embeddings.norm", narrow);
  for (domain::LayerRun& run : model.layers) {
    std::vector<domain::ExtraTensor>& extra = run.layer.extra;
    const std::int64_t width = std::max<std::int64_t>(1, run.layer.feed_forward.width / factor);
    for (const char* name : {"layout_query", "layout_key", "layout_value", "layout_output"})
      add_linear(extra, std::string("attention.") + name, narrow, narrow);
    add_biased_norm(extra, "attention.layout_output.norm", narrow);
    add_linear(extra, "layout_intermediate", width, narrow);
    add_linear(extra, "layout_output", narrow, width);
    add_biased_norm(extra, "layout_output.norm", narrow);
  }
  add_roberta_head(parts);
  model.has_head = false;
}

}  // namespace gpushape::catalog
