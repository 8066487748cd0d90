// Qwen's image encoders, which its omni models have beside an encoder of sound.
#pragma once

#include <cstdint>

#include "catalog/fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `out` is the decoder's hidden size; `deep` counts the further mergers of Qwen3-VL where the
/// config does not.
domain::Tower qwen2_tower(const Fields& vision, std::int64_t out);
domain::Tower qwen3_tower(const Fields& vision, std::int64_t out, std::int64_t deep = 3);

}  // namespace gpushape::catalog
