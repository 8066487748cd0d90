// What readers of encoders of sound share: their heads by class, and a conformer's convolution.
#pragma once

#include <cstdint>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// What stands on an encoder of sound by its class: letters, labels of a recording or of each
/// frame, a voice; `width` is that of what it gives.
void add_sound_head(const ConfigParts& parts, std::int64_t width);

/// The vector in the place of masked frames, which is there where training masks any.
void add_masked_frame(const ConfigParts& parts);

/// Behind a conformer's attention: two matrices, the first of them gated, and a convolution that
/// keeps channels apart.
void add_conformer_convolution(const ConfigParts& parts, domain::Layer& layer);

}  // namespace gpushape::catalog
