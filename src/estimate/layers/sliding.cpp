// Sliding window W: pages as for full attention; a request holds the W - 1 tokens it may look back
// on and the tokens of the running step, and one block more because the window need not begin at a
// block's edge. Source: vLLM v1/kv_cache_interface.py, SlidingWindowSpec.max_memory_usage_bytes.
#include <algorithm>

#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {

std::int64_t sliding_held_blocks(const domain::Attention& attention, const CacheGeometry& geometry,
                                 std::int64_t tokens) {
  const std::int64_t alive =
      std::min(attention.window_tokens - 1 + geometry.batched_tokens, tokens);
  return (alive + geometry.block_tokens - 1) / geometry.block_tokens + 1;
}

}  // namespace gpushape::estimate::layers
