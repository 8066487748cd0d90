// Heads of encoders of sound. Source: modeling_wav2vec2.py of transformers, from which the others
// copy theirs.
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/sound_encoders.hpp"

namespace gpushape::catalog {
namespace {

std::vector<std::int64_t> numbers_or(const ConfigParts& parts, const char* field,
                                     std::vector<std::int64_t> otherwise) {
  std::vector<std::int64_t> numbers = parts.integers(field, kWidth);
  return numbers.empty() ? otherwise : numbers;
}

// Matrices over neighbouring frames, mean and deviation over all of them, and two matrices more.
void add_voice_head(const ConfigParts& parts, std::int64_t width) {
  std::vector<domain::ExtraTensor>& extra = parts.model().extra;
  const std::vector<std::int64_t> dims = numbers_or(parts, "tdnn_dim", {512, 512, 512, 512, 1500});
  const std::vector<std::int64_t> kernels = numbers_or(parts, "tdnn_kernel", {5, 3, 3, 1, 1});
  const std::int64_t out = parts.size_or({"xvector_output_dim"}, "", kHiddenSize, 512);
  if (kernels.size() != dims.size()) {
    parts.fields().complain("tdnn_kernel", "tdnn_kernel lists other layers than tdnn_dim");
    return;
  }
  add_linear(extra, "projector", dims.front(), width);
  for (std::size_t i = 0; i < dims.size(); ++i)
    add_linear(extra, "tdnn", dims[i], dims[i == 0 ? 0 : i - 1] * kernels[i]);
  add_linear(extra, "feature_extractor", out, 2 * dims.back());
  add_linear(extra, "classifier", out, out);
  extra.push_back({.name = "objective", .rows = out, .columns = label_count(parts.root())});
}

}  // namespace

void add_sound_head(const ConfigParts& parts, std::int64_t width) {
  domain::Model& model = parts.model();
  const bool is_of_frames = is_class(parts, "ForAudioFrameClassification");
  if (is_class(parts, "ForCTC"))
    add_linear(model.extra, "lm_head", parts.size_or({"vocab_size"}, "", kVocabulary, 32), width);
  if (is_class(parts, "ForSequenceClassification")) {
    const std::int64_t narrow = parts.size_or({"classifier_proj_size"}, "", kHiddenSize, 256);
    add_linear(model.extra, "projector", narrow, width);
    add_linear(model.extra, "classifier", label_count(parts.root()), narrow);
  }
  if (is_of_frames) add_linear(model.extra, "classifier", label_count(parts.root()), width);
  if (is_class(parts, "ForXVector")) add_voice_head(parts, width);
  if (is_class(parts, "ForPreTraining"))
    model.notes.emplace_back("what its training alone needs is not counted: quantizers of sound");
  const bool reads_layers =
      is_of_frames || is_class(parts, "ForXVector") || is_class(parts, "ForSequenceClassification");
  if (!reads_layers || !parts.flag("use_weighted_layer_sum", "", false)) return;
  std::int64_t layers = 1;
  for (const domain::LayerRun& run : model.layers) layers += run.count;
  model.extra.push_back({.name = "layer_weights", .rows = layers});
}

void add_masked_frame(const ConfigParts& parts) {
  constexpr document::NumberBounds kShare{.least = 0, .most = 1};
  constexpr double kShareOfClass = 0.05;  // mask_time_prob of the classes
  const double times = parts.fields().number("mask_time_prob", kShare).value_or(kShareOfClass);
  const double features = parts.fields().number("mask_feature_prob", kShare).value_or(0);
  if (times <= 0 && features <= 0) return;
  parts.model().extra.push_back({.name = "masked_spec_embed", .rows = parts.model().hidden_size});
}

void add_conformer_convolution(const ConfigParts& parts, domain::Layer& layer) {
  const std::int64_t hidden = parts.model().hidden_size;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, bool is_linear) {
    layer.extra.push_back({.name = name, .rows = rows, .columns = columns, .is_linear = is_linear});
  };
  const std::int64_t kernel =
      parts.fields().integer("conv_depthwise_kernel_size", kWidth).value_or(31);
  add("conv_module.pointwise_conv1", 2 * hidden, hidden, true);
  add("conv_module.depthwise_conv", hidden, kernel, false);
  add("conv_module.pointwise_conv2", hidden, hidden, true);
}

}  // namespace gpushape::catalog
