// What configs of recurrent mixers share.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

inline constexpr document::IntegerBounds kKernel{.least = 1, .most = 1'000};
inline constexpr document::IntegerBounds kState{.least = 1, .most = 100'000};

/// Bits of one value of the state: as the config says (`mamba_ssm_dtype`), else as the model.
int state_bits(const ConfigParts& parts);

/// Of Mamba-2's scan: `mamba_chunk_size`, `chunk_size`, or the classes' default.
std::int64_t chunk_of(const ConfigParts& parts);

/// Mamba's selective scan.
domain::Recurrent read_mamba_mixer(const ConfigParts& parts);
/// The delta rule with a gate of Qwen's hybrids. `heads` where the config counts none; 0 for
/// required.
domain::Recurrent read_gated_delta(const ConfigParts& parts, std::int64_t heads = 0);
/// Of each layer whether its attention is linear.
std::vector<bool> linear_layers(const ConfigParts& parts, std::int64_t count);

/// A layer whose only mixer is recurrent.
domain::Layer recurrent_layer(domain::Recurrent mixer);

}  // namespace gpushape::catalog
