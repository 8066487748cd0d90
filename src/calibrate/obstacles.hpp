// Why figures of a start cannot be held against an estimate: words in a record's notes that speak
// of memory which no term covers, and what is printed of other things than the estimate is of.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/engine_start.hpp"
#include "domain/estimate.hpp"
#include "domain/range.hpp"

namespace gpushape::calibrate {

inline constexpr std::string_view kOwnBuild = "a build of somebody's own";
inline constexpr std::string_view kToldBlocks = "the number of blocks was told";
/// EngineStart::has_other_sizes.
inline constexpr std::string_view kOtherSizes =
    "hf_overrides give the model other sizes than its config has";

enum class Affects { Everything, Pool };

/// Why what it affects cannot be compared; empty where no word says so.
std::string_view obstacle_of(const EngineStart& start, Affects affects);

/// Why what the engine measures of itself is no release's, or no start's alone; empty where it is.
std::string why_unlike_releases(const EngineStart& start);

/// A folder that bears a model's name and holds another: its weights, and what a token keeps in
/// layers of full and latent attention, are both far from the model's.
bool holds_another_model(const EngineStart& start, const domain::Range& weights,
                         const domain::Estimate& estimate);

}  // namespace gpushape::calibrate
