#include "calibrate/started_model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/model_path.hpp"
#include "catalog/quantization_names.hpp"

namespace gpushape::calibrate {
namespace {

/// Whether the catalog has models of the owner that `name` begins with, or it begins with none.
bool is_of_known_owner(std::string_view name, const catalog::Catalog& catalog) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return true;
  const std::vector<std::string> ids = catalog.models();
  const std::string_view owner = name.substr(0, slash + 1);
  return std::ranges::any_of(ids, [&](const std::string& id) { return id.starts_with(owner); });
}

/// A local copy is often kept under the model's own name.
std::optional<domain::Model> find_in_path(std::string_view path, const catalog::Catalog& catalog) {
  for (const std::string& name : names_in_path(path)) {
    if (!is_of_known_owner(name, catalog)) continue;
    if (Result<domain::Model> model = catalog.find(name)) return *std::move(model);
  }
  return std::nullopt;
}

/// Words of remarks that say where a checkpoint lies or who starts it.
constexpr auto kOfPlace = std::to_array<std::string_view>(
    {"container", "folder", "image", "local", "path", "recipe", "served"});

/// The name before brackets that say how it is stored, or where: "(local path)", "(BF16)". Other
/// remarks may speak of other tensors ("FP8 checkpoint", "pruned").
std::optional<std::string> before_brackets(const std::string& name) {
  const std::size_t open = name.find(" (");
  if (open == std::string::npos || !name.ends_with(')')) return std::nullopt;
  const std::string words = name.substr(open + 2, name.size() - open - 3);
  const bool is_of_place =
      words.contains('/') ||
      std::ranges::any_of(kOfPlace, [&](std::string_view word) { return words.contains(word); });
  if (!is_of_place && !catalog::parse_quantization(words)) return std::nullopt;
  return name.substr(0, open);
}

}  // namespace

Result<domain::Model> find_started_model(const std::string& name, const catalog::Catalog& catalog) {
  Result<domain::Model> model = catalog.find(name);
  if (model) return model;
  if (const auto shorter = before_brackets(name)) return find_started_model(*shorter, catalog);
  if (auto kept = find_in_path(name, catalog)) return *std::move(kept);
  return model;
}

}  // namespace gpushape::calibrate
