#include "estimate/layers.hpp"

#include <array>

namespace gpushape::estimate {
namespace {

using domain::LayerKind;

constexpr auto kLayerKinds = std::to_array<LayerKindRow>({
    {LayerKind::Full, "keys and values of every token of the request", layers::keep_full},
    {LayerKind::Sliding, "keys and values of the window and of the running step",
     layers::keep_sliding},
    {LayerKind::Chunked, "keys and values of one chunk and of the running step",
     layers::keep_chunked},
    {LayerKind::Latent, "one latent a token, the same on every rank, and the indexer's key",
     layers::keep_latent},
    {LayerKind::Compressed, "a window, one entry for several tokens behind it, and their state",
     layers::keep_compressed},
    {LayerKind::Recurrent, "one state a sequence", layers::keep_state},
    {LayerKind::Cross, "keys and values of the encoder's output", layers::keep_cross},
    {LayerKind::None, "nothing", layers::keep_nothing},
});

}  // namespace

std::span<const LayerKindRow> layer_kinds() { return kLayerKinds; }

const LayerKindRow* layer_kind(LayerKind kind) {
  for (const LayerKindRow& row : kLayerKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

void keep_layer(const domain::Layer& layer, const CacheGeometry& geometry,
                std::vector<CacheSpec>& specs) {
  const bool is_of_encoder = layer.attention.kind == LayerKind::None &&
                             layer.attention.kv_heads > 0 && geometry.encoders_keep_tokens;
  const LayerKind kind = is_of_encoder ? LayerKind::Full : layer.attention.kind;
  const bool is_kept = !layer.attention.shares_cache || geometry.shared_layers_keep_tokens;
  if (is_kept && kind != LayerKind::Recurrent)
    layer_kind(kind)->keep(layer, layer.attention, geometry, specs);
  if (layer.recurrent || layer.shifted_values > 0)
    layers::keep_state(layer, layer.attention, geometry, specs);
  if (layer.cross_attention) layers::keep_cross(layer, *layer.cross_attention, geometry, specs);
}

namespace layers {

void keep_nothing(const domain::Layer& /*layer*/, const domain::Attention& /*attention*/,
                  const CacheGeometry& /*geometry*/, std::vector<CacheSpec>& /*specs*/) {}

}  // namespace layers
}  // namespace gpushape::estimate
