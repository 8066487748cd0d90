// Kimi Linear (arXiv 2510.26692) and Kimi K3: delta attention with a gate per channel, and latent
// attention without positions in every fourth layer. Source: the publisher's modeling_kimi.py.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/latent.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

struct Linear {
  domain::Recurrent mixer;
  std::vector<bool> layers;
};

Linear read_linear(const ConfigParts& parts, std::int64_t count) {
  Linear linear;
  linear.layers.assign(static_cast<std::size_t>(count), false);
  auto reader = parts.fields().mapping("linear_attn_config");
  if (!reader) {
    if (!parts.fields().given("linear_attn_config"))
      parts.fields().complain("linear_attn_config", "config.json has no field 'linear_attn_config'",
                              "which layers attend cannot be known without it");
    return linear;
  }
  const Fields fields(*reader);
  domain::Recurrent& mixer = linear.mixer;
  mixer.kind = domain::RecurrentKind::Kda;
  mixer.key_heads = fields.required_integer("num_heads", kHeads);
  mixer.key_dim = fields.required_integer("head_dim", kHeadDim);
  mixer.value_heads = mixer.key_heads;
  mixer.value_dim = mixer.key_dim;
  mixer.rank = mixer.key_dim;
  mixer.convolution = fields.integer("short_conv_kernel_size", kKernel).value_or(4);
  mixer.has_norm = true;
  mixer.full_rank_gate = fields.boolean("use_full_rank_gate").value_or(false);
  parts.from_config("recurrent");
  // Layers count from 1 here.
  for (const std::int64_t layer :
       reader->integers("kda_layers", {.least = 1, .most = kLayers.most})) {
    if (layer <= count) linear.layers[static_cast<std::size_t>(layer - 1)] = true;
  }
  return linear;
}

// Attention over the outputs of earlier blocks of layers, in place of the residual sum: a query
// vector and a norm before each half of a layer.
void add_block_residuals(const ConfigParts& parts, domain::Layer& layer) {
  const std::int64_t hidden_size = parts.model().hidden_size;
  for (const char* name :
       {"self_attention_res_proj", "self_attention_res_norm", "mlp_res_proj", "mlp_res_norm"})
    layer.extra.push_back({.name = name, .rows = hidden_size});
}

}  // namespace

void read_kimi_linear(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_latent_attention(parts);
  if (parts.flag("mla_use_output_gate", "", false))
    full.attention.output_gate = domain::OutputGate::Value;
  const Linear linear = read_linear(parts, count);
  domain::Layer delta = recurrent_layer(linear.mixer);
  if (parts.fields().given("attn_res_block_size")) {
    add_block_residuals(parts, full);
    add_block_residuals(parts, delta);
    parts.model().extra.push_back(
        {.name = "output_attn_res_proj", .rows = parts.model().hidden_size});
    parts.model().extra.push_back(
        {.name = "output_attn_res_norm", .rows = parts.model().hidden_size});
  }
  domain::FeedForward mixed;
  mixed.experts = read_experts(parts, {.counts_shared = true, .correction_bias = true});
  mixed.experts->latent_width =
      parts.size_if({"routed_expert_hidden_size"}, "expertLatent", kHiddenSize).value_or(0);
  const bool normalizes = parts.flag("latent_moe_use_norm", "", false);
  const domain::FeedForward dense = read_feed_forward(parts);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  for (std::size_t i = 0; i < mixtures.size(); ++i) {
    domain::Layer layer = linear.layers[i] ? delta : full;
    layer.feed_forward = mixtures[i] ? mixed : dense;
    if (mixtures[i] && normalizes && mixed.experts->latent_width > 0)
      layer.extra.push_back(
          {.name = "mlp.routed_expert_norm", .rows = mixed.experts->latent_width});
    add_layer(parts, layer);
  }
  parts.model().rope.rotary_dim = full.attention.latent->rope_dim;
  if (parts.flag("mla_use_nope", "", false)) parts.model().rope = {};
}

}  // namespace gpushape::catalog
