// Multi-head latent attention as configs describe it.
#pragma once

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

domain::Attention read_latent_attention(const ConfigParts& parts);

}  // namespace gpushape::catalog
