#include "calibrate/model_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gpushape::calibrate {
namespace {

/// huggingface_hub file_download.py, repo_folder_name: "models--Qwen--Qwen2.5-7B-Instruct".
constexpr std::string_view kHubFolder = "models--";
constexpr std::string_view kHubMark = "--";

/// modelscope snapshot_download.py: a folder's name has no dots, "Qwen2___5-3B".
constexpr std::string_view kModelScopeDot = "___";

/// A file that people name after the model in it and its type, "Qwen2-7B-Instruct.Q4_K_M.gguf".
constexpr std::string_view kGgufEnd = ".gguf";

/// Of a file in parts, "-00001-of-00006" (llama.cpp, gguf-split).
constexpr std::string_view kPartMark = "-of-";
constexpr std::size_t kPartDigits = 5;

/// llama.cpp keeps a file that it fetched as "unsloth_Qwen2.5-VL-32B-Instruct-GGUF_BF16_…".
constexpr std::string_view kFetchedMark = "-GGUF_";

/// Kaggle mounts a model at /kaggle/input/…/MODEL/FRAMEWORK/VARIATION/VERSION
/// (https://www.kaggle.com/docs/models).
constexpr auto kKaggleFrameworks =
    std::to_array<std::string_view>({"transformers", "pytorch", "gguf", "keras", "other"});

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return parts;
}

std::string with_dots(std::string_view part) {
  std::string name(part);
  for (std::size_t at = name.find(kModelScopeDot); at != std::string::npos;
       at = name.find(kModelScopeDot, at)) {
    name.replace(at, kModelScopeDot.size(), ".");
  }
  return name;
}

/// Whoever keeps a dot out of a folder's name may write "qwen-2_5-math-1_5B", and that it is local.
void add_spelled_names(std::string_view folder, std::vector<std::string>& names) {
  constexpr std::string_view kLocal = "local-";
  const bool is_local = folder.starts_with(kLocal);
  if (is_local) folder.remove_prefix(kLocal.size());
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  std::string name(folder);
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    if (name[at] == '_' && is_digit(name[at - 1]) && is_digit(name[at + 1])) name[at] = '.';
  }
  if (is_local || name != folder) names.push_back(std::move(name));
}

void add_kaggle_names(const std::vector<std::string_view>& parts, std::vector<std::string>& names) {
  if (parts.empty() || parts.front() != "kaggle") return;
  for (std::size_t at = 1; at + 1 < parts.size(); ++at) {
    if (std::ranges::find(kKaggleFrameworks, parts[at]) == kKaggleFrameworks.end()) continue;
    const std::string model(parts[at - 1]);
    const std::string variation(parts[at + 1]);
    names.push_back(variation);
    names.push_back(fmt::format("{}-{}", model, variation));
    names.push_back(model);
  }
}

/// ModelScope's tools keep "Qwen--Qwen2.5-7B-Instruct/snapshots/master".
void add_marked_names(const std::vector<std::string_view>& parts, std::vector<std::string>& names) {
  for (const std::string_view part : parts) {
    const std::size_t mark = part.find(kHubMark);
    if (part.starts_with(kHubFolder) || mark == 0 || mark == std::string_view::npos) continue;
    names.push_back(
        fmt::format("{}/{}", part.substr(0, mark), part.substr(mark + kHubMark.size())));
  }
}

/// Without its ending and the number of its part.
std::string_view without_part(std::string_view file) {
  file.remove_suffix(kGgufEnd.size());
  const std::size_t mark = file.rfind(kPartMark);
  const bool is_part = mark != std::string_view::npos && mark > kPartDigits + 1 &&
                       mark + kPartMark.size() + kPartDigits == file.size();
  return is_part ? file.substr(0, mark - kPartDigits - 1) : file;
}

/// Of a GGUF file: its own, and what stands behind the repository that it was fetched from or
/// behind the name of that.
void add_file_names(std::string_view file, std::vector<std::string>& names) {
  std::string_view name = without_part(file);
  names.emplace_back(name);
  if (const std::size_t blank = name.rfind(' '); blank != std::string_view::npos)
    names.emplace_back(name.substr(blank + 1));
  const std::size_t fetched = name.find(kFetchedMark);
  if (fetched == std::string_view::npos) return;
  name.remove_prefix(fetched + kFetchedMark.size());
  names.emplace_back(name);
  for (std::size_t mark = name.find('_'); mark != std::string_view::npos; mark = name.find('_')) {
    name.remove_prefix(mark + 1);
    names.emplace_back(name);
  }
}

}  // namespace

std::optional<std::string> name_in_hub_cache(std::string_view path) {
  for (std::string_view part : parts_of(path)) {
    if (!part.starts_with(kHubFolder)) continue;
    part.remove_prefix(kHubFolder.size());
    std::string name(part);
    const std::size_t mark = name.find(kHubMark);
    if (mark != std::string::npos) name.replace(mark, kHubMark.size(), "/");
    return name;
  }
  return std::nullopt;
}

std::vector<std::string> names_in_path(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  std::vector<std::string> names;
  add_marked_names(parts, names);
  add_kaggle_names(parts, names);
  if (parts.empty()) return names;
  const std::string last = with_dots(parts.back());
  if (parts.size() > 1) names.push_back(std::string(parts[parts.size() - 2]) + "/" + last);
  names.push_back(last);
  add_spelled_names(last, names);
  if (last.ends_with(kGgufEnd)) add_file_names(last, names);
  return names;
}

}  // namespace gpushape::calibrate
