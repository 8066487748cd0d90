// Full attention: B x heads x (key width + value width) x bytes for a block of B tokens, with
// heads = max(1, KV heads / ranks). Source: vLLM v1/kv_cache_interface.py, AttentionSpec and
// FullAttentionSpec.
#include "estimate/cache_types.hpp"
#include "estimate/layers.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate::layers {

std::int64_t full_page_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
  const std::int64_t heads = kv_heads_on_rank(attention, geometry.tensor_parallel);
  const CacheType type = cache_type(geometry.type);
  const std::int64_t values = attention.head_dim + attention.value_head_dim;
  const std::int64_t head = values * type.value_bytes + 2 * type.scale_bytes;
  return geometry.block_tokens * heads * head;
}

std::int64_t full_held_blocks(const domain::Attention& /*attention*/, const CacheGeometry& geometry,
                              std::int64_t tokens) {
  return (tokens + geometry.block_tokens - 1) / geometry.block_tokens;
}

}  // namespace gpushape::estimate::layers
