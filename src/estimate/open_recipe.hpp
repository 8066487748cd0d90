// How far the weights of a checkpoint may lie from what its name tells. A name gives base and
// format; which layers stay in 16 bits, how large groups are and whether they have zero points is
// the publisher's recipe.
#pragma once

#include "domain/model.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// Who tells the format of the weights.
enum class ToldBy {
  Checkpoint,  ///< its config.json, its header or the catalog, each with the recipe
  Name,        ///< the end of a repository's name
  Request      ///< asked for in place of what is stored: any publisher's checkpoint
};

/// Recipes of 4 bits differ where a layer has more than attention and one dense network: with
/// experts or recurrent layers some keep all attention, all recurrent layers and shared experts in
/// 16 bits, some none. Dense models whose names tell the format have the usual groups; where nobody
/// names a checkpoint, groups may be small.
bool is_recipe_open(const domain::Model& model, const domain::WeightScheme& scheme, ToldBy told);

/// The least and the most that one stage may hold, bytes against `loaded`: at most zero, and at
/// least.
struct RecipeBounds {
  Bytes less;
  Bytes more;
};
RecipeBounds recipe_bounds(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage, const LoadedWeights& loaded);

}  // namespace gpushape::estimate
