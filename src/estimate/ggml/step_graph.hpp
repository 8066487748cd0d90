// The graph of a step in llama.cpp: what follows from a model's layers and what the build at hand
// does, however large the step is.
//
// Dense and gated networks, mixtures of experts, full, sliding and latent attention are built
// tensor by tensor, encoders too; mixers with a state by their large tensors. Source: llama.cpp
// src/llama-graph.cpp (build_attn, build_ffn, build_moe_ffn) and src/models/.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/kv_cache_type.hpp"
#include "domain/model.hpp"
#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {

/// What builds of llama.cpp do differently.
struct BuildHabits {
  bool flash_attention = true;
  bool has_half_mask = true;         ///< the mask is made in 16 bits for flash attention
  bool has_embedding_input = true;   ///< room for embeddings beside tokens
  bool rotates_quantized = true;     ///< queries, keys and values before a quantized cache
  bool writes_rows = true;           ///< into the cache by row numbers; before: copies into views
  bool fuses_gates = true;           ///< activation and product in one; before: each in place
  bool copies_split_heads = false;   ///< of one tensor for queries, keys and values; now: views
  bool is_latent_compressed = true;  ///< latent attention works on latents
  bool encoders_make_heads_first = true;  ///< before attention; before: as attention asks for them
  bool offloads_products = false;  ///< the first GPU computes with what lies on the host, too

  bool operator==(const BuildHabits&) const = default;
};

struct GraphPlan {
  BuildHabits habits;
  domain::KvCacheType key_type = domain::KvCacheType::Fp16;
  domain::KvCacheType value_type = domain::KvCacheType::Fp16;
  /// Device of each layer, and of the head behind the last; the host is `devices - 1`.
  std::vector<int> device_of_layer;
  int devices = 1;
  /// Matrices of each layer, and the head's behind the last, for those that lie with the host and
  /// are computed elsewhere.
  std::vector<std::vector<StoredWeight>> weights_of_layer = {};
  /// Layers that repeat what others before them do are left out: the allocator does with them what
  /// it did with those, so that no buffer grows.
  bool leaves_out_repeats = true;
};

Graph step_graph(const domain::Model& model, const GraphPlan& plan);

}  // namespace gpushape::estimate::ggml
