// Attention on an encoder's output: keys and values of the encoder's tokens, however long the text
// is. Source: vLLM v1/kv_cache_interface.py, CrossAttentionSpec. Before engines knew kinds, one
// table of blocks served the decoder's own attention and this one, and its layers were counted
// once.
#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

std::int64_t cross_held_blocks(const CacheSpec& spec, const CacheGeometry& /*geometry*/,
                               std::int64_t /*tokens*/) {
  return divide_up(spec.window_tokens, spec.block_tokens);
}

}  // namespace

void keep_cross(const domain::Layer& layer, const domain::Attention& attention,
                const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  const bool is_second = layer.cross_attention.has_value();
  if (geometry.is_one_table && is_second) return;
  keep_full(layer, attention, geometry, specs);
  if (geometry.is_one_table) return;
  specs.back().held = cross_held_blocks;
  specs.back().window_tokens = attention.encoder_tokens;
  specs.back().is_of_encoder = true;
}

}  // namespace gpushape::estimate::layers
