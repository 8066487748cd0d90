// How many layers a header numbers, by the name before their number ("model.layers").
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/tensor_listing.hpp"

namespace gpushape::catalog {

/// The length of each series of layers that begins at 0 and has no gap: not those of towers, nor
/// layers that predict further tokens.
std::vector<std::int64_t> layer_series(const TensorListing& listing);

}  // namespace gpushape::catalog
