// Phi-4-mini-flash (SambaY, arXiv 2507.06607): Mamba in every other layer, differential attention
// in the others, in the first half within a window. Of the second half, one mixer and one full
// attention work as before; later layers gate that mixer's output, or attend to that attention's
// cache with queries of their own. No positions. Source: vLLM 0.10
// model_executor/models/phi4flash.py.
#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

// Four vectors of the difference's weight, and the norm behind it, of two heads.
void add_difference(domain::Layer& layer, std::int64_t head_dim) {
  for (const char* name : {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"})
    layer.extra.push_back({.name = name, .rows = head_dim, .is_float32 = true});
  layer.extra.push_back({.name = "subln", .rows = 2 * head_dim});
}

// Queries on the cache of the one full layer.
domain::Layer crossing(domain::Layer layer, std::int64_t hidden_size) {
  const std::int64_t query = layer.attention.heads * layer.attention.head_dim;
  layer.attention.shares_cache = true;
  layer.attention.borrows_weights = true;
  layer.extra.push_back({.name = "attn.Wqkv",
                         .rows = query,
                         .columns = hidden_size,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "attn.Wqkv.bias", .rows = query, .is_dealt_out = true});
  layer.extra.push_back({.name = "attn.out_proj",
                         .rows = hidden_size,
                         .columns = query,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "attn.out_proj.bias", .rows = hidden_size});
  return layer;
}

// A gate on the output of the one mixer of the second half: nothing is kept.
domain::Layer gating(domain::Layer layer, std::int64_t hidden_size) {
  const std::int64_t inner = layer.recurrent->inner;
  layer.recurrent.reset();
  layer.attention.kind = domain::LayerKind::None;
  layer.extra.push_back({.name = "attn.in_proj",
                         .rows = inner,
                         .columns = hidden_size,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "attn.out_proj",
                         .rows = hidden_size,
                         .columns = inner,
                         .is_linear = true,
                         .is_dealt_out = true});
  return layer;
}

}  // namespace

void read_phi4flash(ConfigParts& parts) {
  read_outer(parts);
  parts.model().rope = {};
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::Layer full = read_layer(parts);
  add_difference(full, full.attention.head_dim);
  domain::Layer mamba = full;
  mamba.attention = {};
  mamba.attention.kind = domain::LayerKind::Recurrent;
  mamba.recurrent = read_mamba_mixer(parts);
  mamba.extra.clear();
  const std::int64_t period = parts.size_or({"mb_per_layer"}, "", kLayers, 2);
  const std::optional<std::int64_t> window = read_window(parts);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool crosses = i >= count / 2 + 2;
    if (i % period == 0) {
      add_layer(parts, crosses ? gating(mamba, hidden_size) : mamba);
    } else if (crosses) {
      add_layer(parts, crossing(full, hidden_size));
    } else {
      add_layer(parts, window && i < count / 2 ? sliding(full, *window) : full);
    }
  }
}

}  // namespace gpushape::catalog
