// w2v-BERT 2.0 (arXiv 2312.05187): a conformer over frames of sound. Each layer has two networks,
// attention with learned distances between them, and a convolution over the frames. It has no
// vocabulary. Source: Wav2Vec2BertConfig and modeling_wav2vec2_bert.py of transformers.
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/sound_encoders.hpp"

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
  add_conformer_convolution(parts, layer);
  return layer;
}

// Layers behind the encoder that see fewer frames each: two gated convolutions, before attention
// and beside it, and a network. The width of what they give.
std::int64_t add_bert_adapter(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (!parts.flag("add_adapter", "", false)) return model.hidden_size;
  if (parts.flag("use_intermediate_ffn_before_adapter", "", false))
    parts.fields().complain("use_intermediate_ffn_before_adapter",
                            "a network before the adapter is not understood");
  const std::int64_t out =
      parts.size_or({"output_hidden_size"}, "", kHiddenSize, model.hidden_size);
  if (out != model.hidden_size) add_dense(model.extra, "adapter.proj", out, model.hidden_size);
  const std::int64_t layers = parts.size_or({"num_adapter_layers"}, "", kLayers, 1);
  const std::int64_t kernel = parts.size_or({"adapter_kernel_size"}, "", kWidth, 3);
  const std::int64_t width = model.layers.front().layer.feed_forward.width;
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string prefix = "adapter.layers." + std::to_string(i) + ".";
    for (const char* name : {"residual", "self_attn"}) {
      add_biased_norm(model.extra, prefix + name + "_layer_norm", out);
      add_dense(model.extra, prefix + name + "_conv", 2 * out, out * kernel);
    }
    for (const char* name : {"linear_q", "linear_k", "linear_v", "linear_out"})
      add_dense(model.extra, prefix + "self_attn." + name, out, out);
    add_biased_norm(model.extra, prefix + "ffn_layer_norm", out);
    add_dense(model.extra, prefix + "ffn.intermediate_dense", width, out);
    add_dense(model.extra, prefix + "ffn.output_dense", out, width);
  }
  return out;
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
  const std::int64_t features =
      fields.integer("feature_projection_input_dim", kHiddenSize).value_or(kFrameFeatures);
  model.extra.push_back({.name = "feature_projection.layer_norm", .rows = features});
  model.extra.push_back({.name = "feature_projection.layer_norm.bias", .rows = features});
  add_dense(model.extra, "feature_projection.projection", model.hidden_size, features);
  add_masked_frame(parts);
  add_sound_head(parts, add_bert_adapter(parts));
}

}  // namespace gpushape::catalog
