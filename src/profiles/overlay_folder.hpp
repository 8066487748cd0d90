// A user's folder of device, board and server files.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace gpushape::profiles {

/// Every *.yaml of the folder and of its folders, sorted, as paths below it.
Result<std::vector<std::string>> overlay_paths(const std::string& folder);

}  // namespace gpushape::profiles
