// One rank's share of a layer's tensors, as the allocations that an engine makes for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/model.hpp"
#include "domain/tensors.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// What a tensor comes to on one rank.
struct RankTensor {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  ///< 0 for a vector
  std::int64_t copies = 1;
};
RankTensor on_rank(const domain::Tensor& tensor, const domain::Model& model,
                   const WeightsLayout& layout);

/// The width of one rank's part of an expert: as it is dealt out, and as the kernels hold it.
struct ExpertWidth {
  std::int64_t shared = 0;
  std::int64_t padded = 0;
};
ExpertWidth expert_width_on_rank(std::int64_t width, const WeightsLayout& layout);

/// A table inside a layer, of which a token reads a few rows (n-grams of Qwen3.8-Flash-Next).
bool is_looked_up(const domain::Tensor& tensor, std::int64_t layer);
/// Whether any layer of the model has one.
bool has_tables_in_layers(const domain::Model& model);

/// Appends the bytes of each allocation, in the order in which engines make them. `layer` counts
/// over the whole network (domain::kOutsideLayers for tensors of no layer).
void append_allocations(std::span<const domain::Tensor> tensors, const domain::Model& model,
                        const WeightsLayout& layout, std::int64_t layer, bool is_multi_token,
                        std::vector<std::int64_t>& bytes);

/// What one layer keeps beside its tensors: scale factors of attention, halves of latents.
void append_extras(const domain::Layer& layer, const domain::Model& model,
                   const WeightsLayout& layout, std::vector<std::int64_t>& bytes);

}  // namespace gpushape::estimate
