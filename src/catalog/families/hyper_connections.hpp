// Streams of the residual that DeepSeek-V4 and GLM-5-Next mix in place of the sum.
#pragma once

#include <cstdint>

#include "domain/layer.hpp"

namespace gpushape::catalog {

/// `streams` copies of the residual, mixed before and after each half of a layer (arXiv 2409.19606).
void add_hyper_connections(domain::Layer& layer, std::int64_t streams, std::int64_t hidden_size);

}  // namespace gpushape::catalog
