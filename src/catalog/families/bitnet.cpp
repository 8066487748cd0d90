// BitNet b1.58 (arXiv 2504.12285): a Llama with a norm before the output projection of attention
// and one before that of the network. Source: BitNetConfig and modeling_bitnet.py of transformers.
#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

void read_bitnet(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.extra.push_back({.name = "self_attn.attn_sub_norm", .rows = parts.model().hidden_size});
  layer.extra.push_back({.name = "mlp.ffn_sub_norm", .rows = layer.feed_forward.width});
  add_sliding_layers(parts, layer);
}

}  // namespace gpushape::catalog
