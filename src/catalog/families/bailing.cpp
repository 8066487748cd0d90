// Ring-linear 2.0, Ling 2.5 and 2.6 (lightning attention, arXiv 2501.08313) and Ling 3.0 (Kimi
// delta attention, arXiv 2510.26692): linear attention, but for the last layer of each group, which
// sees everything: with heads in Ring-linear, with a latent later. Sources: vLLM
// model_executor/models/bailing_moe_linear.py and layers/mamba/linear/bailing_linear_attn.py,
// SGLang srt/models/bailing_moe_linear.py, the publisher's modeling_bailing_moe_v3.py.
#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/latent.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

domain::Attention read_full_attention(const ConfigParts& parts) {
  if (!parts.fields().given("kv_lora_rank")) return read_attention(parts);
  domain::Attention attention = read_latent_attention(parts);
  const std::string gate =
      parts.fields().text("gated_attention_proj_granularity_type").value_or("");
  if (gate == "head_wise") {
    attention.output_gate = domain::OutputGate::Head;
  } else if (gate == "element_wise") {
    attention.output_gate = domain::OutputGate::Value;
  } else if (!gate.empty()) {
    parts.fields().complain("gated_attention_proj_granularity_type",
                            "a gate of granularity '" + gate + "' is not understood",
                            "known are head_wise and element_wise");
  }
  return attention;
}

std::int64_t linear_head_dim(const ConfigParts& parts, std::int64_t heads) {
  return parts.size_or({"head_dim"}, "", kHeadDim,
                       std::max<std::int64_t>(1, parts.model().hidden_size / heads));
}

domain::Recurrent equal_heads(domain::RecurrentKind kind, const ConfigParts& parts,
                              std::int64_t heads) {
  domain::Recurrent mixer;
  mixer.kind = kind;
  mixer.key_heads = heads;
  mixer.key_dim = linear_head_dim(parts, heads);
  mixer.value_heads = heads;
  mixer.value_dim = mixer.key_dim;
  mixer.has_norm = true;
  return mixer;
}

domain::Layer lightning_layer(const ConfigParts& parts, std::int64_t heads) {
  domain::Recurrent mixer = equal_heads(domain::RecurrentKind::Lightning, parts, heads);
  mixer.state_bits = state_bits(parts);
  domain::Layer layer = recurrent_layer(mixer);
  if (parts.flag("use_qk_norm", "queryKeyNorm", false)) {
    layer.extra.push_back({.name = "self_attn.query_layernorm", .rows = mixer.key_dim});
    layer.extra.push_back({.name = "self_attn.key_layernorm", .rows = mixer.key_dim});
  }
  const bool has_bias = parts.flag("use_bias", "", false);
  if (has_bias || parts.flag("use_qkv_bias", "", false))
    layer.extra.push_back({.name = "self_attn.query_key_value.bias",
                           .rows = 3 * heads * mixer.key_dim,
                           .is_dealt_out = true});
  if (has_bias)
    layer.extra.push_back({.name = "self_attn.dense.bias", .rows = parts.model().hidden_size});
  return layer;
}

// Ling 3.0 gives every gate a whole matrix; Kimi's own have a narrow one between two.
domain::Layer delta_layer(const ConfigParts& parts, std::int64_t heads) {
  domain::Recurrent mixer = equal_heads(domain::RecurrentKind::Kda, parts, heads);
  mixer.rank = parts.flag("no_kda_lora", "", false) ? 0 : mixer.key_dim;
  mixer.convolution = parts.size_or({"short_conv_kernel_size"}, "", kKernel, 4);
  static_cast<void>(parts.fields().given("use_qk_norm"));  // its latents have norms of their own
  return recurrent_layer(mixer);
}

domain::Experts read_bailing_experts(const ConfigParts& parts) {
  domain::Experts experts = read_experts(
      parts, {.correction_bias = parts.flag("moe_router_enable_expert_bias", "", false)});
  const std::int64_t shared =
      parts.fields().integer("num_shared_experts", {.least = 0, .most = 1'000}).value_or(0);
  experts.shared_width = shared * parts.size_or({"moe_shared_expert_intermediate_size"},
                                                "sharedExpertWidth", kWidth, experts.width);
  return experts;
}

}  // namespace

void read_bailing_hybrid(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_full_attention(parts);
  const std::int64_t heads = full.attention.heads;
  const bool is_delta = parts.fields().given("short_conv_kernel_size");
  const domain::Layer linear = is_delta ? delta_layer(parts, heads) : lightning_layer(parts, heads);
  parts.from_config("recurrent");
  domain::FeedForward mixed;
  mixed.experts = read_bailing_experts(parts);
  const domain::FeedForward dense = read_feed_forward(parts);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  const std::int64_t group = parts.size_or({"layer_group_size"}, "", kLayers, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    // Layers behind the last whole group see everything, too.
    const bool is_full = (i + 1) % group == 0 || i >= count / group * group;
    domain::Layer layer = is_full ? full : linear;
    layer.feed_forward = mixtures[static_cast<std::size_t>(i)] ? mixed : dense;
    add_layer(parts, layer);
  }
  if (full.attention.latent) {
    parts.model().rope.rotary_dim = full.attention.latent->rope_dim;
  } else {
    read_rotary_dim(parts, full.attention.head_dim);
  }
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  full.feed_forward = mixed;
  add_multi_token(parts, full, further);
}

// Param2 says the width of its shared experts together.
void read_param2_moe(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true,
                       .correction_bias = parts.flag("moe_router_enable_expert_bias", "", true)});
  const auto shared = parts.size_if({"moe_shared_expert_intermediate_size"}, "sharedExpertWidth",
                                    {.least = 0, .most = kWidth.most});
  for (domain::LayerRun& run : parts.model().layers) {
    if (shared && run.layer.feed_forward.experts)
      run.layer.feed_forward.experts->shared_width = *shared;
  }
}

}  // namespace gpushape::catalog
