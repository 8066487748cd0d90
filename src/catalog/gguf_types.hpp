// The types of ggml tensors, by number.
#pragma once

#include <cstdint>

#include "catalog/tensor_listing.hpp"

namespace gpushape::catalog {

/// nullptr for a number that is no type.
const StoredType* gguf_type(std::uint32_t number);

}  // namespace gpushape::catalog
