// The arithmetic of towers: what their blocks, embeddings and projectors hold.
#pragma once

#include <cstdint>

namespace gpushape::catalog {

/// One block of an encoder: attention, a network, two norms.
struct TowerBlock {
  std::int64_t hidden = 0;
  std::int64_t width = 0;
  std::int64_t inner = 0;     ///< heads x head size; 0 for hidden
  std::int64_t kv_inner = 0;  ///< likewise of keys; 0 for inner
  bool attention_bias = true;
  bool network_bias = true;
  bool is_gated = false;
  std::int64_t norm_values = 0;  ///< of all its norms
};

constexpr std::int64_t values_of(const TowerBlock& block) {
  const std::int64_t inner = block.inner > 0 ? block.inner : block.hidden;
  const std::int64_t gates = block.is_gated ? 2 : 1;
  const std::int64_t kv_inner = block.kv_inner > 0 ? block.kv_inner : inner;
  std::int64_t total =
      2 * block.hidden * (inner + kv_inner) + (gates + 1) * block.hidden * block.width;
  if (block.attention_bias) total += inner + 2 * kv_inner + block.hidden;
  if (block.network_bias) total += gates * block.width + block.hidden;
  return total + block.norm_values;
}

/// A gated block with norms of weights alone, and without biases.
constexpr std::int64_t values_of_plain_gated(std::int64_t hidden, std::int64_t width) {
  return values_of({.hidden = hidden,
                    .width = width,
                    .attention_bias = false,
                    .network_bias = false,
                    .is_gated = true,
                    .norm_values = 2 * hidden});
}

/// A linear layer, with or without bias.
constexpr std::int64_t linear_values(std::int64_t inputs, std::int64_t outputs, bool bias = true) {
  return inputs * outputs + (bias ? outputs : 0);
}

/// BLIP-2's Q-Former over an encoder's outputs: queries attend to one another and, in every so many
/// layers, to what was `seen`; networks and norms of queries alone.
struct QFormer {
  std::int64_t hidden = 0;
  std::int64_t width = 0;
  std::int64_t layers = 1;
  std::int64_t seen = 0;   ///< width of an output of the encoder
  std::int64_t every = 1;  ///< cross_attention_frequency
};

constexpr std::int64_t values_of(const QFormer& former) {
  const std::int64_t hidden = former.hidden;
  const std::int64_t layer =
      values_of(TowerBlock{.hidden = hidden, .width = former.width, .norm_values = 4 * hidden});
  const std::int64_t looks =
      2 * linear_values(hidden, hidden) + 2 * linear_values(former.seen, hidden) + 2 * hidden;
  const std::int64_t looking = (former.layers + former.every - 1) / former.every;
  return 2 * hidden + former.layers * layer + looking * looks;
}

}  // namespace gpushape::catalog
