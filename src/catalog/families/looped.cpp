// Decoders that run their layers several times. Each pass keeps keys and values of its own, for the
// matrices of the first. Sources: vLLM's model_executor/models/ouro.py, iquest_loopcoder.py and
// hrm_text.py, HrmTextConfig of transformers.
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kPasses{.least = 1, .most = 100};

// A layer in a later pass: its cache alone.
domain::Layer again(domain::Layer layer) {
  layer.attention.borrows_weights = true;
  layer.feed_forward = {};
  layer.norms = 0;
  layer.extra.clear();
  return layer;
}

void add_layers(const ConfigParts& parts, const domain::Layer& layer, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) add_layer(parts, layer);
}

}  // namespace

void read_ouro(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  add_sliding_layers(parts, read_layer(parts));
  const std::int64_t passes = parts.size_or({"total_ut_steps"}, "layers", kPasses, 4);
  const std::vector<domain::LayerRun> first = model.layers;
  for (std::int64_t pass = 1; pass < passes; ++pass) {
    for (const domain::LayerRun& run : first) add_layers(parts, again(run.layer), run.count);
  }
  // Says after each pass whether it was the last.
  model.extra.push_back({.name = "early_exit_gate", .rows = 1, .columns = model.hidden_size});
  model.extra.push_back({.name = "early_exit_gate.bias", .rows = 1});
}

// Later passes read the first one's cache of all tokens and a short window of their own, mixed by
// a gate of each head.
void read_iquest_loop(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  const domain::Attention& attention = layer.attention;
  layer.extra.push_back({.name = "gate_projections",
                         .rows = attention.heads,
                         .columns = attention.head_dim,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back(
      {.name = "gate_projections.bias", .rows = attention.heads, .is_dealt_out = true});
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t passes = parts.size_or({"loop_num"}, "layers", kPasses, 2);
  const std::int64_t window =
      parts.size_or({"loop_window_size"}, "slidingWindow", kContextTokens, 64);
  add_layers(parts, layer, count);
  add_layers(parts, sliding(again(layer), window), (passes - 1) * count);
  read_rotary_dim(parts, attention.head_dim);
}

// Two stacks of as many layers: the low one runs L_cycles times, then the high one once, and all
// that H_cycles times. Its norms have no weights.
void read_hrm_text(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  model.has_final_norm = false;
  domain::Layer layer = read_layer(parts);
  layer.attention.kv_heads = layer.attention.heads;
  // What transformers has saved again counts the passes in num_hidden_layers.
  const auto per_stack = parts.size_if({"num_layers_per_stack"}, "layers", kLayers);
  const std::int64_t count = per_stack ? *per_stack : read_layer_count(parts);
  const std::int64_t high = parts.size_or({"H_cycles"}, "layers", kPasses, 2);
  const std::int64_t low = parts.size_or({"L_cycles"}, "layers", kPasses, 3);
  const domain::Layer repeated = again(layer);
  add_layers(parts, layer, count);
  add_layers(parts, repeated, (low - 1) * count);
  add_layers(parts, layer, count);
  add_layers(parts, repeated, (high - 1) * (low + 1) * count);
  model.extra.push_back({.name = "z_L_init", .rows = model.hidden_size});
  read_rotary_dim(parts, layer.attention.head_dim);
}

}  // namespace gpushape::catalog
