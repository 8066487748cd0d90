// The models that a name which leads nowhere was probably meant for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::catalog {

/// Nearest first, at most three: letters that differ count, another size more, another family most;
/// words that were left out hardly.
/// An owner counts where the wanted name has one.
std::vector<std::string> nearest_models(std::string_view wanted,
                                        std::span<const std::string> names);

/// "did you mean …?", or where to look.
std::string model_suggestion(std::string_view wanted, std::span<const std::string> names);

}  // namespace gpushape::catalog
