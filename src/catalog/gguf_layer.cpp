#include "catalog/gguf_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpushape::catalog {
namespace {

using domain::HeadNorm;
using domain::LayerKind;
using domain::RecurrentKind;

HeadNorm head_norm_of(std::int64_t values, std::int64_t head_dim) {
  return values == head_dim ? HeadNorm::Shared : HeadNorm::Each;
}

}  // namespace

const GgufLayer::Sizes* GgufLayer::take(std::string_view name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return nullptr;
  found->second.is_used = true;
  return &found->second.sizes;
}

std::string GgufLayer::latent(const GgufSizes& sizes, domain::Layer& layer) {
  domain::Attention& attention = layer.attention;
  const Sizes* kv = take("attn_kv_a_mqa.weight");
  const Sizes* output = take("attn_output.weight");
  const Sizes* query = take(has("attn_q_b.weight") ? "attn_q_b.weight" : "attn_q.weight");
  take("attn_q_a.weight");
  take("attn_q_a_norm.weight");
  take("attn_kv_a_norm.weight");
  if (query == nullptr || output == nullptr || sizes.kv_rank <= 0 || sizes.heads <= 0)
    return "latent attention lacks attn_q, attn_output or its kv_lora_rank";
  const std::int64_t rope = (*kv)[1] - sizes.kv_rank;
  attention.kind = LayerKind::Latent;
  attention.heads = sizes.heads;
  attention.kv_heads = sizes.heads;
  attention.head_dim = (*query)[1] / sizes.heads;
  attention.value_head_dim = (*output)[0] / sizes.heads;
  attention.latent = domain::Latent{
      .query_rank = has("attn_q_a.weight") ? sizes.query_rank : 0,
      .kv_rank = sizes.kv_rank,
      .rope_dim = rope,
  };
  // Older files hold both halves of kv_b in one tensor, newer ones each.
  if (take("attn_kv_b.weight") == nullptr &&
      (take("attn_k_b.weight") == nullptr || take("attn_v_b.weight") == nullptr))
    return "latent attention lacks attn_kv_b";
  if (rope <= 0 || attention.head_dim <= 0 || attention.value_head_dim <= 0)
    return "the shapes of latent attention contradict its ranks";
  if (sizes.index_heads > 0 && has("indexer.attn_k.weight")) {
    attention.indexer = domain::Indexer{.heads = sizes.index_heads,
                                        .head_dim = sizes.index_head_dim,
                                        .top_tokens = sizes.index_tokens};
    for (const std::string_view name :
         {"indexer.attn_q_b.weight", "indexer.attn_k.weight", "indexer.proj.weight",
          "indexer.k_norm.weight", "indexer.k_norm.bias"})
      take(name);
  }
  return {};
}

std::string GgufLayer::attention(const GgufSizes& sizes, domain::Layer& layer) {
  if (has("attn_kv_a_mqa.weight")) return latent(sizes, layer);
  domain::Attention& attention = layer.attention;
  const Sizes* output = take("attn_output.weight");
  const Sizes* fused = output == nullptr ? nullptr : take("attn_qkv.weight");
  const Sizes* query = take("attn_q.weight");
  if (output == nullptr && query == nullptr) {
    attention.kind = LayerKind::None;
    return {};
  }
  if (output == nullptr || (query == nullptr && fused == nullptr) || sizes.heads <= 0 ||
      sizes.kv_heads <= 0)
    return "attention lacks attn_q, attn_output or its heads";
  attention.heads = sizes.heads;
  attention.kv_heads = sizes.kv_heads;
  attention.value_head_dim = (*output)[0] / sizes.heads;
  attention.head_dim = sizes.key_length > 0 ? sizes.key_length : attention.value_head_dim;
  const Sizes* key = take("attn_k.weight");
  const Sizes* value = take("attn_v.weight");
  if (key != nullptr) attention.head_dim = (*key)[1] / sizes.kv_heads;
  attention.shares_cache = sizes.shares_cache;
  attention.value_is_key = query != nullptr && key != nullptr && value == nullptr;
  if (query != nullptr && (*query)[1] == 2 * sizes.heads * attention.head_dim)
    attention.output_gate = domain::OutputGate::Value;
  else if (query != nullptr && (*query)[1] != sizes.heads * attention.head_dim)
    return "attn_q is not as wide as its heads";
  if (fused != nullptr &&
      (*fused)[1] != sizes.heads * attention.head_dim +
                         sizes.kv_heads * (attention.head_dim + attention.value_head_dim))
    return "attn_qkv is not as wide as its heads";
  attention.kind = sizes.window_tokens == 0 ? LayerKind::Full
                   : sizes.is_chunked       ? LayerKind::Chunked
                                            : LayerKind::Sliding;
  attention.window_tokens = sizes.window_tokens;
  attention.qkv_bias = has("attn_q.bias") || has("attn_qkv.bias");
  for (const std::string_view name : {"attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_qkv.bias"})
    take(name);
  attention.output_bias = take("attn_output.bias") != nullptr;
  attention.has_sinks = take("attn_sinks.weight") != nullptr || take("attn_sinks") != nullptr;
  if (const Sizes* norm = take("attn_q_norm.weight"))
    attention.head_norm = head_norm_of((*norm)[0] * (*norm)[1], attention.head_dim);
  take("attn_k_norm.weight");
  return {};
}

std::string GgufLayer::recurrent(const GgufSizes& sizes, domain::Layer& layer) {
  domain::Recurrent mixer;
  if (const Sizes* in = take("shortconv.in_proj.weight")) {
    const Sizes* kernel = take("shortconv.conv.weight");
    take("shortconv.out_proj.weight");
    mixer.kind = RecurrentKind::ShortConv;
    mixer.inner = (*in)[1] / 3;
    mixer.convolution = kernel == nullptr ? 0 : (*kernel)[0];
    layer.recurrent = mixer;
    return {};
  }
  const Sizes* out = take("ssm_out.weight");
  if (out == nullptr) return {};
  const Sizes* kernel = take("ssm_conv1d.weight");
  if (kernel == nullptr) return "a state space layer lacks ssm_conv1d";
  mixer.convolution = (*kernel)[0];
  mixer.convolution_bias = take("ssm_conv1d.bias") != nullptr;
  mixer.has_norm = take("ssm_norm.weight") != nullptr;
  for (const std::string_view name : {"ssm_a", "ssm_d", "ssm_dt.bias", "ssm_dt"}) take(name);
  const std::int64_t inner = (*out)[0];
  if (has("ssm_beta_alpha.weight") || has("ssm_ba.weight") || has("ssm_beta.weight")) {
    for (const std::string_view name :
         {"ssm_beta_alpha.weight", "ssm_ba.weight", "ssm_beta.weight", "ssm_alpha.weight",
          "attn_qkv.weight", "attn_gate.weight", "ssm_in.weight"})
      take(name);
    if (sizes.state_heads <= 0 || sizes.state_groups <= 0)
      return "a gated delta layer lacks its heads (ssm.time_step_rank, ssm.group_count)";
    mixer.kind = RecurrentKind::GatedDelta;
    mixer.key_heads = sizes.state_groups;
    mixer.key_dim = sizes.state_size;
    mixer.value_heads = sizes.state_heads;
    mixer.value_dim = inner / sizes.state_heads;
  } else if (has("ssm_x.weight")) {
    for (const std::string_view name :
         {"ssm_in.weight", "ssm_x.weight", "ssm_dt.weight", "ssm_dt_norm.weight",
          "ssm_b_norm.weight", "ssm_c_norm.weight"})
      take(name);
    mixer.kind = RecurrentKind::Mamba;
    mixer.inner = inner;
    mixer.state = sizes.state_size;
    mixer.rank = sizes.state_heads;
  } else if (take("ssm_in.weight") != nullptr) {
    if (sizes.state_heads <= 0) return "a Mamba-2 layer lacks its heads (ssm.time_step_rank)";
    mixer.kind = RecurrentKind::Mamba2;
    mixer.value_heads = sizes.state_heads;
    mixer.value_dim = inner / sizes.state_heads;
    mixer.groups = std::max<std::int64_t>(1, sizes.state_groups);
    mixer.state = sizes.state_size;
  } else {
    return "a recurrent layer is of no known kind";
  }
  layer.recurrent = mixer;
  if (layer.attention.kind == LayerKind::None) layer.attention.kind = LayerKind::Recurrent;
  return {};
}

std::string GgufLayer::feed_forward(const GgufSizes& sizes, domain::Layer& layer) {
  domain::FeedForward& network = layer.feed_forward;
  const Sizes* up = take("ffn_up.weight");
  const Sizes* gate = take("ffn_gate.weight");
  const Sizes* down = take("ffn_down.weight");
  if (up != nullptr && down != nullptr) {
    network.width = (*down)[0];
    const bool is_fused = gate == nullptr && (*up)[1] == 2 * network.width;
    network.gated = gate != nullptr || is_fused;
    if (!is_fused && (*up)[1] != network.width) return "ffn_up and ffn_down differ in width";
    network.bias = take("ffn_up.bias") != nullptr;
    take("ffn_down.bias");
    take("ffn_gate.bias");
  }
  const Sizes* router = take("ffn_gate_inp.weight");
  if (router == nullptr) return {};
  const Sizes* experts_up = take("ffn_up_exps.weight");
  const Sizes* experts_both = take("ffn_gate_up_exps.weight");
  const Sizes* experts_down = take("ffn_down_exps.weight");
  if (experts_down == nullptr || (experts_up == nullptr && experts_both == nullptr))
    return "experts lack ffn_up_exps or ffn_down_exps (a file of an old converter?)";
  domain::Experts experts;
  experts.count = (*experts_down)[2];
  experts.active = sizes.active_experts;
  experts.width = (*experts_down)[0];
  experts.is_gated = take("ffn_gate_exps.weight") != nullptr || experts_both != nullptr;
  experts.bias = take("ffn_up_exps.bias") != nullptr;
  for (const std::string_view name : {"ffn_gate_exps.bias", "ffn_down_exps.bias"}) take(name);
  experts.router_bias = take("ffn_gate_inp.bias") != nullptr;
  experts.correction_bias = take("exp_probs_b.bias") != nullptr || take("exp_probs_b") != nullptr;
  if (const Sizes* shared = take("ffn_down_shexp.weight")) experts.shared_width = (*shared)[0];
  for (const std::string_view name : {"ffn_up_shexp.weight", "ffn_gate_shexp.weight"}) take(name);
  experts.shared_gate = take("ffn_gate_inp_shexp.weight") != nullptr;
  if (const Sizes* narrow = take("ffn_latent_down.weight")) experts.latent_width = (*narrow)[1];
  take("ffn_latent_up.weight");
  if (experts.active <= 0 || experts.active > experts.count)
    return "the number of active experts is missing or too large";
  network.experts = experts;
  return {};
}

// Vectors as long as the hidden size: norms, whatever each architecture calls them.
void GgufLayer::norms(const GgufSizes& sizes, domain::Layer& layer) {
  layer.norms = 0;
  for (auto& [name, tensor] : tensors_) {
    if (tensor.is_used || name.find("norm") == std::string::npos ||
        tensor.sizes[0] != sizes.hidden || tensor.values != sizes.hidden)
      continue;
    tensor.is_used = true;
    if (name.ends_with(".bias")) {
      layer.norm_bias = true;
    } else {
      ++layer.norms;
    }
  }
}

// What is left is small (a scale, an offset), or the layer is not understood.
std::string GgufLayer::rest(domain::Layer& layer) {
  std::int64_t all = 0;
  for (const auto& [name, tensor] : tensors_) all += tensor.values;
  constexpr std::int64_t kSmallShare = 100;  // a hundredth of the layer
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.is_used) continue;
    if (tensor.values > all / kSmallShare)
      return fmt::format("the tensor '{}' is of no known kind", name.substr(0, 80));
    const bool is_vector = tensor.sizes[1] == 1;
    layer.extra.push_back({.name = name,
                           .rows = is_vector ? tensor.sizes[0] : tensor.values / tensor.sizes[0],
                           .columns = is_vector ? 0 : tensor.sizes[0],
                           .is_float32 = is_vector});
  }
  return {};
}

Result<domain::Layer> GgufLayer::build(const GgufSizes& sizes) {
  domain::Layer layer;
  for (const auto& step :
       {&GgufLayer::attention, &GgufLayer::recurrent, &GgufLayer::feed_forward}) {
    if (std::string fault = (this->*step)(sizes, layer); !fault.empty())
      return failure(std::move(fault));
  }
  norms(sizes, layer);
  if (std::string fault = rest(layer); !fault.empty()) return failure(std::move(fault));
  return layer;
}

}  // namespace gpushape::catalog
