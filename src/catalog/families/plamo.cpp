// PLaMo 2: every other layer a mixer with Mamba-2's heads and Mamba's projections, the others full
// attention with a norm for every head. Source: vLLM model_executor/models/plamo2.py. The
// publisher's class gives attention a window; vLLM's does not.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kLeastRank = 64;
constexpr std::int64_t kHiddenPerRank = 16;

domain::Recurrent read_plamo_mixer(const ConfigParts& parts, std::int64_t head_dim) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Mamba2;
  mixer.value_heads = parts.size({"mamba_num_heads"}, "recurrent", kHeads);
  mixer.value_dim = head_dim;
  mixer.state = parts.size_or({"mamba_d_state"}, "", kState, 64);
  mixer.rank = std::max(kLeastRank, parts.model().hidden_size / kHiddenPerRank);
  mixer.convolution = parts.size_or({"mamba_d_conv"}, "", kKernel, 4);
  mixer.has_norm = true;
  mixer.state_bits = state_bits(parts);
  mixer.chunk = chunk_of(parts);
  return mixer;
}

domain::Attention read_plamo_attention(const ConfigParts& parts) {
  domain::Attention attention = read_attention(parts);
  attention.head_dim = parts.size({"hidden_size_per_head"}, "headDim", kHeadDim);
  attention.value_head_dim = attention.head_dim;
  return attention;
}

}  // namespace

void read_plamo2(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_plamo_attention(parts);
  full.feed_forward = read_feed_forward(parts);
  full.norms = parts.traits().norms;
  domain::Layer mamba = recurrent_layer(read_plamo_mixer(parts, full.attention.head_dim));
  mamba.feed_forward = full.feed_forward;
  mamba.norms = full.norms;
  const std::int64_t step =
      parts.size_or({"mamba_step"}, "", {.least = 2, .most = kLayers.most}, 2);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_full = count <= step / 2 ? i == count - 1 : i % step == step / 2;
    add_layer(parts, is_full ? full : mamba);
  }
  read_rotary_dim(parts, full.attention.head_dim);
  // Its class makes the table as long as the requests that are let in, not as the config counts
  // (ten million): too short to show.
  parts.model().rope.positions = 0;
}

}  // namespace gpushape::catalog
