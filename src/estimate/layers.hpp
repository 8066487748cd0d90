// The layer kinds that an estimate knows: what one layer keeps in the cache, and how many blocks a
// request may hold on to. One file a kind in layers/, one row here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "domain/model.hpp"

namespace gpushape::estimate {

/// What the cache looks like on one rank.
struct CacheGeometry {
  std::int64_t block_tokens = 16;
  std::int64_t tensor_parallel = 1;
  domain::KvCacheType type = domain::KvCacheType::Bf16;
  std::int64_t batched_tokens = 0;  ///< of one step: a window may be that much longer while it runs
};

struct LayerKindRow {
  domain::LayerKind kind;
  std::string_view description;
  /// Bytes of one block of one layer.
  std::int64_t (*page_bytes)(const domain::Attention&, const CacheGeometry&);
  /// Blocks that a request of `tokens` tokens may hold.
  std::int64_t (*held_blocks)(const domain::Attention&, const CacheGeometry&, std::int64_t tokens);
};

std::span<const LayerKindRow> layer_kinds();
/// nullptr for a kind that is not modelled.
const LayerKindRow* layer_kind(domain::LayerKind kind);

namespace layers {

std::int64_t full_page_bytes(const domain::Attention& attention, const CacheGeometry& geometry);
std::int64_t full_held_blocks(const domain::Attention& attention, const CacheGeometry& geometry,
                              std::int64_t tokens);
std::int64_t sliding_held_blocks(const domain::Attention& attention, const CacheGeometry& geometry,
                                 std::int64_t tokens);

}  // namespace layers
}  // namespace gpushape::estimate
