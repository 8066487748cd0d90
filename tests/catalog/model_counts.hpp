// What tests count of a model: its parameters, its layers of a kind, those that keep a cache.
#pragma once

#include <cstdint>

#include "domain/model.hpp"

namespace gpushape::catalog::testing {

inline std::int64_t parameters_of(const domain::Model& model) { return model.parameters.total; }

inline std::int64_t layers_of_kind(const domain::Model& model, domain::LayerKind kind) {
  std::int64_t count = 0;
  for (const auto& run : model.layers) {
    if (run.layer.attention.kind == kind) count += run.count;
  }
  return count;
}

inline std::int64_t caching_layers(const domain::Model& model) {
  std::int64_t count = 0;
  for (const auto& run : model.layers) {
    const auto& attention = run.layer.attention;
    if (attention.heads > 0 && attention.kind != domain::LayerKind::None && !attention.shares_cache)
      count += run.count;
  }
  return count;
}

}  // namespace gpushape::catalog::testing
