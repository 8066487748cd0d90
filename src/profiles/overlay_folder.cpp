#include "profiles/overlay_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace gpushape::profiles {

namespace {

// More files than this in an overlay folder is no folder of device files.
constexpr std::size_t kMostOverlayFiles = 10'000;

}  // namespace

Result<std::vector<std::string>> overlay_paths(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return failure("'" + folder + "' is no folder", "--profiles-dir takes a folder of YAML files");
  }
  std::vector<std::string> paths;
  const auto take = [&](const fs::path& path) {
    if (path.extension() != ".yaml" && path.extension() != ".yml") return;
    paths.push_back(path.lexically_relative(folder).generic_string());
  };
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (paths.size() > kMostOverlayFiles) break;
    if (!entry->is_directory(error)) {
      take(entry->path());
      continue;
    }
    for (auto inner = fs::directory_iterator(entry->path(), error);
         !error && inner != fs::directory_iterator(); inner.increment(error)) {
      if (paths.size() > kMostOverlayFiles) break;
      take(inner->path());
    }
  }
  if (error) return failure("cannot read '" + folder + "': " + error.message());
  if (paths.size() > kMostOverlayFiles) {
    return failure("'" + folder + "' holds more than " + std::to_string(kMostOverlayFiles) +
                   " YAML files");
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace gpushape::profiles
