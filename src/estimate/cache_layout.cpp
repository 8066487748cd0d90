#include "estimate/cache_layout.hpp"

#include <algorithm>

namespace gpushape::estimate {
namespace {

/// Two kinds of nearly equal count form two groups of the larger count rather than many small ones.
/// Source: vLLM v1/core/kv_cache_utils.py, _get_kv_cache_groups_uniform_page_size.
constexpr double kNearlyEqual = 1.5;

bool is_same_cache(const domain::Attention& a, const domain::Attention& b) {
  return a.kind == b.kind && a.kv_heads == b.kv_heads && a.head_dim == b.head_dim &&
         a.value_head_dim == b.value_head_dim && a.window_tokens == b.window_tokens;
}

}  // namespace

std::int64_t CacheLayout::groups() const {
  std::int64_t sum = 0;
  for (const CacheKind& kind : kinds) sum += kind.groups;
  return sum;
}

std::int64_t CacheLayout::held_blocks(std::int64_t tokens) const {
  std::int64_t sum = 0;
  for (const CacheKind& kind : kinds)
    sum += kind.groups * kind.row->held_blocks(kind.attention, geometry, tokens);
  return sum;
}

Bytes CacheLayout::bytes_per_token() const {
  Bytes sum;
  for (const CacheKind& kind : kinds)
    sum += Bytes(kind.page_bytes) * kind.layers / geometry.block_tokens;
  return sum;
}

CacheLayout lay_out_cache(const domain::Model& model, const Stage& stage,
                          const CacheGeometry& geometry) {
  CacheLayout layout;
  layout.geometry = geometry;
  each_run(model, stage, [&](const domain::Layer& layer, std::int64_t count) {
    const auto same = std::ranges::find_if(layout.kinds, [&](const CacheKind& kind) {
      return is_same_cache(kind.attention, layer.attention);
    });
    if (same != layout.kinds.end()) {
      same->layers += count;
      return;
    }
    const LayerKindRow* row = layer_kind(layer.attention.kind);
    layout.kinds.push_back({.row = row,
                            .attention = layer.attention,
                            .layers = count,
                            .groups = 1,
                            .page_bytes = row->page_bytes(layer.attention, geometry)});
  });
  const auto [least, most] = std::ranges::minmax(layout.kinds, {}, &CacheKind::layers);
  const bool is_nearly_equal =
      static_cast<double>(most.layers) < kNearlyEqual * static_cast<double>(least.layers);
  layout.group_layers = is_nearly_equal ? most.layers : least.layers;
  std::int64_t page = 0;
  for (CacheKind& kind : layout.kinds) {
    kind.groups = (kind.layers + layout.group_layers - 1) / layout.group_layers;
    page = std::max(page, kind.page_bytes);
  }
  layout.block_bytes = Bytes(page) * layout.group_layers;
  return layout;
}

}  // namespace gpushape::estimate
