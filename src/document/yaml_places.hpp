// Where the nodes that yaml-cpp reports stand in their text, and how much of their line they take:
// it gives the mark where a node begins, with its anchor and tag, and no end.
#pragma once

#include <yaml-cpp/mark.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "document/node.hpp"

namespace gpushape::document {

/// Where the content of a node begins, behind its anchor and tag.
struct YamlPlace {
  Position position;
  std::size_t offset = 0;
};

YamlPlace place_of(std::string_view text, const YAML::Mark& mark);

/// A place is at least one letter long.
Position with_length(const YamlPlace& place, std::size_t length);

/// A line's end behind the text.
char letter_at(std::string_view text, std::size_t offset);

/// 0 where no null is written out.
std::size_t length_of_null(std::string_view text, std::size_t offset);

/// As much of a scalar as stands on its first line; nothing where its quotes are not closed.
std::optional<std::size_t> length_on_first_line(std::string_view text, std::size_t offset,
                                                std::string_view value);

}  // namespace gpushape::document
