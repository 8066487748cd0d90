// The KV cache of one stage: what its layers keep, in groups that share the pool's blocks.
//
// Every group has a table of blocks of its own, and all draw on one pool, so a block has the same
// bytes in every group: pages of different sizes are made alike, and every group has as many layers
// (short ones get layers that only cost memory). Source: vLLM v1/core/kv_cache_utils.py.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "domain/model.hpp"
#include "estimate/layers.hpp"
#include "estimate/pipeline.hpp"

namespace gpushape::estimate {

/// What layers keep alike; `groups` of them share the pool's blocks.
struct CacheKind {
  CacheSpec spec;
  std::int64_t layers = 0;        ///< of the stage
  std::int64_t model_layers = 0;  ///< of the whole model, by which groups are made
  std::int64_t groups = 1;        ///< 0: lies in the blocks of another kind's group
  std::int64_t token_bytes = 0;   ///< one more token in one layer, before pages were made alike
  /// Of one block in all groups, where a count goes by what the groups themselves take.
  Bytes counted_bytes = {};
};

struct CacheLayout {
  CacheGeometry geometry;  ///< with the blocks that were chosen
  std::vector<CacheKind> kinds;
  std::int64_t group_layers = 0;  ///< layers of one group, those without use included
  Bytes block_bytes;              ///< of one block in all layers of a group

  [[nodiscard]] std::int64_t groups() const;
  /// What one request of `tokens` tokens takes of the pool or pools, recurrent states apart.
  [[nodiscard]] Bytes request_bytes(std::int64_t tokens) const;
  /// Of its recurrent states.
  [[nodiscard]] Bytes request_state_bytes(std::int64_t tokens) const;
  /// Blocks of the pool that one request of `tokens` tokens may hold, over all groups.
  [[nodiscard]] std::int64_t held_blocks(std::int64_t tokens) const;
  /// As the engine counts them to say how many requests there is room for.
  [[nodiscard]] std::int64_t counted_blocks(std::int64_t tokens) const;
  /// Of the blocks held, those that hold recurrent states.
  [[nodiscard]] std::int64_t held_state_blocks(std::int64_t tokens) const;
  /// The least tokens of context that a block of any group stands for.
  [[nodiscard]] std::int64_t least_block_tokens() const;
  /// What one more token of context costs in all layers, as long as no window is full.
  [[nodiscard]] Bytes bytes_per_token() const;
};

/// The kinds of the model's layers are all known (layer_kind). The layers of a draft model, where
/// there is one, lie in the same pool on the stage that has the head.
CacheLayout lay_out_cache(const domain::Model& model, const Stage& stage,
                          const CacheGeometry& geometry, const domain::Model* draft = nullptr);

/// The size of a pool as the engine prints it.
struct PoolCount {
  std::int64_t blocks = 0;
  std::int64_t tokens = 0;
  double requests = 0;  ///< of the longest request
};

/// `counts_requests`: tokens are those of the requests that fit; otherwise those of one group's
/// share of the blocks.
PoolCount count_pool(const CacheLayout& layout, std::int64_t blocks, std::int64_t longest_request,
                     bool counts_requests);

}  // namespace gpushape::estimate
