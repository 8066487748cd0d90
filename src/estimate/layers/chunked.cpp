// Chunks of C tokens: pages as for full attention; a request holds one chunk and the tokens of the
// running step. Engines may hold everything all the same, because tables of several kinds cost
// them time. Source: vLLM v1/kv_cache_interface.py, ChunkedLocalAttentionSpec; config/vllm.py
// (VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE).
#include <algorithm>

#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

std::int64_t chunked_held_blocks(const CacheSpec& spec, const CacheGeometry& geometry,
                                 std::int64_t tokens) {
  return divide_up(std::min(spec.window_tokens + geometry.batched_tokens, tokens),
                   spec.block_tokens);
}

}  // namespace

void keep_chunked(const domain::Layer& layer, const domain::Attention& attention,
                  const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  keep_full(layer, attention, geometry, specs);
  const bool keeps_everything = geometry.is_one_table || geometry.chunks_keep_everything;
  if (keeps_everything || attention.window_tokens <= 0) return;
  specs.back().held = chunked_held_blocks;
  specs.back().window_tokens = attention.window_tokens;
}

}  // namespace gpushape::estimate::layers
