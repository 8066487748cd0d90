// The KV cache of one stage: layers of each kind in groups of equal size, which share blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "domain/model.hpp"
#include "estimate/layers.hpp"
#include "estimate/pipeline.hpp"

namespace gpushape::estimate {

/// Layers of one kind; `groups` of them share the pool's blocks.
struct CacheKind {
  const LayerKindRow* row = nullptr;
  domain::Attention attention;
  std::int64_t layers = 0;
  std::int64_t groups = 1;
  std::int64_t page_bytes = 0;
};

struct CacheLayout {
  CacheGeometry geometry;
  std::vector<CacheKind> kinds;
  std::int64_t group_layers = 0;  ///< layers of one group, padding included
  Bytes block_bytes;              ///< of one block in all layers of a group

  [[nodiscard]] std::int64_t groups() const;
  /// Blocks of the pool that one request of `tokens` tokens may hold, over all groups.
  [[nodiscard]] std::int64_t held_blocks(std::int64_t tokens) const;
  /// What one more token of full context costs, in all layers.
  [[nodiscard]] Bytes bytes_per_token() const;
};

/// The kinds of the model's layers are all known (layer_kind).
CacheLayout lay_out_cache(const domain::Model& model, const Stage& stage,
                          const CacheGeometry& geometry);

}  // namespace gpushape::estimate
