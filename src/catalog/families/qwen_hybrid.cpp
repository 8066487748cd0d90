// Qwen3-Next, Qwen3.5, 3.6 and later: gated delta layers, and full attention with an output gate in
// every fourth; OLMo Hybrid, whose attention has no gate. Sources: Qwen3NextConfig, Qwen3_5Config
// and OlmoHybridConfig of transformers and their classes.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {

// OLMo Hybrid's keys are three quarters as wide as the network, and its values twice its keys.
domain::Recurrent read_gated_delta(const ConfigParts& parts, std::int64_t heads) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::GatedDelta;
  mixer.key_heads = parts.size_or({"linear_num_key_heads"}, "recurrent", kHeads, heads);
  const std::int64_t key_dim =
      heads > 0 ? std::max<std::int64_t>(1, parts.model().hidden_size * 3 / 4 / mixer.key_heads)
                : 0;
  mixer.key_dim = parts.size_or({"linear_key_head_dim"}, "", kHeadDim, key_dim);
  mixer.value_heads = parts.size_or({"linear_num_value_heads"}, "", kHeads, heads);
  mixer.value_dim =
      parts.size_or({"linear_value_head_dim"}, "", kHeadDim, heads > 0 ? 2 * mixer.key_dim : 0);
  mixer.convolution = parts.size_or({"linear_conv_kernel_dim"}, "", kKernel, 4);
  mixer.has_norm = true;
  mixer.state_bits = state_bits(parts);
  return mixer;
}

std::vector<bool> linear_layers(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> linear(static_cast<std::size_t>(count), false);
  const std::vector<std::string> types = layer_words(parts, "layer_types", count);
  const std::int64_t interval =
      parts.fields()
          .integer("full_attention_interval", {.least = 1, .most = kLayers.most})
          .value_or(4);
  for (std::size_t i = 0; i < linear.size(); ++i) {
    linear[i] = (static_cast<std::int64_t>(i) + 1) % interval != 0;
    if (i >= types.size()) continue;
    linear[i] = types[i] == "linear_attention";
    // What Qwen4-Exp's sparse attention is called, with embeddings of n-grams and without.
    const bool is_sparse = types[i] == "deepseek_sparse_attention" ||
                           types[i] == "hybrid_indexed" || types[i] == "qwen_sparse_attention";
    if (!linear[i] && !is_sparse && types[i] != "full_attention")
      parts.fields().complain("layer_types",
                              fmt::format("layer type '{}' is not understood", types[i]),
                              "known are linear_attention and full_attention");
  }
  return linear;
}

void read_qwen_hybrid(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_attention(parts);
  if (parts.flag("attn_output_gate", "outputGate", true))
    full.attention.output_gate = domain::OutputGate::Value;
  const bool is_mixture =
      parts.fields().integer("num_experts", {.least = 0, .most = kExperts.most}).value_or(0) > 0;
  domain::FeedForward dense;
  domain::FeedForward mixed;
  std::vector<bool> mixtures(static_cast<std::size_t>(count), false);
  if (is_mixture) {
    mixed.experts = read_experts(parts, {.has_shared_width = true, .shared_gate = true});
    mixtures = mixture_layers(parts, count);
  } else {
    dense = read_feed_forward(parts);
  }
  const domain::Recurrent delta = read_gated_delta(parts);
  const std::vector<bool> linear = linear_layers(parts, count);
  for (std::size_t i = 0; i < linear.size(); ++i) {
    domain::Layer layer = full;
    if (linear[i]) {
      layer.attention = {};
      layer.attention.kind = domain::LayerKind::Recurrent;
      layer.recurrent = delta;
    }
    if (is_mixture && !mixtures[i] && dense.width == 0) dense = read_feed_forward(parts);
    layer.feed_forward = mixtures[i] ? mixed : dense;
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, full.attention.head_dim);
  full.feed_forward = is_mixture ? mixed : dense;
  // Qwen3-Next says nothing of its further layer; its Instruct and Thinking checkpoints hold one.
  const std::int64_t otherwise = parts.family().model_type() == "qwen3_next" ? 1 : 0;
  const std::string_view field =
      parts.fields().first_given({"mtp_num_hidden_layers", "num_nextn_predict_layers"});
  const std::int64_t further =
      field.empty() ? otherwise
                    : parts.fields().integer(field, {.least = 0, .most = 100}).value_or(0);
  add_multi_token(parts, full, further);
}

void read_olmo_hybrid(ConfigParts& parts) {
  read_outer(parts);
  // Published without rope: "rope_parameters": null.
  if (parts.fields().first_given({"rope_parameters", "rope_theta", "rope_scaling"}).empty())
    parts.model().rope = {};
  const std::int64_t count = read_layer_count(parts);
  const domain::Layer full = read_layer(parts);
  domain::Layer linear = recurrent_layer(read_gated_delta(parts, full.attention.heads));
  linear.feed_forward = full.feed_forward;
  for (const bool is_linear : linear_layers(parts, count))
    add_layer(parts, is_linear ? linear : full);
  read_rotary_dim(parts, full.attention.head_dim);
}

}  // namespace gpushape::catalog
