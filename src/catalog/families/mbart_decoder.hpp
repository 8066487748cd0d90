// mBART's decoder behind an encoder of another kind.
#pragma once

#include "catalog/families/config_parts.hpp"

namespace gpushape::catalog {

/// Its layers, norms and sizes, without positions; what the encoder hands over is told later.
void read_mbart_decoder(ConfigParts& parts);

}  // namespace gpushape::catalog
