// How many parameters an architecture has: the logical count (tied tensors once, no scales, no
// buffers).
#pragma once

#include <cstdint>

#include "domain/model.hpp"

namespace gpushape::catalog {

std::int64_t count_parameters(const domain::Model& model);

/// No model comes near it; what is larger is a typing error and would overflow byte counts.
inline constexpr std::int64_t kMostParameters = 100'000'000'000'000;

}  // namespace gpushape::catalog
