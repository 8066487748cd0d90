// Nearest names: what the user probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape {

/// Number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment)
/// that turn `a` into `b`, letter case ignored. Source: Damerau 1964, restricted form.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The names closest to `wanted`, best first, at most `most`; ties in the order of `names`. A name
/// counts as near when at most a third of the longer one's letters differ, or when one contains the
/// other.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                       std::size_t most = 3);

/// "did you mean 'a', 'b' or 'c'?", or `otherwise` where nothing is near.
std::string suggestion(std::string_view wanted, std::span<const std::string> names,
                       std::string_view otherwise = {});

}  // namespace gpushape
