// Full attention: keys and values of every token, for max(1, KV heads / ranks) heads. Ranks that
// share the context keep their part of the tokens each. An indexer whose keys stand for several
// tokens keeps them in the same page, one for all heads and on every rank. Source: vLLM
// v1/kv_cache_interface.py, AttentionSpec and FullAttentionSpec; the indexer's share as a pool of
// 8.22 GiB and 412,004 tokens of Qwen3.8-Flash-Next tells it
// (https://github.com/eugr/spark-vllm-docker/issues/388).
#include "estimate/cache_types.hpp"
#include "estimate/division.hpp"
#include "estimate/layers.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate::layers {

std::int64_t plain_token_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
  return kv_heads_on_rank(attention, geometry.tensor_parallel) *
         head_bytes(geometry, attention.head_dim, attention.value_head_dim);
}

std::int64_t token_bytes(const domain::Attention& attention, const CacheGeometry& geometry) {
  const std::int64_t bytes = plain_token_bytes(attention, geometry);
  if (!attention.indexer || attention.indexer->tokens_per_key == 0) return bytes;
  return bytes +
         attention.indexer->head_dim * geometry.dtype_bytes / attention.indexer->tokens_per_key;
}

void keep_full(const domain::Layer& /*layer*/, const domain::Attention& attention,
               const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  specs.push_back({.held = full_held_blocks,
                   .page_bytes = geometry.block_tokens * token_bytes(attention, geometry),
                   .block_tokens = geometry.block_tokens});
  if (geometry.has_indexer_tails && attention.indexer && attention.indexer->tokens_per_key > 1)
    specs.push_back(indexer_tail(attention, geometry));
}

std::int64_t full_held_blocks(const CacheSpec& spec, const CacheGeometry& geometry,
                              std::int64_t tokens) {
  return divide_up(divide_up(tokens, geometry.context_parallel), spec.block_tokens);
}

}  // namespace gpushape::estimate::layers
