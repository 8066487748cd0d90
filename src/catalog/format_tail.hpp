// The words at the end of a repository's name that tell of its format, in whatever order people put
// them: "-FP8-W8A8", "-W8A8-FP8-Dynamic", "-AWQ-W4A16", "-GPTQ-Int4-g32".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalog/repository_name.hpp"

namespace gpushape::catalog {

struct FormatTail {
  std::size_t length = 0;  ///< letters of the words, with the mark before them
  std::string suffix;      ///< the publishers' one that says the same: "-fp8-dynamic"
};

/// Nothing where the last words tell of no format, of its bits alone ("-4bit"), or of two that no
/// recipe mixes.
std::optional<FormatTail> format_tail(std::string_view repository);

/// Suffixes that tails of several words need beside the publishers': groups of other sizes, and
/// mixes.
std::span<const RepositorySuffix> tail_suffixes();

}  // namespace gpushape::catalog
