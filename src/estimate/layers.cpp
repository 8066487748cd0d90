#include "estimate/layers.hpp"

#include <array>

namespace gpushape::estimate {
namespace {

constexpr auto kLayerKinds = std::to_array<LayerKindRow>({
    {domain::LayerKind::Full, "keys and values of every token of the request",
     layers::full_page_bytes, layers::full_held_blocks},
    {domain::LayerKind::Sliding, "keys and values of the window and of the running step",
     layers::full_page_bytes, layers::sliding_held_blocks},
});

}  // namespace

std::span<const LayerKindRow> layer_kinds() { return kLayerKinds; }

const LayerKindRow* layer_kind(domain::LayerKind kind) {
  for (const LayerKindRow& row : kLayerKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

}  // namespace gpushape::estimate
