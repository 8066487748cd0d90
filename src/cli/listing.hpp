// Lists that commands print: columns of text, or the same rows as a JSON or YAML document.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "document/node.hpp"
#include "render/page.hpp"

namespace gpushape::cli {

/// One row of a listing: the columns of the text, and the mapping of JSON and YAML.
struct Row {
  std::vector<std::string> columns;
  document::Node node;
};

struct Listing {
  std::vector<render::Column> heads;
  std::vector<Row> rows;
  /// Of the JSON and YAML document; a bare list where they are empty.
  std::string kind;
  std::string field;
};

/// The format that was asked for, text, json or yaml; a complaint about any other.
Result<std::string> listing_format(const Invocation& invocation);

int print(const Listing& listing, const Invocation& invocation, const Terminal& terminal);
/// JSON or YAML.
void print(const document::Node& node, const std::string& format, const Terminal& terminal);

/// One of a command's words; a complaint with the nearest where it is none of them.
Result<std::string> question_of(const ParsedFlags& parsed, std::string_view command,
                                const std::vector<std::string>& known);

}  // namespace gpushape::cli
