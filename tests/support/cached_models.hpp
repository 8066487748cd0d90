// Models as their caches see them: runs of layers with heads, windows, latents and states, by the
// numbers of their published config.json.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "domain/model.hpp"
#include "estimate/cache_layout.hpp"
#include "estimate/pipeline.hpp"

namespace gpushape::example {

inline domain::Layer full_layer(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  domain::Layer layer;
  layer.attention = {.kind = domain::LayerKind::Full,
                     .heads = heads,
                     .kv_heads = kv_heads,
                     .head_dim = head_dim,
                     .value_head_dim = head_dim};
  return layer;
}

inline domain::Layer sliding_layer(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                                   std::int64_t window) {
  domain::Layer layer = full_layer(heads, kv_heads, head_dim);
  layer.attention.kind = domain::LayerKind::Sliding;
  layer.attention.window_tokens = window;
  return layer;
}

inline domain::Layer latent_layer(std::int64_t heads, std::int64_t rank, std::int64_t rope) {
  domain::Layer layer = full_layer(heads, heads, 192);
  layer.attention.kind = domain::LayerKind::Latent;
  layer.attention.latent = domain::Latent{.query_rank = 0, .kv_rank = rank, .rope_dim = rope};
  return layer;
}

inline domain::Layer state_layer(const domain::Recurrent& recurrent) {
  domain::Layer layer;
  layer.attention.kind = domain::LayerKind::Recurrent;
  layer.recurrent = recurrent;
  return layer;
}

inline domain::Model model_of(std::vector<domain::LayerRun> layers) {
  domain::Model model;
  model.layers = std::move(layers);
  return model;
}

/// `few` once after every `each` of `many`, so often; then what is left of `many`.
inline domain::Model alternating(const domain::Layer& many, std::int64_t each,
                                 const domain::Layer& few, std::int64_t times,
                                 std::int64_t left = 0) {
  domain::Model model;
  for (std::int64_t i = 0; i < times; ++i) {
    model.layers.push_back({many, each});
    model.layers.push_back({few, 1});
  }
  if (left > 0) model.layers.push_back({many, left});
  return model;
}

inline domain::Model with_drafting(domain::Model model, const domain::Layer& layer) {
  model.multi_token_prediction = domain::MultiTokenPrediction{.layers = {{layer, 1}}, .extra = {}};
  return model;
}

inline domain::Model qwen36_27b() {  // 48 gated-delta layers, 16 with attention
  const domain::Layer attention = full_layer(24, 4, 256);
  return with_drafting(alternating(state_layer({.kind = domain::RecurrentKind::GatedDelta,
                                                .key_heads = 16,
                                                .key_dim = 128,
                                                .value_heads = 48,
                                                .value_dim = 128,
                                                .convolution = 4}),
                                   3, attention, 16),
                       attention);
}
inline domain::Model qwen36_35b() {  // 30 and 10
  return alternating(state_layer({.kind = domain::RecurrentKind::GatedDelta,
                                  .key_heads = 16,
                                  .key_dim = 128,
                                  .value_heads = 32,
                                  .value_dim = 128,
                                  .convolution = 4}),
                     3, full_layer(16, 2, 256), 10);
}
inline domain::Model qwen38_flash_next() {  // 36 and 12, n-grams in the second layer
  domain::Layer attention = full_layer(24, 2, 256);
  attention.attention.indexer =
      domain::Indexer{.heads = 4, .head_dim = 128, .top_tokens = 2048, .tokens_per_key = 4};
  domain::Model model = alternating(state_layer({.kind = domain::RecurrentKind::GatedDelta,
                                                 .key_heads = 16,
                                                 .key_dim = 128,
                                                 .value_heads = 48,
                                                 .value_dim = 128,
                                                 .convolution = 4}),
                                    3, attention, 12);
  domain::Layer second = model.layers.front().layer;
  second.shifted_values = 3 * 3 * 4 * 2560;  // kernel of four, every third of four streams
  model.layers.front().count = 2;
  model.layers.insert(model.layers.begin() + 1, {second, 1});
  return model;
}
inline domain::Model glm53_flash() {  // 34 and 11; keys of an indexer for four tokens each
  domain::Layer attention = latent_layer(64, 512, 0);
  attention.attention.indexer =
      domain::Indexer{.heads = 32, .head_dim = 128, .top_tokens = 2048, .tokens_per_key = 4};
  const domain::Layer delta = state_layer({.kind = domain::RecurrentKind::Kda,
                                           .key_heads = 64,
                                           .key_dim = 128,
                                           .value_heads = 64,
                                           .value_dim = 128,
                                           .convolution = 4});
  domain::Model model = alternating(delta, 3, attention, 11);
  model.layers.push_back({delta, 1});
  return model;
}
inline domain::Model nemotron3_super() {  // 40 Mamba-2 layers, 8 with attention
  const domain::Layer attention = full_layer(32, 2, 128);
  return with_drafting(alternating(state_layer({.kind = domain::RecurrentKind::Mamba2,
                                                .value_heads = 128,
                                                .value_dim = 64,
                                                .groups = 8,
                                                .state = 128,
                                                .convolution = 4}),
                                   5, attention, 8),
                       attention);
}
inline domain::Model nemotron3_nano() {  // 23 and 6
  return alternating(state_layer({.kind = domain::RecurrentKind::Mamba2,
                                  .value_heads = 64,
                                  .value_dim = 64,
                                  .groups = 8,
                                  .state = 128,
                                  .convolution = 4}),
                     3, full_layer(32, 2, 128), 6, 5);
}
inline domain::Model
gemma4_26b() {  // 25 sliding layers of 8 KV heads, 5 global ones of 2, twice as wide
  return alternating(sliding_layer(16, 8, 256, 1024), 5, full_layer(16, 2, 512), 5);
}
inline domain::Model gemma4_12b() {
  return alternating(sliding_layer(16, 8, 256, 1024), 5, full_layer(16, 1, 512), 8);
}
inline domain::Model gpt_oss(std::int64_t pairs) {
  return alternating(sliding_layer(64, 8, 64, 128), 1, full_layer(64, 8, 64), pairs);
}
inline domain::Layer compressed_layer(std::int64_t ratio) {
  domain::Layer layer;
  layer.attention = {.kind = domain::LayerKind::Compressed,
                     .heads = 64,
                     .kv_heads = 1,
                     .head_dim = 512,
                     .value_head_dim = 512,
                     .window_tokens = 128};
  layer.attention.latent = domain::Latent{.query_rank = 1024, .kv_rank = 0, .rope_dim = 64};
  layer.attention.compression =
      domain::Compression{.ratio = ratio, .output_rank = 1024, .output_groups = 8};
  if (ratio == 4)
    layer.attention.indexer = domain::Indexer{.heads = 64, .head_dim = 128, .top_tokens = 512};
  return layer;
}
/// `first` is the ratio of the two layers before `pairs` that alternate, and the last.
inline domain::Model deepseek_v4(std::int64_t first, int pairs) {
  const auto layer = compressed_layer;
  domain::Model model = model_of({{layer(first), 2}});
  for (int i = 0; i < pairs; ++i) {
    model.layers.push_back({layer(4), 1});
    model.layers.push_back({layer(128), 1});
  }
  model.layers.push_back({layer(4), 1});
  return model;
}

inline domain::Model deepseek_v4_flash() { return deepseek_v4(0, 20); }

/// 40 windows; layers 2, 8, 14 and 20 make entries, of two tokens but for the last.
inline domain::Model deepseek_v41_flash() {
  domain::Layer window = compressed_layer(0);
  window.attention.compression->pools_groups = true;
  domain::Layer reader = window;
  reader.attention.compression->ratio = 2;
  reader.attention.compression->is_shared = true;
  domain::Layer maker = window;
  maker.attention.compression->ratio = 2;
  maker.attention.indexer = domain::Indexer{.heads = 32, .head_dim = 128};
  domain::Layer maker_of_each = maker;
  maker_of_each.attention.compression->ratio = 1;
  return model_of({{window, 2},
                   {maker, 1},
                   {reader, 5},
                   {maker, 1},
                   {reader, 5},
                   {maker, 1},
                   {reader, 5},
                   {maker_of_each, 1},
                   {reader, 19}});
}

inline estimate::CacheLayout layout_of(const domain::Model& model,
                                       const estimate::CacheGeometry& geometry) {
  const std::int64_t layers = estimate::layer_count(model);
  return estimate::lay_out_cache(
      model, estimate::cut_into_stages(layers, 1, estimate::Remainder::Last).front(), geometry);
}

}  // namespace gpushape::example
