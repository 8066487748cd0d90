// Models drawn at random: every kind of layer, in any order, with every part that an entry can say.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "domain/model.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"

namespace gpushape::catalog::testing {

inline std::int64_t size_up_to(std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(1, most + 1);
}
inline std::int64_t size_or_none(std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(0, most + 1);
}
inline bool maybe() { return *rc::gen::arbitrary<bool>(); }

template <class E>
E any_of() {
  return kNames<E>[static_cast<std::size_t>(
                       *rc::gen::inRange<int>(0, static_cast<int>(kNames<E>.size())))]
      .value;
}

inline std::string any_word() {
  return *rc::gen::element<std::string>("lm_head", "re:.*gate", "model.layers.0", "a, b", "yes",
                                        "x: y", "vision_tower", "1", "it's", "öl");
}

inline std::vector<domain::ExtraTensor> any_tensors() {
  std::vector<domain::ExtraTensor> tensors(static_cast<std::size_t>(*rc::gen::inRange(0, 3)));
  for (domain::ExtraTensor& tensor : tensors) {
    tensor = {.name = any_word(),
              .rows = size_up_to(4096),
              .columns = size_or_none(4096),
              .is_linear = maybe(),
              .is_float32 = maybe(),
              .is_dealt_out = maybe()};
  }
  return tensors;
}

inline domain::Attention any_attention() {
  domain::Attention attention;
  attention.kind = any_of<domain::LayerKind>();
  if (attention.kind == domain::LayerKind::None || attention.kind == domain::LayerKind::Recurrent)
    return attention;
  attention.kv_heads = size_up_to(8);
  attention.heads = attention.kv_heads * size_up_to(8);
  attention.head_dim = size_up_to(256);
  attention.value_head_dim = maybe() ? attention.head_dim : size_up_to(256);
  attention.window_tokens = maybe() ? size_up_to(4096) : 0;
  attention.qkv_bias = maybe();
  attention.key_has_bias = maybe();
  attention.output_bias = maybe();
  attention.head_norm = any_of<domain::HeadNorm>();
  attention.output_gate = any_of<domain::OutputGate>();
  attention.has_sinks = maybe();
  attention.value_is_key = maybe();
  attention.shares_cache = maybe();
  attention.borrows_weights = maybe();
  attention.query_rank = maybe() ? size_up_to(2048) : 0;
  if (maybe()) {
    attention.latent = domain::Latent{.query_rank = size_or_none(1536),
                                      .kv_rank = size_up_to(512),
                                      .rope_dim = size_or_none(attention.head_dim)};
  }
  if (maybe()) {
    attention.indexer = domain::Indexer{.heads = size_up_to(64),
                                        .head_dim = size_up_to(128),
                                        .top_tokens = size_or_none(2048),
                                        .is_shared = maybe(),
                                        .tokens_per_key = maybe() ? size_up_to(16) : 0};
  }
  if (maybe()) {
    attention.compression = domain::Compression{.ratio = size_or_none(128),
                                                .output_rank = size_or_none(1024),
                                                .output_groups = size_or_none(16)};
  }
  attention.encoder_tokens = maybe() ? size_up_to(1500) : 0;
  return attention;
}

inline domain::Recurrent any_recurrent() {
  return {.kind = any_of<domain::RecurrentKind>(),
          .key_heads = size_up_to(16),
          .key_dim = size_up_to(128),
          .value_heads = size_up_to(32),
          .value_dim = size_up_to(128),
          .inner = size_up_to(8192),
          .groups = size_up_to(8),
          .state = size_up_to(128),
          .rank = size_or_none(256),
          .convolution = size_or_none(4),
          .convolution_bias = maybe(),
          .projection_bias = maybe(),
          .has_norm = maybe(),
          .full_rank_gate = maybe(),
          .state_bits = maybe() ? 32 : 16};
}

inline domain::Layer any_layer() {
  domain::Layer layer;
  layer.attention = any_attention();
  if (maybe()) layer.recurrent = any_recurrent();
  if (maybe() && maybe()) layer.cross_attention = any_attention();
  layer.feed_forward.width = maybe() ? size_up_to(28672) : 0;
  layer.feed_forward.gated = maybe();
  layer.feed_forward.bias = maybe();
  if (maybe()) {
    layer.feed_forward.experts = domain::Experts{.count = size_up_to(256),
                                                 .active = size_up_to(8),
                                                 .width = size_up_to(4096),
                                                 .shared_width = size_or_none(4096),
                                                 .latent_width = maybe() ? size_up_to(1024) : 0,
                                                 .is_gated = maybe(),
                                                 .shared_gate = maybe(),
                                                 .bias = maybe(),
                                                 .router_bias = maybe(),
                                                 .correction_bias = maybe()};
  }
  layer.norms = *rc::gen::inRange(0, 5);
  layer.norm_bias = maybe();
  layer.extra = any_tensors();
  layer.shifted_values = maybe() ? size_up_to(100000) : 0;
  return layer;
}

/// Runs of these layers, no two of the same beside each other.
inline std::vector<domain::LayerRun> any_runs(const std::vector<domain::Layer>& kinds) {
  std::vector<domain::LayerRun> runs;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const domain::Layer& layer = *rc::gen::elementOf(kinds);
    if (runs.empty() || runs.back().layer != layer) runs.push_back({layer, 0});
    runs.back().count += size_up_to(3);
  }
  return runs;
}

inline domain::Rope any_rope() {
  return {.theta = maybe() ? 10000.0 : 0.0,
          .rotary_dim = size_or_none(128),
          .scaling = maybe() ? "yarn" : "",
          .factor = maybe() ? 1.0 : 32.5,
          .original_max_positions = size_or_none(8192),
          .positions = size_or_none(131072)};
}

inline domain::Model any_model() {
  domain::Model model;
  model.id = "me/Mine";
  model.origin = "overlay";
  if (maybe()) model.aliases = {"mine", any_word()};
  model.family = "family";
  model.architecture = "FamilyForCausalLM";
  model.role = any_of<domain::Role>();
  model.hidden_size = size_up_to(8192);
  model.vocabulary = size_up_to(200'000);
  model.max_context_tokens = size_up_to(131'072);
  model.tied_embeddings = maybe();
  model.has_head = maybe();
  model.has_final_norm = maybe();
  model.final_norm_bias = maybe();
  std::vector<domain::Layer> kinds(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
  std::ranges::generate(kinds, any_layer);
  model.layers = any_runs(kinds);
  model.extra = any_tensors();
  if (maybe()) {
    model.multi_token_prediction = domain::MultiTokenPrediction{
        .layers = any_runs(kinds), .extra = any_tensors(), .holds_embedding = maybe()};
  }
  if (maybe()) {
    model.towers.push_back({.kind = any_of<domain::TowerKind>(),
                            .hidden_size = size_up_to(1280),
                            .layers = size_up_to(48),
                            .heads = size_up_to(16),
                            .width = size_up_to(5120),
                            .gated = maybe(),
                            .parameters = size_or_none(900'000'000),
                            .inner_tokens = size_or_none(4096),
                            .output_tokens = size_or_none(1024),
                            .input_values = size_or_none(3000000)});
  }
  model.rope = maybe() ? domain::Rope{} : any_rope();
  if (maybe()) model.further_ropes = {any_rope(), any_rope()};
  model.weights.other = *rc::gen::element(domain::Quantization::Bf16, domain::Quantization::Fp16,
                                          domain::Quantization::Fp32);
  model.weights.linear = maybe() ? model.weights.other : any_of<domain::Quantization>();
  model.weights.head_quantized = maybe();
  if (maybe()) model.weights.kept = {any_word(), any_word()};
  model.weights.group = *rc::gen::element(0, 64, domain::kWholeRow);
  model.weights.zero_points = maybe();
  model.weights.static_activation_scales = maybe();
  if (maybe()) {
    model.weights.modules = {{.pattern = any_word(),
                              .quantization = any_of<domain::Quantization>(),
                              .group = *rc::gen::element(0, 32, domain::kWholeRow),
                              .zero_points = maybe(),
                              .static_activation_scales = maybe()}};
  }
  if (maybe()) model.checkpoint_kv_cache = any_of<domain::KvCacheType>();
  if (maybe()) model.parameters.stored = size_up_to(1'000'000'000);
  if (maybe()) model.notes = {"explained: by hand", any_word()};
  domain::resolve_modules(model);
  domain::count_all_parameters(model);
  return model;
}

}  // namespace gpushape::catalog::testing
