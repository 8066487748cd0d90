// Zamba2: Mamba-2 layers, some of which run a block of attention and network first. The blocks are
// shared: the layers take them in turn, and each has adapters and a projection of its own. Source:
// Zamba2Config and modeling_zamba2.py of transformers (arXiv 2411.15242). The first Zamba
// (arXiv 2405.16712) has Mamba layers, one such block, a projection and no adapters; its mixer's
// projections are by head, which gives the sizes of Mamba's: ZambaConfig and modeling_zamba.py.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

domain::Recurrent read_zamba_mixer(const ConfigParts& parts) {
  const std::int64_t expand = parts.size_or({"mamba_expand"}, "", kKernel, 2);
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Mamba2;
  mixer.value_heads = parts.size_or({"n_mamba_heads"}, "recurrent", kHeads, 8);
  mixer.value_dim = parts.size_or(
      {"mamba_headdim"}, "", kHeadDim,
      std::max<std::int64_t>(1, expand * parts.model().hidden_size / mixer.value_heads));
  mixer.groups = parts.size_or({"mamba_ngroups"}, "", kHeads, 1);
  mixer.state = parts.size_or({"mamba_d_state"}, "", kState, 64);
  mixer.convolution = parts.size_or({"mamba_d_conv"}, "", kKernel, 4);
  mixer.convolution_bias = true;
  mixer.projection_bias = parts.flag("add_bias_linear", "", false);
  mixer.has_norm = true;
  mixer.state_bits = state_bits(parts);
  mixer.chunk = chunk_of(parts);
  return mixer;
}

// Its input is the layer's and the embedding side by side.
domain::Attention read_shared_attention(const ConfigParts& parts) {
  domain::Attention attention = read_attention(parts);
  attention.head_dim =
      parts.size_or({"attention_head_dim"}, "headDim", kHeadDim,
                    std::max<std::int64_t>(1, 2 * parts.model().hidden_size / attention.heads));
  attention.value_head_dim = attention.head_dim;
  attention.borrows_weights = true;
  return attention;
}

domain::ExtraTensor matrix(const char* name, std::int64_t rows, std::int64_t columns) {
  return {.name = name, .rows = rows, .columns = columns, .is_linear = true};
}

void add_shared_blocks(const ConfigParts& parts, const domain::Attention& attention,
                       std::int64_t width, std::int64_t blocks) {
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t query = attention.heads * attention.head_dim;
  const std::int64_t key = attention.kv_heads * attention.head_dim;
  auto& extra = parts.model().extra;
  extra.push_back(matrix("shared.qkv_proj", blocks * (query + 2 * key), 2 * hidden));
  extra.push_back(matrix("shared.o_proj", blocks * hidden, query));
  extra.push_back(matrix("shared.gate_up_proj", blocks * 2 * width, hidden));
  extra.push_back(matrix("shared.down_proj", blocks * hidden, width));
  for (domain::ExtraTensor& tensor : extra) tensor.is_dealt_out = true;
  extra.push_back({.name = "shared.norms", .rows = blocks * 3 * hidden});
}

}  // namespace

void read_zamba2(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t hidden = parts.model().hidden_size;
  domain::Layer mamba = recurrent_layer(read_zamba_mixer(parts));
  mamba.norms = 1;
  domain::Layer hybrid = mamba;
  hybrid.attention = read_shared_attention(parts);
  if (!parts.flag("use_mem_rope", "rope", false)) parts.model().rope = {};
  const std::int64_t width = read_feed_forward(parts).width;
  const std::int64_t rank = parts.size_or({"adapter_rank"}, "", kWidth, 128);
  static_cast<void>(parts.fields().given("use_shared_mlp_adapter"));  // its class has them anyway
  hybrid.extra.push_back(matrix("linear", hidden, hidden));
  hybrid.extra.push_back(matrix("mlp_adapter.down", rank, hidden));
  hybrid.extra.push_back(matrix("mlp_adapter.up", 2 * width, rank));
  if (parts.flag("use_shared_attention_adapter", "", false)) {
    hybrid.extra.push_back(matrix("attention_adapters.down", 3 * rank, 2 * hidden));
    hybrid.extra.push_back(matrix("attention_adapters.up", 6 * hidden, rank));
  }
  const std::vector<std::string> types = layer_words(parts, "layers_block_type", count);
  if (types.empty())
    parts.fields().complain("layers_block_type", "config.json has no layers_block_type",
                            "which layers run a shared block cannot be known without it");
  for (const std::string& type : types) {
    if (type != "mamba" && type != "hybrid")
      parts.fields().complain("layers_block_type",
                              fmt::format("layer type '{}' is not understood", type),
                              "known are mamba and hybrid");
    add_layer(parts, type == "hybrid" ? hybrid : mamba);
  }
  add_shared_blocks(parts, hybrid.attention, width,
                    parts.size_or({"num_mem_blocks"}, "", kLayers, 1));
}

namespace {

// ZambaConfig._layers_block_type: the third layer, and after it every so many.
std::vector<bool> first_zamba_hybrids(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> hybrids(static_cast<std::size_t>(count), false);
  const std::int64_t period = parts.size_or({"attn_layer_period"}, "", kLayers, 6);
  const std::int64_t offset =
      parts.size_or({"attn_layer_offset"}, "", {.least = 0, .most = kLayers.most}, 4);
  const std::vector<std::string> types = layer_words(parts, "layers_block_type", count);
  for (std::size_t i = 0; i < hybrids.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    hybrids[i] = index == 2 || (index > 2 && (index - 3) % period == offset % period);
    if (i < types.size()) hybrids[i] = types[i] == "hybrid";
  }
  return hybrids;
}

}  // namespace

void read_zamba(ConfigParts& parts) {
  read_outer(parts);
  parts.model().rope = {};  // no positions at all
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t hidden = parts.model().hidden_size;
  domain::Layer mamba = recurrent_layer(read_mamba_mixer(parts));
  mamba.norms = 1;
  static_cast<void>(parts.fields().given("n_mamba_heads"));
  domain::Layer hybrid = mamba;
  hybrid.attention = read_shared_attention(parts);
  hybrid.extra.push_back(matrix("linear", hidden, hidden));
  for (const bool is_hybrid : first_zamba_hybrids(parts, count))
    add_layer(parts, is_hybrid ? hybrid : mamba);
  add_shared_blocks(parts, hybrid.attention, read_feed_forward(parts).width, 1);
}

}  // namespace gpushape::catalog
