// Speech2Text (arXiv 2010.05171): convolutions that halve time, an encoder of sound as a tower, and
// a decoder whose layers attend to it, too. Source: Speech2TextConfig and
// modeling_speech_to_text.py of transformers.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/mbart_decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kOffset = 2;  // rows of a table of positions before the first
// Of a convolution over time, which halves it; published ones have two of 5.
constexpr document::IntegerBounds kSubsamplerKernel{.least = 1, .most = 1'000};
constexpr document::IntegerBounds kInputChannels{.least = 1, .most = 1'000};
constexpr std::size_t kMostHalvings = 16;

// Convolutions over time, each with a gate that halves what it gives.
std::int64_t subsampler_values(const Fields& fields, std::int64_t features, std::int64_t hidden,
                               const std::vector<std::int64_t>& kernels) {
  const std::int64_t channels = fields.integer("conv_channels", kHiddenSize).value_or(1024);
  std::int64_t values = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::int64_t in = i == 0 ? features : channels / 2;
    const std::int64_t out = i + 1 < kernels.size() ? channels : 2 * hidden;
    values += linear_values(kernels[i] * in, out);
  }
  return values;
}

domain::Tower read_sound_encoder(const ConfigParts& parts) {
  const Fields& fields = parts.fields();
  const std::int64_t hidden = parts.model().hidden_size;
  domain::Tower tower;
  tower.kind = domain::TowerKind::Encoder;
  tower.hidden_size = hidden;
  tower.layers = parts.size({"encoder_layers"}, "towers", kLayers);
  tower.heads = parts.size({"encoder_attention_heads"}, "", kHeads);
  tower.width = parts.size({"encoder_ffn_dim"}, "", kWidth);
  std::vector<std::int64_t> kernels = parts.integers("conv_kernel_sizes", kSubsamplerKernel);
  if (kernels.size() > kMostHalvings) {
    fields.complain("conv_kernel_sizes",
                    fmt::format("{} convolutions halve time to nothing", kernels.size()));
    kernels.clear();
  }
  if (kernels.empty()) kernels = {5, 5};
  const std::int64_t features = fields.integer("input_feat_per_channel", kHiddenSize).value_or(80) *
                                fields.integer("input_channels", kInputChannels).value_or(1);
  tower.parameters =
      subsampler_values(fields, features, hidden, kernels) +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      2 * hidden;
  const std::int64_t frames = fields.integer("max_source_positions", kContextTokens).value_or(6000);
  tower.inner_tokens = std::max<std::int64_t>(1, frames >> kernels.size());
  tower.output_tokens = tower.inner_tokens;
  tower.input_values = features * frames;
  tower.table_values = (frames + kOffset + parts.model().max_context_tokens + kOffset) * hidden;
  return tower;
}

}  // namespace

void read_speech_to_text(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_sizes(parts);
  model.max_context_tokens =
      parts.size_or({"max_target_positions"}, "contextTokens", kContextTokens, 1024);
  const domain::Tower tower = read_sound_encoder(parts);
  const std::int64_t heads = parts.size({"decoder_attention_heads"}, "attentionHeads", kHeads);
  const std::int64_t width = parts.size({"decoder_ffn_dim"}, "feedForwardWidth", kWidth);
  domain::Layer layer = bart_layer(model.hidden_size, heads, width);
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  model.layers.push_back({layer, parts.size({"decoder_layers"}, "layers", kLayers)});
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  model.towers.push_back(tower);
}

}  // namespace gpushape::catalog
