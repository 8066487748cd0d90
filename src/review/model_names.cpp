#include "review/model_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

namespace gpushape::review {

namespace {

/// Folders that stand around models and name none; ours, from what charts and images use.
constexpr auto kPlainFolders = std::to_array<std::string_view>(
    {"models", "model",   "mnt",        "data",        "weights", "checkpoint", "checkpoints",
     "latest", "main",    "hf",         "hub",         "cache",   "snapshots",  "original",
     "vllm",   "storage", "model-repo", "huggingface", "opt",     "local",      "files",
     "llm",    "repo",    "artifacts",  "pvc",         "llms",    "engine",     "default"});

/// What stands in front of a model's name in the image that carries it.
constexpr auto kImagePrefixes = std::to_array<std::string_view>({"modelcar-", "model-"});

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "1", "v2", a commit's 40 digits.
bool is_version_folder(std::string_view folder) {
  if (folder.starts_with('v')) folder.remove_prefix(1);
  if (std::ranges::all_of(folder, [](char c) { return is_digit(c) || c == '.'; })) return true;
  return folder.size() >= 40 &&
         std::ranges::all_of(folder, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_plain_folder(std::string_view folder) {
  const std::string lower = in_lower_case(folder);
  return folder.empty() || is_version_folder(lower) ||
         std::ranges::find(kPlainFolders, lower) != kPlainFolders.end();
}

/// "8b", "0.5B", "8x7b", "270m": a count of parameters among the parts of a name.
bool tells_size(std::string_view name) {
  const std::string lower = in_lower_case(name);
  for (std::size_t at = 1; at < lower.size(); ++at) {
    const bool is_unit = lower[at] == 'b' || lower[at] == 'm';
    const bool is_end =
        at + 1 == lower.size() || !std::isalnum(static_cast<unsigned char>(lower[at + 1]));
    if (is_unit && is_end && is_digit(lower[at - 1])) return true;
  }
  return false;
}

/// "model-q4_k_m-00001-of-00003.gguf" -> "model-q4_k_m"
std::string_view without_file_ending(std::string_view name) {
  for (const std::string_view ending : {".gguf", ".safetensors"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  constexpr std::size_t kPart = std::string_view("-00001-of-00003").size();
  if (name.size() > kPart && name.substr(name.size() - kPart + 6, 4) == "-of-") {
    name.remove_suffix(kPart);
  }
  return name;
}

/// A path's parts, the last first.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!part.empty()) parts.push_back(part);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
  return parts;
}

/// The part that may name a model: the last one that is not a plain folder; empty: none.
std::string_view naming_part(std::string_view path) {
  for (const std::string_view part : parts_of(path)) {
    if (!is_plain_folder(part)) return without_file_ending(part);
  }
  return {};
}

/// What is found by a bare name alone. Without a size "deepseek-r1" may be any of its family,
/// unless it is the publisher's own spelling.
std::optional<std::string> found_by_name(std::string_view name, const catalog::Catalog& catalog) {
  if (name.empty() || name.find_first_of("$({*<") != std::string_view::npos) return std::nullopt;
  const auto model = catalog.find_name(name);
  if (!model) return std::nullopt;
  const bool is_own_spelling = model->id.ends_with("/" + std::string(name));
  if (!tells_size(name) && !is_own_spelling) return std::nullopt;
  return std::string(name);
}

/// "oci://quay.io/org/modelcar-catalog:qwen2.5-7b-instruct": the image or its tag names the model.
std::optional<std::string> found_in_image(std::string_view address,
                                          const catalog::Catalog& catalog) {
  const std::string_view last = parts_of(address).front();
  const std::size_t colon = std::min(last.find(':'), last.size());
  std::string_view image = last.substr(0, colon);
  for (const std::string_view prefix : kImagePrefixes) {
    if (image.starts_with(prefix)) image.remove_prefix(prefix.size());
  }
  const auto by_image = found_by_name(image, catalog);
  const auto by_tag =
      colon < last.size() ? found_by_name(last.substr(colon + 1), catalog) : std::nullopt;
  if (by_image && by_tag) return std::nullopt;
  return by_image ? by_image : by_tag;
}

/// A path or an address in a store: "s3://bucket/llama-3.1-8b-instruct/".
std::optional<NamedModel> found_by_path(std::string_view path, const catalog::Catalog& catalog) {
  const std::string hub = hub_name_in(path);
  if (!hub.empty()) return NamedModel{hub, true, fmt::format("the path '{}'", path)};
  const std::size_t scheme = path.find("://");
  std::optional<std::string> name;
  if (path.starts_with("oci://")) {
    name = parts_of(path).empty() ? std::nullopt : found_in_image(path, catalog);
  } else {
    // The first part behind a scheme is the bucket or the claim.
    if (scheme != std::string_view::npos) {
      path.remove_prefix(std::min(path.find('/', scheme + 3), path.size()));
    }
    name = found_by_name(naming_part(path), catalog);
  }
  if (!name) return std::nullopt;
  return NamedModel{std::move(*name), false, fmt::format("the path '{}'", path)};
}

/// A name that clients see counts where the path names nothing, or where it is the hub's own.
std::optional<NamedModel> found_as_served(const EngineCall& call, bool is_path_silent,
                                          const catalog::Catalog& catalog) {
  const EngineSetting* served = call.find("servedName");
  if (served == nullptr || served->value.empty()) return std::nullopt;
  const bool is_full = std::ranges::count(served->value, '/') == 1 && served->value.front() != '/';
  const std::string from = fmt::format("{} {}", served->flag, served->value);
  if (is_full) {
    const auto model = catalog.find_name(served->value);
    if (model && in_lower_case(model->id) == in_lower_case(served->value)) {
      return NamedModel{model->id, false, from};
    }
  }
  if (!is_path_silent || is_full) return std::nullopt;
  auto name = found_by_name(served->value, catalog);
  if (!name || !tells_size(*name)) return std::nullopt;
  return NamedModel{std::move(*name), false, from};
}

}  // namespace

std::string hub_name_in(std::string_view path) {
  constexpr std::string_view kScheme = "hf://";
  constexpr std::string_view kFolder = "models--";
  if (path.starts_with(kScheme)) {
    path.remove_prefix(kScheme.size());
    path = path.substr(0, path.find_first_of(":@?"));
    while (path.ends_with('/')) path.remove_suffix(1);
    return std::string(path);
  }
  for (const std::string_view part : parts_of(path)) {
    if (!part.starts_with(kFolder)) continue;
    const std::string_view name = part.substr(kFolder.size());
    const std::size_t mark = name.find("--");
    if (mark == std::string_view::npos) return std::string(name);
    return fmt::format("{}/{}", name.substr(0, mark), name.substr(mark + 2));
  }
  return {};
}

std::optional<NamedModel> model_behind(const EngineCall& call, const catalog::Catalog& catalog) {
  const std::string_view path = call.model;
  if (auto found = path.empty() ? std::nullopt : found_by_path(path, catalog)) return found;
  return found_as_served(call, naming_part(path).empty(), catalog);
}

}  // namespace gpushape::review
