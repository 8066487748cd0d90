// Fixes as minimal changes of the text: comments, order and everything else stay as they are. A fix
// that cannot be made so (a value over several lines, a place in a JSON file) is no edit at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/review.hpp"
#include "review/vm_class.hpp"

namespace gpushape::review {

using Edits = std::vector<domain::TextEdit>;

/// The scalar becomes `text`, written as it is to stand in YAML.
Edits replace_value(const document::Document& document, const document::Node& scalar,
                    std::string_view text);
/// The same, in the quotes that the scalar stands in.
Edits replace_text(const document::Document& document, const document::Node& scalar,
                   std::string_view text);
/// The scalar becomes what another one is written as, quotes and all.
Edits copy_value(const document::Document& document, const document::Node& scalar,
                 const document::Node& other);
/// `from` at the place, or behind the quote there, becomes `to`. Nothing where something else
/// stands there.
Edits replace_word(const document::Document& document, document::Position place,
                   std::string_view from, std::string_view to);
/// Takes out the item of a block list that is this word alone, with its line.
Edits remove_item(const document::Document& document, document::Position place,
                  std::string_view word);
/// "name: value" becomes a field of the mapping, ahead of its others.
Edits add_field(const document::Document& document, const document::Node& mapping,
                std::string_view field);

/// A field of the configSpec of a class, where there is one that is in force.
Edits config_field(const VmClass& vm, std::string_view field);

/// The text with all edits made that do not touch each other; the first of two that do wins.
std::string apply_edits(std::string_view text, Edits edits);

/// A unified diff of two texts, three lines around each change; empty where they are equal.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& file);

}  // namespace gpushape::review
