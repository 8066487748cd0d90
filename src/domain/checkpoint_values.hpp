// How many values the files of a quantized checkpoint hold. Published totals of such repositories
// count words of packed weights and scales one by one, so that they are neither the number of
// parameters nor of bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/model.hpp"

namespace gpushape::domain {

/// As llm-compressor writes them (compressed-tensors): one scale for each output row or tensor, or
/// 32-bit words of packed integers with a scale for each group and the two sizes of each matrix.
/// Nothing for formats that it writes otherwise.
std::optional<std::int64_t> checkpoint_values(const Model& model);

}  // namespace gpushape::domain
