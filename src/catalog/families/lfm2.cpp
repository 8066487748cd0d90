// LFM2: gated short convolutions with attention in between. Source: Lfm2Config and Lfm2MoeConfig of
// transformers and their classes.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

// Lfm2MLP: two thirds of the stated width, by a factor, up to a multiple.
std::int64_t adjusted_width(const ConfigParts& parts, std::int64_t width) {
  if (!parts.flag("block_auto_adjust_ff_dim", "", true)) return width;
  std::int64_t adjusted = 2 * width / 3;
  if (const auto factor =
          parts.fields().number("block_ffn_dim_multiplier", {.least = 0.01, .most = 100}))
    adjusted = static_cast<std::int64_t>(*factor * static_cast<double>(adjusted));
  const std::int64_t multiple =
      parts.fields().integer("block_multiple_of", {.least = 1, .most = 1'000'000}).value_or(256);
  return (adjusted + multiple - 1) / multiple * multiple;
}

std::vector<bool> attention_layers(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> attends(static_cast<std::size_t>(count), false);
  if (parts.fields().given("layer_types")) {
    const auto words = layer_words(parts, "layer_types", count);
    for (std::size_t i = 0; i < words.size(); ++i) {
      attends[i] = words[i] == "full_attention";
      if (!attends[i] && words[i] != "conv")
        parts.fields().complain("layer_types",
                                fmt::format("layer type '{}' is not understood", words[i]),
                                "known are conv and full_attention");
    }
    return attends;
  }
  if (!parts.fields().given("full_attn_idxs"))
    parts.fields().complain("layer_types", "config.json has neither layer_types nor full_attn_idxs",
                            "which layers attend cannot be known without one");
  for (const std::int64_t layer :
       parts.integers("full_attn_idxs", {.least = 0, .most = kLayers.most})) {
    if (layer < count) attends[static_cast<std::size_t>(layer)] = true;
  }
  return attends;
}

}  // namespace

void read_lfm2(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_attention(parts);
  const bool is_mixture = parts.fields().given("num_experts");
  domain::FeedForward dense;
  const std::int64_t width =
      parts.size({"block_ff_dim", "intermediate_size"}, "feedForwardWidth", kWidth);
  dense.width = is_mixture ? width : adjusted_width(parts, width);
  domain::FeedForward mixed;
  std::int64_t dense_layers = count;
  if (is_mixture) {
    // Its bias by expert is a buffer, which no total counts.
    mixed.experts = read_experts(parts, {});
    dense_layers = parts.size_or({"num_dense_layers"}, "", {.least = 0, .most = kLayers.most}, 2);
  }
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::ShortConv;
  mixer.inner = parts.size_or({"conv_dim"}, "recurrent", kHiddenSize, parts.model().hidden_size);
  mixer.convolution = parts.size_or({"conv_L_cache"}, "", kKernel, 3);
  mixer.projection_bias = parts.flag("conv_bias", "", false);
  mixer.convolution_bias = mixer.projection_bias;
  mixer.state_bits = state_bits(parts);
  const std::vector<bool> attends = attention_layers(parts, count);
  for (std::size_t i = 0; i < attends.size(); ++i) {
    domain::Layer layer = attends[i] ? full : recurrent_layer(mixer);
    layer.feed_forward = static_cast<std::int64_t>(i) < dense_layers ? dense : mixed;
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, full.attention.head_dim);
}

}  // namespace gpushape::catalog
