// The common parts of decoders: what almost every family's config says in almost the same words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// A plain decoder: equal layers of attention and a dense network.
void read_dense(ConfigParts& parts);

/// Whether the longest context is the length of a table among the weights, and must be said.
enum class Positions { Rotated, Stored };

/// Hidden size, vocabulary, tied embeddings, longest context, rope, the final norm's bias.
void read_outer(const ConfigParts& parts, Positions positions = Positions::Rotated);
/// The parts of read_outer.
void read_sizes(const ConfigParts& parts);
void read_context(const ConfigParts& parts, Positions positions = Positions::Rotated);

std::int64_t read_layer_count(const ConfigParts& parts);
/// Heads, sizes, biases and norms of a layer's attention, of kind Full.
domain::Attention read_attention(const ConfigParts& parts);
/// As many key-value heads as heads, whose number stands in `field`; each as wide as its part of
/// the hidden size. For configs that name nothing else.
domain::Attention read_equal_heads(const ConfigParts& parts, std::string_view field);
/// Width and biases of the dense network.
domain::FeedForward read_feed_forward(const ConfigParts& parts);
/// Attention, dense network and norms.
domain::Layer read_layer(const ConfigParts& parts);

/// `sliding_window`, or the family's default where the field is absent; nothing for none.
std::optional<std::int64_t> read_window(const ConfigParts& parts);
/// Of each layer whether it slides: by `layer_types`, or by the family's rule.
std::vector<bool> sliding_layers(const ConfigParts& parts, std::int64_t count,
                                 std::optional<std::int64_t> window);
domain::Layer sliding(domain::Layer layer, std::int64_t window_tokens);

/// `field` as one word a layer; empty, after a complaint where it is given and wrong, otherwise.
std::vector<std::string> layer_words(const ConfigParts& parts, std::string_view field,
                                     std::int64_t count);
/// `field` as one number a layer, likewise.
std::vector<std::int64_t> layer_numbers(const ConfigParts& parts, std::string_view field,
                                        std::int64_t count);

/// A norm of `length` with a bias of its own.
inline void add_biased_norm(std::vector<domain::ExtraTensor>& extra, const std::string& name,
                            std::int64_t length) {
  extra.push_back({.name = name, .rows = length});
  extra.push_back({.name = name + ".bias", .rows = length});
}

/// Adds one layer to the model's runs.
void add_layer(std::vector<domain::LayerRun>& runs, const domain::Layer& layer);
inline void add_layer(const ConfigParts& parts, const domain::Layer& layer) {
  add_layer(parts.model().layers, layer);
}
/// The rotated share of a head; after the layers are read.
void read_rotary_dim(const ConfigParts& parts, std::int64_t head_dim);

/// `layer` as it stands in layer after layer, sliding where the config says.
void add_sliding_layers(const ConfigParts& parts, const domain::Layer& layer);

}  // namespace gpushape::catalog
