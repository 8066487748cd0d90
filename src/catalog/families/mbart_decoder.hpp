// BART's layers, and mBART's decoder behind an encoder of another kind.
#pragma once

#include <cstdint>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// A layer of a decoder, which attends to an encoder's output as well.
domain::Layer bart_layer(std::int64_t hidden, std::int64_t heads, std::int64_t width);

/// Its layers, norms and sizes, without positions; what the encoder hands over is told later.
void read_mbart_decoder(ConfigParts& parts);

}  // namespace gpushape::catalog
