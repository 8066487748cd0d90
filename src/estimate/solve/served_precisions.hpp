// The precisions that people serve a model in: those that checkpoints are published in and the
// engine has kernels for on the GPU at hand, best quality first.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::estimate::solvers {

/// From what the checkpoint holds downwards. Empty: as stored.
std::vector<std::optional<domain::Quantization>> served_precisions(
    const domain::Model& model, std::string_view engine, const domain::VisibleMemory& gpu);

/// The same for the cache, after the engine's own choice. Empty: there is none.
std::vector<domain::KvCacheType> smaller_caches(std::string_view engine,
                                                const domain::VisibleMemory& gpu);

}  // namespace gpushape::estimate::solvers
