// Words in a record's notes that speak of memory which no term covers.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/engine_start.hpp"

namespace gpushape::calibrate {

inline constexpr std::string_view kOwnBuild = "a build of somebody's own";

enum class Affects { Everything, Pool };

/// Why what it affects cannot be compared; empty where no word says so.
std::string_view obstacle_of(const EngineStart& start, Affects affects);

/// Why what the engine measures of itself is no release's, or no start's alone; empty where it is.
std::string why_unlike_releases(const EngineStart& start);

}  // namespace gpushape::calibrate
