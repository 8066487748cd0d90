// Encoders of raw sound: wav2vec 2.0 (arXiv 2006.11477) and its kin. Convolutions make a frame of
// 20 ms, a wide convolution tells positions, and layers attend to all frames. WavLM (arXiv
// 2110.13900) gates learned distances; data2vec's has five narrow convolutions for positions; the
// conformer has two networks and a convolution in every layer. Sources: their modeling_*.py in
// transformers.
#include "catalog/families/sound_encoders.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// Nothing in a config bounds a recording: half a minute, as Whisper takes it.
constexpr std::int64_t kFramesOfHalfMinute = 1500;

// Layers over the samples: the first has a norm over each channel, or all have a norm.
void add_feature_extractor(const ConfigParts& parts, bool norms_all) {
  std::vector<domain::ExtraTensor>& extra = parts.model().extra;
  std::vector<std::int64_t> dims = parts.integers("conv_dim", kWidth);
  std::vector<std::int64_t> kernels = parts.integers("conv_kernel", kWidth);
  if (dims.empty()) dims.assign(7, 512);
  if (kernels.empty()) kernels = {10, 3, 3, 3, 3, 2, 2};
  if (dims.size() != kernels.size()) {
    parts.fields().complain("conv_kernel", "conv_kernel lists other layers than conv_dim");
    return;
  }
  const bool has_bias = parts.flag("conv_bias", "", false);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t inputs = i == 0 ? 1 : dims[i - 1];
    const std::string name = "feature_extractor.conv_layers." + std::to_string(i);
    extra.push_back({.name = name, .rows = dims[i], .columns = inputs * kernels[i]});
    if (has_bias) extra.push_back({.name = name + ".bias", .rows = dims[i]});
    if (norms_all || i == 0) add_biased_norm(extra, name + ".layer_norm", dims[i]);
  }
  if (parts.flag("feat_proj_layer_norm", "", true))
    add_biased_norm(extra, "feature_projection.layer_norm", dims.back());
  add_linear(extra, "feature_projection.projection", parts.model().hidden_size, dims.back());
}

// One convolution in groups, whose weights are a direction and a length for each place.
void add_position_convolution(const ConfigParts& parts) {
  std::vector<domain::ExtraTensor>& extra = parts.model().extra;
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t groups = parts.size_or({"num_conv_pos_embedding_groups"}, "", kHiddenSize, 16);
  const std::int64_t inputs = std::max<std::int64_t>(1, hidden / groups);
  const bool is_data2vec = parts.family().model_type() == "data2vec-audio";
  const std::int64_t many =
      parts.size_or({"num_conv_pos_embeddings"}, "", kWidth, is_data2vec ? 5 : 128);
  const std::string name = "encoder.pos_conv_embed";
  if (is_data2vec) {
    const std::int64_t kernel = parts.size_or({"conv_pos_kernel_size"}, "", kWidth, 19);
    extra.push_back({.name = name, .rows = many * hidden, .columns = inputs * kernel});
    extra.push_back({.name = name + ".bias", .rows = many * hidden});
    return;
  }
  extra.push_back({.name = name, .rows = hidden, .columns = inputs * many});
  extra.push_back({.name = name + ".bias", .rows = hidden});
  if (!parts.flag("conv_pos_batch_norm", "", false))
    extra.push_back({.name = name + ".length", .rows = many});
  else
    add_biased_norm(extra, name + ".batch_norm", 2 * hidden);  // with mean and variance
}

domain::Layer sound_layer(const ConfigParts& parts) {
  domain::Layer layer = read_layer(parts);
  layer.attention.kind = domain::LayerKind::None;
  return layer;
}

// A gate for each head on distances in buckets, whose table the first layer has for all.
void add_gated_distances(const ConfigParts& parts, domain::Layer& layer) {
  constexpr std::int64_t kGateRows = 8;
  const std::int64_t heads = layer.attention.heads;
  layer.extra.push_back({.name = "attention.gru_rel_pos_const", .rows = heads});
  add_linear(layer.extra, "attention.gru_rel_pos_linear", kGateRows, layer.attention.head_dim);
  parts.model().extra.push_back({.name = "encoder.rel_attn_embed",
                                 .rows = parts.size_or({"num_buckets"}, "", kWidth, 320),
                                 .columns = heads});
}

// Norms before each of the four parts but the last, behind all, and in the convolution, whose norm
// over a batch is stored with the mean and the variance that it saw.
void make_conformer(const ConfigParts& parts, domain::Layer& layer) {
  constexpr int kConformerNormsOfLayer = 5;
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t width = layer.feed_forward.width;
  layer.norms = kConformerNormsOfLayer;
  add_linear(layer.extra, "ffn2.intermediate_dense", width, hidden);
  add_linear(layer.extra, "ffn2.output_dense", hidden, width);
  add_conformer_convolution(parts, layer);
  add_biased_norm(layer.extra, "conv_module.batch_norm", 2 * hidden);
  if (parts.fields().text("position_embeddings_type").value_or("relative") != "relative") return;
  layer.extra.push_back(
      {.name = "self_attn.linear_pos", .rows = hidden, .columns = hidden, .is_linear = true});
  for (const char* name : {"self_attn.pos_bias_u", "self_attn.pos_bias_v"})
    layer.extra.push_back({.name = name, .rows = hidden});
}

// Convolutions that halve the frames behind the encoder; the width of what they give.
std::int64_t add_sound_adapter(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (!parts.flag("add_adapter", "", false)) return model.hidden_size;
  const std::int64_t out =
      parts.size_or({"output_hidden_size"}, "", kHiddenSize, model.hidden_size);
  const std::int64_t layers = parts.size_or({"num_adapter_layers"}, "", kLayers, 3);
  const std::int64_t kernel = parts.size_or({"adapter_kernel_size"}, "", kWidth, 3);
  if (out != model.hidden_size) {
    add_linear(model.extra, "adapter.proj", out, model.hidden_size);
    add_biased_norm(model.extra, "adapter.proj_layer_norm", out);
  }
  model.extra.push_back(
      {.name = "adapter.layers", .rows = layers * 2 * out, .columns = out * kernel});
  model.extra.push_back({.name = "adapter.layers.bias", .rows = layers * 2 * out});
  return out;
}

}  // namespace

void read_wav2vec2(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::string_view type = parts.family().model_type();
  model.hidden_size = parts.size({"hidden_size"}, "hiddenSize", kHiddenSize);
  model.max_context_tokens = kFramesOfHalfMinute;
  parts.from("contextTokens", "assumed: frames of 20 ms in half a minute of sound");
  model.has_head = false;
  model.final_norm_bias = true;
  const bool norms_all = type == "data2vec-audio" ||
                         parts.fields().text("feat_extract_norm").value_or("group") == "layer";
  add_feature_extractor(parts, norms_all);
  add_position_convolution(parts);
  domain::Layer layer = sound_layer(parts);
  if (type == "wavlm") add_gated_distances(parts, layer);
  if (type == "wav2vec2-conformer") make_conformer(parts, layer);
  model.layers.push_back({layer, read_layer_count(parts)});
  add_masked_frame(parts);
  add_sound_head(parts, add_sound_adapter(parts));
}

}  // namespace gpushape::catalog
