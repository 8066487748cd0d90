// Sliding window W: pages as for full attention; a request holds the W - 1 tokens it may look back
// on and the tokens of the running step, and one block more because the window need not begin at a
// block's edge. Source: vLLM v1/kv_cache_interface.py, SlidingWindowSpec.max_memory_usage_bytes.
#include <algorithm>

#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {

void keep_sliding(const domain::Layer& layer, const domain::Attention& attention,
                  const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  keep_full(layer, attention, geometry, specs);
  if (geometry.is_one_table || attention.window_tokens <= 0) return;
  specs.back().held = sliding_held_blocks;
  specs.back().window_tokens = attention.window_tokens;
}

std::int64_t sliding_held_blocks(const CacheSpec& spec, const CacheGeometry& geometry,
                                 std::int64_t tokens) {
  const std::int64_t alive = std::min(spec.window_tokens - 1 + geometry.batched_tokens, tokens);
  return divide_up(alive, spec.block_tokens) + 1;
}

}  // namespace gpushape::estimate::layers
