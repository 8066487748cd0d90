// What one recurrent mixer holds. Sources: Qwen3NextGatedDeltaNet, JambaMambaMixer, Mamba2Mixer,
// Lfm2ShortConv and MiniMaxLightningAttention of transformers, KimiDeltaAttention of Kimi Linear's
// published code, modeling_rwkv5.py of RWKV's published checkpoints, Plamo2MambaMixer of vLLM,
// RecurrentGemmaRecurrentBlock of transformers; order and what lies in one allocation as in vLLM.
#include "domain/tensor_list.hpp"

namespace gpushape::domain {
namespace {

constexpr auto kMixerPart = TensorPart::Recurrent;

void add_gated_delta(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  const std::int64_t keys = mixer.key_heads * mixer.key_dim;
  const std::int64_t values = mixer.value_heads * mixer.value_dim;
  list.matrix("linear_attn.conv1d", kMixerPart, 2 * keys + values, mixer.convolution, Split::Rows);
  list.linear("linear_attn.in_proj_qkv", kMixerPart, 2 * keys + values, hidden_size, Split::Rows,
              "in_proj_qkvz");
  list.linear("linear_attn.in_proj_z", kMixerPart, values, hidden_size, Split::Rows,
              "in_proj_qkvz");
  list.linear("linear_attn.in_proj_b", kMixerPart, mixer.value_heads, hidden_size, Split::Rows,
              "in_proj_ba");
  list.linear("linear_attn.in_proj_a", kMixerPart, mixer.value_heads, hidden_size, Split::Rows,
              "in_proj_ba");
  list.vector("linear_attn.dt_bias", kMixerPart, mixer.value_heads, Split::Rows);
  list.vector("linear_attn.A_log", kMixerPart, mixer.value_heads, Split::Rows).is_float32 = true;
  if (mixer.has_norm) list.vector("linear_attn.norm", TensorPart::Norm, mixer.value_dim);
  list.linear("linear_attn.out_proj", kMixerPart, hidden_size, values, Split::Columns);
}

void add_kda(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  const std::int64_t keys = mixer.key_heads * mixer.key_dim;
  const std::int64_t values = mixer.value_heads * mixer.value_dim;
  list.linear("self_attn.q_proj", kMixerPart, keys, hidden_size, Split::Rows);
  list.linear("self_attn.k_proj", kMixerPart, keys, hidden_size, Split::Rows);
  list.linear("self_attn.v_proj", kMixerPart, values, hidden_size, Split::Rows);
  if (mixer.rank > 0) {
    list.linear("self_attn.f_a_proj", kMixerPart, mixer.rank, hidden_size, Split::None);
    list.linear("self_attn.f_b_proj", kMixerPart, keys, mixer.rank, Split::Rows);
  } else {
    list.linear("self_attn.f_proj", kMixerPart, keys, hidden_size, Split::Rows);
  }
  list.vector("self_attn.dt_bias", kMixerPart, keys, Split::Rows).is_float32 = true;
  list.linear("self_attn.b_proj", kMixerPart, mixer.value_heads, hidden_size, Split::Rows);
  list.matrix("self_attn.q_conv1d", kMixerPart, keys, mixer.convolution, Split::Rows);
  list.matrix("self_attn.k_conv1d", kMixerPart, keys, mixer.convolution, Split::Rows);
  list.matrix("self_attn.v_conv1d", kMixerPart, values, mixer.convolution, Split::Rows);
  list.vector("self_attn.A_log", kMixerPart, mixer.value_heads, Split::Rows).is_float32 = true;
  if (mixer.full_rank_gate || mixer.rank == 0) {
    list.linear("self_attn.g_proj", kMixerPart, values, hidden_size, Split::Rows);
  } else {
    list.linear("self_attn.g_a_proj", kMixerPart, mixer.rank, hidden_size, Split::None);
    list.linear("self_attn.g_b_proj", kMixerPart, values, mixer.rank, Split::Rows);
  }
  if (mixer.has_norm) list.vector("self_attn.o_norm", TensorPart::Norm, mixer.value_dim);
  list.linear("self_attn.o_proj", kMixerPart, hidden_size, values, Split::Columns);
}

void add_mamba(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  list.matrix("mamba.conv1d", kMixerPart, mixer.inner, mixer.convolution, Split::Rows);
  if (mixer.convolution_bias)
    list.vector("mamba.conv1d.bias", kMixerPart, mixer.inner, Split::Rows);
  list.linear("mamba.in_proj", kMixerPart, 2 * mixer.inner, hidden_size, Split::Rows);
  if (mixer.projection_bias)
    list.vector("mamba.in_proj.bias", kMixerPart, 2 * mixer.inner, Split::Rows);
  list.linear("mamba.x_proj", kMixerPart, mixer.rank + 2 * mixer.state, mixer.inner,
              Split::Columns);
  list.linear("mamba.dt_proj", kMixerPart, mixer.inner, mixer.rank, Split::Rows);
  list.vector("mamba.dt_proj.bias", kMixerPart, mixer.inner, Split::Rows);
  list.matrix("mamba.A_log", kMixerPart, mixer.inner, mixer.state, Split::Rows).is_float32 = true;
  list.vector("mamba.D", kMixerPart, mixer.inner, Split::Rows);
  list.linear("mamba.out_proj", kMixerPart, hidden_size, mixer.inner, Split::Columns);
  if (mixer.projection_bias) list.vector("mamba.out_proj.bias", kMixerPart, hidden_size);
  if (mixer.has_norm) {
    list.vector("mamba.dt_layernorm", TensorPart::Norm, mixer.rank);
    list.vector("mamba.b_layernorm", TensorPart::Norm, mixer.state);
    list.vector("mamba.c_layernorm", TensorPart::Norm, mixer.state);
  }
}

// PLaMo 2: heads as Mamba-2's; B, C and dt from a projection of x and with norms, as Jamba's.
void add_low_rank_mamba2(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  const std::int64_t inner = mixer.value_heads * mixer.value_dim;
  list.matrix("mamba.conv1d", kMixerPart, inner, mixer.convolution, Split::Rows);
  list.linear("mamba.in_proj", kMixerPart, 2 * inner, hidden_size, Split::Rows);
  list.linear("mamba.bcdt_proj", kMixerPart, mixer.rank + 2 * mixer.state, inner, Split::Columns);
  list.linear("mamba.dt_proj", kMixerPart, mixer.value_heads, mixer.rank, Split::Rows);
  list.vector("mamba.A_log", kMixerPart, mixer.value_heads, Split::Rows).is_float32 = true;
  list.vector("mamba.D", kMixerPart, mixer.value_heads, Split::Rows);
  list.vector("mamba.dt_bias", kMixerPart, mixer.value_heads, Split::Rows);
  list.linear("mamba.out_proj", kMixerPart, hidden_size, inner, Split::Columns);
  list.vector("mamba.dt_norm", TensorPart::Norm, mixer.rank);
  list.vector("mamba.B_norm", TensorPart::Norm, mixer.state);
  list.vector("mamba.C_norm", TensorPart::Norm, mixer.state);
}

// in_proj is gate, x, B, C and dt one below the other; the convolution runs over x, B and C. B and
// C belong to groups, which ranks share as they do KV heads.
void add_mamba2(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  if (mixer.rank > 0) return add_low_rank_mamba2(list, mixer, hidden_size);
  const std::int64_t inner = mixer.value_heads * mixer.value_dim;
  const std::int64_t group_values = mixer.groups * mixer.state;
  list.matrix("mamba.conv1d", kMixerPart, inner, mixer.convolution, Split::Rows, "conv1d");
  for (int i = 0; i < 2; ++i)
    list.matrix("mamba.conv1d", kMixerPart, group_values, mixer.convolution, Split::KvRows,
                "conv1d")
        .heads = mixer.groups;
  if (mixer.convolution_bias) {
    list.vector("mamba.conv1d.bias", kMixerPart, inner, Split::Rows, "conv1d_bias");
    list.vector("mamba.conv1d.bias", kMixerPart, 2 * group_values, Split::KvRows, "conv1d_bias")
        .heads = 2 * mixer.groups;
  }
  list.linear("mamba.in_proj", kMixerPart, 2 * inner, hidden_size, Split::Rows, "in_proj");
  for (int i = 0; i < 2; ++i)
    list.linear("mamba.in_proj", kMixerPart, group_values, hidden_size, Split::KvRows, "in_proj")
        .heads = mixer.groups;
  list.linear("mamba.in_proj", kMixerPart, mixer.value_heads, hidden_size, Split::Rows, "in_proj");
  if (mixer.projection_bias) {
    list.vector("mamba.in_proj.bias", kMixerPart, 2 * inner + mixer.value_heads, Split::Rows,
                "in_proj_bias");
    list.vector("mamba.in_proj.bias", kMixerPart, 2 * group_values, Split::KvRows, "in_proj_bias")
        .heads = 2 * mixer.groups;
  }
  list.vector("mamba.A_log", kMixerPart, mixer.value_heads, Split::Rows).is_float32 = true;
  list.vector("mamba.D", kMixerPart, mixer.value_heads, Split::Rows);
  list.vector("mamba.dt_bias", kMixerPart, mixer.value_heads, Split::Rows);
  list.linear("mamba.out_proj", kMixerPart, hidden_size, inner, Split::Columns);
  if (mixer.projection_bias) list.vector("mamba.out_proj.bias", kMixerPart, hidden_size);
  if (mixer.has_norm) list.vector("mamba.norm", TensorPart::Norm, inner, Split::Rows);
}

void add_lightning(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  const std::int64_t keys = mixer.key_heads * mixer.key_dim;
  const std::int64_t values = mixer.value_heads * mixer.value_dim;
  list.linear("self_attn.qkv_proj", kMixerPart, 2 * keys + values, hidden_size, Split::Rows);
  list.linear("self_attn.output_gate", kMixerPart, values, hidden_size, Split::Rows);
  list.linear("self_attn.out_proj", kMixerPart, hidden_size, values, Split::Columns);
  if (mixer.has_norm) list.vector("self_attn.norm", TensorPart::Norm, values, Split::Rows);
}

void add_short_convolution(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  list.matrix("conv.conv", kMixerPart, mixer.inner, mixer.convolution, Split::Rows);
  if (mixer.convolution_bias) list.vector("conv.conv.bias", kMixerPart, mixer.inner, Split::Rows);
  list.linear("conv.in_proj", kMixerPart, 3 * mixer.inner, hidden_size, Split::Rows);
  if (mixer.projection_bias)
    list.vector("conv.in_proj.bias", kMixerPart, 3 * mixer.inner, Split::Rows);
  list.linear("conv.out_proj", kMixerPart, hidden_size, mixer.inner, Split::Columns);
  if (mixer.projection_bias) list.vector("conv.out_proj.bias", kMixerPart, hidden_size);
}

// The network that follows shifts its input, too; its tensors are the layer's own.
void add_rwkv(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  const std::int64_t values = mixer.value_heads * mixer.value_dim;
  for (const char* name :
       {"attention.receptance", "attention.key", "attention.value", "attention.gate"})
    list.linear(name, kMixerPart, values, hidden_size, Split::Rows);
  list.linear("attention.output", kMixerPart, hidden_size, values, Split::Columns);
  for (const char* name : {"attention.time_mix_receptance", "attention.time_mix_key",
                           "attention.time_mix_value", "attention.time_mix_gate"})
    list.vector(name, kMixerPart, hidden_size);
  list.vector("attention.time_decay", kMixerPart, values, Split::Rows);
  list.vector("attention.time_faaaa", kMixerPart, values, Split::Rows);
  list.vector("attention.ln_x", TensorPart::Norm, values, Split::Rows);
  list.vector("attention.ln_x.bias", TensorPart::Norm, values, Split::Rows);
}

// Its two gates are matrices by block; everything but the recurrence's own vector has a bias.
void add_griffin(TensorList& list, const Recurrent& mixer, std::int64_t hidden_size) {
  for (const char* name : {"temporal_block.linear_y", "temporal_block.linear_x"})
    list.linear(name, kMixerPart, mixer.inner, hidden_size, Split::Rows);
  for (const char* name : {"temporal_block.linear_y.bias", "temporal_block.linear_x.bias"})
    list.vector(name, kMixerPart, mixer.inner, Split::Rows);
  list.matrix("temporal_block.conv_1d", kMixerPart, mixer.inner, mixer.convolution, Split::Rows);
  list.vector("temporal_block.conv_1d.bias", kMixerPart, mixer.inner, Split::Rows);
  list.vector("temporal_block.rg_lru.recurrent_param", kMixerPart, mixer.inner, Split::Rows);
  const std::int64_t block = mixer.value_heads > 0 ? mixer.inner / mixer.value_heads : 0;
  for (const char* name :
       {"temporal_block.rg_lru.input_gate_weight", "temporal_block.rg_lru.recurrent_gate_weight"})
    list.matrix(name, kMixerPart, mixer.inner, block, Split::Rows);
  for (const char* name :
       {"temporal_block.rg_lru.input_gate_bias", "temporal_block.rg_lru.recurrent_gate_bias"})
    list.vector(name, kMixerPart, mixer.inner, Split::Rows);
  list.linear("temporal_block.linear_out", kMixerPart, hidden_size, mixer.inner, Split::Columns);
  list.vector("temporal_block.linear_out.bias", kMixerPart, hidden_size);
}

}  // namespace

void add_recurrent(TensorList& list, const Recurrent& recurrent, std::int64_t hidden_size) {
  switch (recurrent.kind) {
    case RecurrentKind::GatedDelta:
      return add_gated_delta(list, recurrent, hidden_size);
    case RecurrentKind::Kda:
      return add_kda(list, recurrent, hidden_size);
    case RecurrentKind::Mamba:
      return add_mamba(list, recurrent, hidden_size);
    case RecurrentKind::Mamba2:
      return add_mamba2(list, recurrent, hidden_size);
    case RecurrentKind::Lightning:
      return add_lightning(list, recurrent, hidden_size);
    case RecurrentKind::ShortConv:
      return add_short_convolution(list, recurrent, hidden_size);
    case RecurrentKind::Rwkv:
      return add_rwkv(list, recurrent, hidden_size);
    case RecurrentKind::Griffin:
      return add_griffin(list, recurrent, hidden_size);
  }
}

}  // namespace gpushape::domain
