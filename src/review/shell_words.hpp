// A shell's text as the commands it starts, word by word, each word with its place. Knows quotes,
// escapes, continued lines, comments, separators and variables that are set in sight; leaves what
// only a running shell knows ($(…), globs) as it is written.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "review/fields.hpp"

namespace gpushape::review {

/// Where a stretch of the text stands in its file.
using PlaceInText = std::function<document::Position(std::size_t offset, std::size_t length)>;

/// A variable and its value; an empty value is not known.
struct ShellVariable {
  std::string name;
  std::string value;
};

struct ShellCommand {
  Command words;                         ///< without leading assignments, `exec`, `then` …
  std::vector<ShellVariable> variables;  ///< that were set in front of it, and before
};

std::vector<ShellCommand> shell_commands(std::string_view text, const PlaceInText& place,
                                         std::vector<ShellVariable> variables = {});

/// Of the text of a scalar: line by line in a block, letter by letter in one line.
PlaceInText place_in_scalar(const document::Document& document, const document::Node& node);
/// Of the text of a whole file.
PlaceInText place_in_file(std::string_view text);

/// "$(NAME)" as Kubernetes fills it in; a name that is not known stays.
std::string with_variables(std::string_view text, const std::vector<ShellVariable>& variables);

}  // namespace gpushape::review
