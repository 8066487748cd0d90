// What a path to a model says of its name: programs that fetch models keep them under names of
// their own making, and people under the model's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpushape::calibrate {

/// Names that the model at `path` may have, the surest first; empty for a path without parts.
std::vector<std::string> names_in_path(std::string_view path);

}  // namespace gpushape::calibrate
