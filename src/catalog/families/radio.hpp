// C-RADIO, the image encoder of NVIDIA's models.
#pragma once

#include <cstdint>

#include "catalog/fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// The encoder that `args` configures, before what follows it; `tokens` are its class and register
/// tokens. No layers, after a complaint, where its name is not known.
domain::Tower radio_encoder(const Fields& args, std::int64_t patch, std::int64_t tokens);

}  // namespace gpushape::catalog
