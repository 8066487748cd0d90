#include "catalog/overlay_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "document/text_format.hpp"

namespace gpushape::catalog {

namespace fs = std::filesystem;

std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    if (extension == ".yaml" || extension == ".yml") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

Result<document::Document> read_overlay_file(const fs::path& path) {
  Result<std::string> text = document::read_file(path.string());
  if (!text) return std::unexpected(std::move(text.error()));
  Result<std::vector<document::Document>> documents = document::read_yaml(*text, path.string());
  if (!documents) return std::unexpected(std::move(documents.error()));
  if (documents->size() != 1) {
    Diagnostic diagnostic =
        complaint(fmt::format("'{}' holds {} documents", path.string(), documents->size()),
                  "write one model or engine a file");
    diagnostic.span.file = path.string();
    return failure(std::move(diagnostic));
  }
  return std::move(documents->front());
}

}  // namespace gpushape::catalog
