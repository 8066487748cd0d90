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

/// A layout, and what it were on one rank that holds everything.
struct Layouts {
  explicit Layouts(const WeightsLayout& layout) : rank(layout), alone(layout) {
    alone.tensor_parallel = 1;
    alone.data_parallel = 1;
    alone.expert_parallel = 1;
    alone.dense_parallel = 1;
    is_dealt_out = rank != alone;
  }

  WeightsLayout rank;
  WeightsLayout alone;
  bool is_dealt_out = false;  ///< the two are not the same
};

/// What tensors come to in memory.
struct Allocations {
  std::vector<std::int64_t> bytes;  ///< of each, in the order in which engines make them
  std::int64_t once = 0;            ///< of all, on one rank that holds everything

  void clear() {
    bytes.clear();
    once = 0;
  }
};

/// Adds the allocations of `tensors`. `layer` counts over the whole network (domain::kOutsideLayers
/// for tensors of no layer).
void append_allocations(std::span<const domain::Tensor> tensors, const domain::Model& model,
                        const Layouts& layouts, std::int64_t layer, bool is_multi_token,
                        Allocations& allocations);

/// What one layer keeps beside its tensors: scale factors of attention, halves of latents.
void append_extras(const domain::Layer& layer, const domain::Model& model, const Layouts& layouts,
                   Allocations& allocations);

}  // namespace gpushape::estimate
