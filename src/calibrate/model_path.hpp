// What a path to a model says of its name: programs that fetch models keep them under names of
// their own making, and people under the model's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::calibrate {

/// The repository that the Hub's own cache keeps at `path`; nothing for a path that is not in it.
std::optional<std::string> name_in_hub_cache(std::string_view path);

/// Names that the model at `path` may have by those of its folders, the surest first; empty for a
/// path without parts.
std::vector<std::string> names_in_path(std::string_view path);

}  // namespace gpushape::calibrate
