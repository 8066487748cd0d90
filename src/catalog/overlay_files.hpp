// The files of a user's overlay folder.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::catalog {

/// The YAML files of the folder by name; a folder that is not there has none.
std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder);

/// A file that holds one document.
Result<document::Document> read_overlay_file(const std::filesystem::path& path);

}  // namespace gpushape::catalog
