// The entries that the build packs, and the names that they answer to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/pack.hpp"

namespace gpushape::catalog {

/// Letter case apart.
bool is_same_name(std::string_view a, std::string_view b);

/// Those of `text` that are not empty.
std::vector<std::string_view> lines_of(std::string_view text);

/// Sorted without regard to letter case, each once, in the spelling that comes first: an overlay
/// may spell a built-in id its own way.
std::vector<std::string> sorted_once(std::span<const std::string> ids);

/// By its id or one of its aliases.
bool answers_to(const document::PackedFile& file, std::string_view name);

/// The files of that folder, without those of folders below it.
std::vector<document::PackedFile> embedded(std::string_view folder);

}  // namespace gpushape::catalog
