#include "cli/review_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "document/text_format.hpp"
#include "review/read_input.hpp"

namespace gpushape::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kReviewed =
    std::to_array<std::string_view>({".yaml", ".yml", ".json", ".tf", ".sh", ".service"});
constexpr std::size_t kMostFiles = 100'000;  // ours: below one folder

bool is_reviewed(const fs::path& path) {
  return std::ranges::find(kReviewed, path.extension().string()) != kReviewed.end();
}

/// Manifests below a folder. Templates of a chart are no YAML before Helm has filled them in.
void list_folder(const fs::path& folder, int depth, std::vector<std::string>& files,
                 std::vector<std::string>& notes) {
  std::error_code error;
  std::vector<fs::path> inside;
  for (const auto& entry : fs::directory_iterator(folder, error)) inside.push_back(entry.path());
  std::ranges::sort(inside);
  const bool is_chart = fs::exists(folder / "Chart.yaml", error);
  for (const fs::path& path : inside) {
    if (files.size() >= kMostFiles || depth > 20) return;
    if (fs::is_directory(path, error)) {
      const std::string name = path.filename().string();
      if (name.starts_with('.') || fs::is_symlink(path, error)) continue;
      if (is_chart && name == "templates") {
        notes.push_back(
            fmt::format("{}: templates are read after Helm: helm template {} | gpushape review -",
                        path.string(), folder.string()));
        continue;
      }
      list_folder(path, depth + 1, files, notes);
    } else if (is_reviewed(path) && !(is_chart && path.filename() == "Chart.yaml")) {
      files.push_back(path.string());
    }
  }
}

}  // namespace

Result<ReviewFiles> read_review_files(const std::vector<std::string>& given) {
  ReviewFiles read;
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    list_folder(path, 0, files, read.notes);
    if (files.size() == before && read.notes.empty()) {
      return failure(fmt::format("{}: the folder holds no manifest", path),
                     "a review reads .yaml, .yml, .json, .tf, .sh and .service files");
    }
  }
  for (const std::string& file : files) {
    const Result<std::string> text = document::read_file(file);
    auto input = text ? review::read_what_can_be(*text, file)
                      : review::InputDocuments{{}, std::move(text).error()};
    if (!input.documents.empty()) read.files.push_back(file);
    std::ranges::move(input.documents, std::back_inserter(read.documents));
    std::ranges::move(input.faults, std::back_inserter(read.faults));
  }
  return read;
}

}  // namespace gpushape::cli
