// How far the weights of a checkpoint may lie from what its name tells. A name gives base and
// format; which layers stay in 16 bits, how large groups are and whether they have zero points is
// the publisher's recipe.
#pragma once

#include "domain/model.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// Whether publishers' checkpoints of one format differ. Recipes of 4 bits do where nothing tells
/// how small groups are, and where a layer has more than attention and one dense network: with
/// experts or recurrent layers some keep all attention, all recurrent layers and shared experts in
/// 16 bits, some none.
bool has_recipes(const domain::Model& model, const WeightsLayout& layout);

/// Whether a loader that converts linear layers may take those of the encoders of images, too.
bool may_shrink_towers(const domain::Model& model, const WeightsLayout& layout);

/// The least and the most that one stage may hold, bytes against `loaded`: at most zero, and at
/// least.
struct RecipeBounds {
  Bytes less;
  Bytes more;
};
RecipeBounds recipe_bounds(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage, const LoadedWeights& loaded);

}  // namespace gpushape::estimate
