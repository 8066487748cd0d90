// Reformer (arXiv 2001.04451): reversible layers, of which every second attends to what hashes
// alike, with one matrix for queries and keys. It keeps the hidden states of all tokens, which are
// as wide as keys and values together. Source: ReformerConfig and modeling_reformer.py of
// transformers.
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// Both streams of the reversible layers go into the last norm and into the head.
constexpr std::int64_t kReversibleStreams = 2;

domain::Layer read_local_layer(const ConfigParts& parts) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = parts.size({"num_attention_heads", "num_heads"}, "attentionHeads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = parts.size_or({"attention_head_size"}, "headDim", kHeadDim, 64);
  attention.value_head_dim = attention.head_dim;
  layer.feed_forward.width = parts.size_or({"feed_forward_size"}, "feedForwardWidth", kWidth, 512);
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norm_bias = true;
  return layer;
}

// The three matrices of hashed attention stand by name: no other attention has them.
domain::Layer hashed_layer(domain::Layer layer, std::int64_t hidden) {
  const std::int64_t width = layer.attention.heads * layer.attention.head_dim;
  layer.attention.borrows_weights = true;
  for (const char* name : {"self_attn.query_key", "self_attn.value"}) {
    layer.extra.push_back(
        {.name = name, .rows = width, .columns = hidden, .is_linear = true, .is_dealt_out = true});
  }
  layer.extra.push_back(
      {.name = "self_attn.o_proj", .rows = hidden, .columns = width, .is_linear = true});
  return layer;
}

// A table for each axis of a grid of positions; each gives its part of the hidden size.
void add_axial_positions(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (!parts.flag("axial_pos_embds", "", true)) {
    model.extra.push_back({.name = "position_embeddings",
                           .rows = model.max_context_tokens,
                           .columns = model.hidden_size});
    return;
  }
  const auto shape = parts.integers("axial_pos_shape", kContextTokens);
  const auto widths = parts.integers("axial_pos_embds_dim", kHiddenSize);
  if (shape.empty() || shape.size() != widths.size()) {
    parts.fields().complain("axial_pos_shape",
                            "axial_pos_shape and axial_pos_embds_dim must name as many axes");
    return;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    model.extra.push_back({.name = "position_embeddings.weights." + std::to_string(axis),
                           .rows = shape[axis],
                           .columns = widths[axis]});
  }
}

}  // namespace

void read_reformer(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts, Positions::Stored);
  model.rope = {};
  const domain::Layer local = read_local_layer(parts);
  const domain::Layer hash = hashed_layer(local, model.hidden_size);
  for (const std::string& word : parts.fields().texts("attn_layers")) {
    if (word != "local" && word != "lsh") {
      parts.fields().complain("attn_layers", "attn_layers holds '" + word + "'",
                              "known are local and lsh");
      return;
    }
    add_layer(parts, word == "local" ? local : hash);
  }
  parts.from_config("layers");
  add_axial_positions(parts);
  model.has_final_norm = false;  // the common one is as wide as one stream
  const std::int64_t both = kReversibleStreams * model.hidden_size;
  add_biased_norm(model.extra, "encoder.layer_norm", both);
  if (!model.has_head) return;
  model.has_head = false;  // likewise
  model.extra.push_back(
      {.name = "lm_head.decoder", .rows = model.vocabulary, .columns = both, .is_dealt_out = true});
  model.extra.push_back({.name = "lm_head.bias", .rows = model.vocabulary, .is_dealt_out = true});
}

}  // namespace gpushape::catalog
