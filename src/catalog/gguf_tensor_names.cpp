// Names of GGUF files.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catalog/tensor_names.hpp"
#include "catalog/tensor_words.hpp"

namespace gpushape::catalog {
namespace {

using domain::TensorPart;
using NameScope = TensorName::Scope;

// llama.cpp, gguf-py/gguf/constants.py (TENSOR_NAMES): its words for the modules of a layer.
struct GgufName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr auto kGgufLayerNames = std::to_array<GgufName>({
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"attn_q_a", "self_attn.q_a_proj"},
    {"attn_q_b", "self_attn.q_b_proj"},
    {"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
    {"attn_kv_b", "self_attn.kv_b_proj"},
    {"attn_k_b", "self_attn.k_b_proj"},
    {"attn_v_b", "self_attn.v_b_proj"},
    {"attn_q_a_norm", "self_attn.q_a_layernorm"},
    {"attn_kv_a_norm", "self_attn.kv_a_layernorm"},
    {"attn_sinks", "self_attn.sinks"},
    {"attn_gate", "linear_attn.in_proj_z"},
    {"attn_norm", "input_layernorm"},
    {"attn_norm_2", "further_layernorm"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"ffn_gate_inp", "mlp.gate"},
    {"exp_probs_b", "mlp.gate.e_score_correction_bias"},
    {"ffn_gate_exps", "mlp.experts.gate_proj"},
    {"ffn_up_exps", "mlp.experts.up_proj"},
    {"ffn_gate_up_exps", "mlp.experts.gate_up_proj"},
    {"ffn_down_exps", "mlp.experts.down_proj"},
    {"ffn_gate_shexp", "mlp.shared_experts.gate_proj"},
    {"ffn_up_shexp", "mlp.shared_experts.up_proj"},
    {"ffn_down_shexp", "mlp.shared_experts.down_proj"},
    {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
    {"ssm_in", "mamba.in_proj"},
    {"ssm_out", "mamba.out_proj"},
    {"ssm_conv1d", "mamba.conv1d"},
    {"ssm_x", "mamba.x_proj"},
    {"ssm_dt", "mamba.dt_proj"},
    {"ssm_a", "mamba.A_log"},
    {"ssm_d", "mamba.D"},
    {"ssm_norm", "mamba.norm"},
    {"ssm_beta_alpha", "linear_attn.in_proj_ba"},
    {"shortconv.conv", "conv.conv"},
    {"shortconv.in_proj", "conv.in_proj"},
    {"shortconv.out_proj", "conv.out_proj"},
    {"indexer.attn_q_b", "self_attn.indexer.wq_b"},
    {"indexer.attn_k", "self_attn.indexer.wk"},
});
constexpr auto kGgufOuterNames = std::to_array<GgufName>({
    {"token_embd", "model.embed_tokens"},
    {"output", "lm_head"},
    {"output_norm", "model.norm"},
});

std::string ours(const auto& names, const std::string& theirs) {
  const auto found = std::ranges::find(names, theirs, &GgufName::theirs);
  return found == names.end() ? theirs : std::string(found->ours);
}

}  // namespace

TensorName parse_gguf_tensor_name(std::string_view name) {
  TensorName parsed;
  const std::vector<std::string_view> words = split_words(name);
  const Suffix suffix = suffix_of(words, 1);
  const std::size_t last = words.size() - suffix.words;
  parsed.suffix = join_words(words, last, words.size());
  const std::optional<std::int64_t> layer =
      words.size() > 2 && words[0] == "blk" ? number_of(words[1]) : std::nullopt;
  if (layer) {
    parsed.scope = NameScope::Layer;
    parsed.layer = *layer;
    const std::string theirs = join_words(words, 2, last);
    parsed.module = ours(kGgufLayerNames, theirs);
    parsed.part = theirs.starts_with("nextn") ? TensorPart::MultiToken : layer_part(parsed.module);
    if (theirs.starts_with("nextn")) parsed.scope = NameScope::MultiToken;
  } else if (!words.empty() && (words[0] == "v" || words[0] == "mm" || words[0] == "a")) {
    parsed.scope = NameScope::Tower;
    parsed.part = TensorPart::Tower;
    parsed.module = join_words(words, 0, last);
  } else {
    parsed.module = ours(kGgufOuterNames, join_words(words, 0, last));
    parsed.part = outer_part(parsed.module);
  }
  if (parsed.suffix == "bias") {
    parsed.module += ".bias";
    parsed.suffix = "weight";
  }
  return parsed;
}

}  // namespace gpushape::catalog
