#include "catalog/parameters.hpp"

namespace gpushape::catalog {
namespace {

// W_q, W_k, W_v, W_o of the Transformer (Vaswani 2017) with grouped KV heads (Ainslie 2023).
std::int64_t count(const domain::Attention& attention, std::int64_t hidden_size) {
  const std::int64_t query = attention.heads * attention.head_dim;
  const std::int64_t key = attention.kv_heads * attention.head_dim;
  const std::int64_t value = attention.kv_heads * attention.value_head_dim;
  const std::int64_t output = attention.heads * attention.value_head_dim;
  std::int64_t total = hidden_size * (query + key + value) + output * hidden_size;
  if (attention.qkv_bias) total += query + key + value;
  if (attention.output_bias) total += hidden_size;
  if (attention.head_norm == domain::HeadNorm::Shared) total += 2 * attention.head_dim;
  return total;
}

// Gate, up and down (Shazeer 2020), or up and down.
std::int64_t count(const domain::FeedForward& feed_forward, std::int64_t hidden_size) {
  const std::int64_t inner = feed_forward.gated ? 2 : 1;
  std::int64_t total = (inner + 1) * hidden_size * feed_forward.width;
  if (feed_forward.bias) total += inner * feed_forward.width + hidden_size;
  return total;
}

std::int64_t count(const domain::Layer& layer, std::int64_t hidden_size) {
  const std::int64_t norm = layer.norm_bias ? 2 * hidden_size : hidden_size;
  return count(layer.attention, hidden_size) + count(layer.feed_forward, hidden_size) +
         layer.norms * norm;
}

}  // namespace

std::int64_t count_parameters(const domain::Model& model) {
  const std::int64_t embeddings = model.vocabulary * model.hidden_size;
  std::int64_t total = embeddings;
  if (model.has_head && !model.tied_embeddings) total += embeddings;
  for (const domain::LayerRun& run : model.layers)
    total += run.count * count(run.layer, model.hidden_size);
  return total + (model.final_norm_bias ? 2 : 1) * model.hidden_size;
}

}  // namespace gpushape::catalog
