// Slips of the keyboard in the short names that people type: "lama-3.1-8b", "qwne3-8b-instuct".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::catalog {

/// What `name` may have been meant to be: each of its words that no name of the catalog has (of
/// letters, four at least), put right by those of its words that are nearest: one letter off, two
/// from eight letters on. Figures stay as they are, for "qwen3-7b" is no slip of "qwen3-8b". Empty
/// where the name has an owner, for an id stands for one repository; where it has no such word, or
/// one that nothing is near to.
std::vector<std::string> respelled_names(std::string_view name, std::span<const std::string> names);

}  // namespace gpushape::catalog
