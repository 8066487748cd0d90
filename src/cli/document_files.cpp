#include "cli/document_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "document/text_format.hpp"

namespace gpushape::cli {

namespace fs = std::filesystem;

Result<std::vector<std::string>> document_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".yaml" || extension == ".yml" || extension == ".json") {
        inside.push_back(entry.path().string());
      }
    }
    if (inside.empty()) {
      return failure(fmt::format("{}: the folder holds no .yaml or .json file", path));
    }
    std::ranges::sort(inside);
    std::ranges::copy(inside, std::back_inserter(files));
  }
  return files;
}

Result<std::vector<document::Document>> read_documents(const std::string& file) {
  const Result<std::string> text = document::read_file(file);
  if (!text) return std::unexpected(text.error());
  return document::read_any(*text, file);
}

}  // namespace gpushape::cli
