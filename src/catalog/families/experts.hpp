// Mixtures of experts: their sizes under all the names that families give them, and which layers
// have them.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

struct ExpertTraits {
  bool width_is_intermediate = false;  ///< `intermediate_size` is the width of one expert
  bool counts_shared = false;          ///< `n_shared_experts` of the routed experts' width
  bool has_shared_width = false;       ///< `shared_expert_intermediate_size`
  bool shared_gate = false;
  bool correction_bias = false;
  bool bias = false;
  bool router_bias = false;
  bool is_gated = true;
  std::int64_t count = 0;  ///< defaults of absent fields; 0 for required
  std::int64_t active = 0;
  std::int64_t width = 0;
  std::int64_t shared_width = 0;  ///< with has_shared_width; 0 for none
};

domain::Experts read_experts(const ConfigParts& parts, const ExpertTraits& traits);

/// Of each layer whether it is a mixture: by a list of the config, by its first dense layers, or by
/// its period. All are, where the config says nothing.
std::vector<bool> mixture_layers(const ConfigParts& parts, std::int64_t count);

/// A decoder whose layers are mixtures or dense, with a window where the family has one.
void read_mixture(const ConfigParts& parts, const ExpertTraits& traits);

/// What stands before a layer that predicts a further token: a projection of two states to one,
/// and the norms of both; after it a norm.
struct MultiTokenTraits {
  bool holds_embedding = false;
};
void add_multi_token(const ConfigParts& parts, const domain::Layer& layer, std::int64_t count,
                     MultiTokenTraits traits = {});

}  // namespace gpushape::catalog
