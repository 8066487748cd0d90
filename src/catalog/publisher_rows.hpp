// How rows of publishers are written, for the tables of repository_suffixes().
#pragma once

#include <span>
#include <string_view>

#include "catalog/repository_name.hpp"

namespace gpushape::catalog {

inline constexpr std::string_view kAnyBase;
// Sizes of groups.
inline constexpr int kSmall = 32;
inline constexpr int kHalf = 64;
inline constexpr int kUsual = 128;

/// Of the gated delta rule: a row for each head, which tools leave alone.
inline constexpr std::string_view kSmallProjections = "re:.*linear_attn\\.in_proj_[ab]$";
/// Experts that every token takes, and networks of layers without experts.
inline constexpr std::string_view kSharedExperts = "re:.*shared_expert.*";
inline constexpr std::string_view kDenseNetworks = "re:.*\\.mlp\\.(gate|up|down)_proj$";

/// What a row says of the tensors, under the names that it holds for.
constexpr RepositorySuffix by(std::string_view organization, std::string_view base,
                              std::string_view suffix, RepositorySuffix recipe,
                              std::string_view source) {
  recipe.organization = organization;
  recipe.base = base;
  recipe.suffix = suffix;
  recipe.source = source;
  return recipe;
}

/// One that others of the name need not follow.
constexpr RepositorySuffix opened(RepositorySuffix recipe) {
  recipe.is_whole = false;
  return recipe;
}

/// One that leaves nothing open.
constexpr RepositorySuffix closed(RepositorySuffix recipe) {
  recipe.is_whole = true;
  return recipe;
}

/// Models with experts or linear attention, from model cards and config files.
std::span<const RepositorySuffix> mixture_recipes();

/// Those of single publishers, from config files or from what the tensors of a repository hold.
std::span<const RepositorySuffix> publisher_recipes();

/// Publishers who keep to one size of groups, or to one list of layers.
std::span<const RepositorySuffix> publisher_groups();

}  // namespace gpushape::catalog
