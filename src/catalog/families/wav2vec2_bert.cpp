// w2v-BERT 2.0 (arXiv 2312.05187): a conformer over frames of sound. Each layer has two networks,
// attention with learned distances between them, and a convolution over the frames. It has no
// vocabulary. Source: Wav2Vec2BertConfig and modeling_wav2vec2_bert.py of transformers.
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kFrameFeatures = 160;  // two frames of 80 mel bins
constexpr std::int64_t kMostFrames = 5000;    // max_source_positions of the class
constexpr document::IntegerBounds kDistance{.least = 0, .most = 10'000};

void add_dense(std::vector<domain::ExtraTensor>& extra, const std::string& name, std::int64_t rows,
               std::int64_t columns) {
  extra.push_back({.name = name, .rows = rows, .columns = columns, .is_linear = true});
  extra.push_back({.name = name + ".bias", .rows = rows});
}

// Norms before each of the four parts, in the convolution, and at the end.
constexpr int kConformerNorms = 6;

domain::Layer read_conformer_layer(const ConfigParts& parts) {
  const auto& fields = parts.fields();
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  layer.norms = kConformerNorms;
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t width = layer.feed_forward.width;
  add_dense(layer.extra, "ffn2.intermediate_dense", width, hidden);
  add_dense(layer.extra, "ffn2.output_dense", hidden, width);
  if (fields.text("position_embeddings_type").value_or("relative_key") == "relative_key") {
    const std::int64_t distances =
        fields.integer("left_max_position_embeddings", kDistance).value_or(64) +
        fields.integer("right_max_position_embeddings", kDistance).value_or(8) + 1;
    layer.extra.push_back({.name = "self_attn.distance_embedding",
                           .rows = distances,
                           .columns = layer.attention.head_dim});
  } else {
    fields.complain("position_embeddings_type", "only relative_key positions are understood");
  }
  // A gate halves what the first convolution gives.
  layer.extra.push_back({.name = "conv_module.pointwise_conv1",
                         .rows = 2 * hidden,
                         .columns = hidden,
                         .is_linear = true});
  layer.extra.push_back(
      {.name = "conv_module.depthwise_conv",
       .rows = hidden,
       .columns = fields.integer("conv_depthwise_kernel_size", kWidth).value_or(31)});
  layer.extra.push_back({.name = "conv_module.pointwise_conv2",
                         .rows = hidden,
                         .columns = hidden,
                         .is_linear = true});
  return layer;
}

}  // namespace

void read_wav2vec2_bert(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const auto& fields = parts.fields();
  model.hidden_size = parts.size({"hidden_size"}, "hiddenSize", kHiddenSize);
  model.max_context_tokens =
      parts.size_or({"max_source_positions"}, "contextTokens", kContextTokens, kMostFrames);
  model.has_head = false;
  model.has_final_norm = false;
  model.layers.push_back({read_conformer_layer(parts), read_layer_count(parts)});
  if (fields.boolean("add_adapter").value_or(false))
    fields.complain("add_adapter", "an adapter behind the encoder is not understood");
  const std::int64_t features =
      fields.integer("feature_projection_input_dim", kHiddenSize).value_or(kFrameFeatures);
  model.extra.push_back({.name = "feature_projection.layer_norm", .rows = features});
  model.extra.push_back({.name = "feature_projection.layer_norm.bias", .rows = features});
  add_dense(model.extra, "feature_projection.projection", model.hidden_size, features);
  model.extra.push_back({.name = "masked_spec_embed", .rows = model.hidden_size});
}

}  // namespace gpushape::catalog
