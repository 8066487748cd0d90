// Trinity (AFMoE): a gate for each value of the attention's output, four norms, its first layers
// dense, and every fourth one without a window. Source: AfmoeConfig and modeling_afmoe.py of
// transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

void read_afmoe(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer dense;
  dense.norms = parts.traits().norms;
  dense.attention = read_attention(parts);
  dense.attention.output_gate = domain::OutputGate::Value;
  domain::Layer mixture = dense;
  mixture.feed_forward.experts =
      read_experts(parts, {.counts_shared = true, .correction_bias = true});
  dense.feed_forward = read_feed_forward(parts);
  const std::int64_t first =
      parts.fields().integer("num_dense_layers", {.least = 0, .most = count}).value_or(1);
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  for (std::int64_t i = 0; i < count; ++i) {
    const domain::Layer& layer = i < first ? dense : mixture;
    add_layer(parts,
              slides[static_cast<std::size_t>(i)] ? sliding(layer, window.value_or(0)) : layer);
  }
  read_rotary_dim(parts, dense.attention.head_dim);
}

}  // namespace gpushape::catalog
