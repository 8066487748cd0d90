// Encoders of images and sound beside a decoder, and the projectors to its space: how many
// parameters they have and what their largest input becomes. One function for each kind, from the
// mapping that configures it; sources stand beside each.
#pragma once

#include <cstdint>

#include "catalog/families/config_parts.hpp"
#include "catalog/fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// CLIP's image encoder with both of its outer norms.
domain::Tower clip_tower(const Fields& vision);
/// Width, layers and heads alone; those of its large model where the config does not say.
domain::Tower whisper_sizes(const Fields& audio);
/// `mel_bins`: of its class, where the config does not say.
domain::Tower whisper_tower(const Fields& audio, std::int64_t mel_bins = 80);
/// The same of sizes that are known: hidden size, width, layers, heads and positions of `tower`.
domain::Tower whisper_of(domain::Tower tower, std::int64_t bins);
domain::Tower mllama_tower(const Fields& vision, std::int64_t hidden_size);

/// Towers whose sizes stand in the modeling code rather than in the config.
void add_eva_tower(const ConfigParts& parts);
void add_molmo_tower(const ConfigParts& parts);

}  // namespace gpushape::catalog
