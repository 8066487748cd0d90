// What readers of image encoders share: bounds of their fields, patches, sizes, and SigLIP's
// blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "catalog/families/config_parts.hpp"
#include "catalog/fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

inline constexpr document::IntegerBounds kPatchEdge{.least = 1, .most = 256};
inline constexpr document::IntegerBounds kMergeEdge{.least = 1, .most = 16};  // of what is merged
inline constexpr document::IntegerBounds kImageEdge{.least = 1, .most = 10'000};
inline constexpr document::IntegerBounds kImageCount{.least = 0, .most = 100'000};
inline constexpr std::int64_t kColours = 3;

void add_tower(const ConfigParts& parts, const domain::Tower& tower);

/// Pixels of an image's edge, of a patch's edge, and patches along the edge.
struct Patches {
  std::int64_t image = 0;
  std::int64_t patch = 0;
  std::int64_t side = 0;
};
Patches read_patches(const Fields& vision, std::int64_t image, std::int64_t patch);

/// Hidden size, width, layers and heads; those of `otherwise` where the config is silent.
domain::Tower read_sizes(const Fields& vision, const domain::Tower& otherwise);

/// SiglipVisionModel: patches with bias, learned positions, a norm at the end; no class token.
std::int64_t siglip_values(const domain::Tower& tower, std::int64_t patch, std::int64_t positions);

/// The pooling head of the same, which LLaVA's classes load though they do not ask it: one query
/// that attends to all patches, a norm and a network.
std::int64_t siglip_head_values(const domain::Tower& tower);

}  // namespace gpushape::catalog
