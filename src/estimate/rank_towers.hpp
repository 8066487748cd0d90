// One rank's share of the encoders of images and sound, as the allocations that an engine makes for
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/model.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// Whether ranks share a tower's attention, which each has whole where the heads do not divide.
/// Source: vLLM model_executor/models/intern_vit.py (InternSdpaAttention); InternVL3-78B, whose
/// tower has 25 heads, loads 21.67 GiB on each of 8 ranks (0.6.6.post1), 18.66 if they were shared.
bool shares_heads(const domain::Tower& tower, std::int64_t ranks);

/// A tower's allocations, in bytes; its linear layers are shared by the ranks, the rest is copied.
struct TowerAllocations {
  std::vector<std::int64_t> layer;  ///< of each
  std::int64_t layers = 0;
  std::vector<std::int64_t> rest;  ///< behind the layers

  [[nodiscard]] std::int64_t bytes() const;
};
TowerAllocations tower_allocations(const domain::Tower& tower, const domain::Model& model,
                                   const WeightsLayout& layout);

}  // namespace gpushape::estimate
