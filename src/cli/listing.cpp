#include "cli/listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.hpp"
#include "document/text_format.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {

using document::Node;

Result<std::string> listing_format(const Invocation& invocation) {
  const std::vector<std::string> known = {"text", "json", "yaml"};
  std::string format = invocation.outputs.empty() ? "text" : invocation.outputs.back();
  if (std::ranges::find(known, format) != known.end()) return format;
  return failure(fmt::format("--output: '{}' is no format", format),
                 suggestion(format, known, "expected one of text, json, yaml"));
}

void print(const Node& node, const std::string& format, const Terminal& terminal) {
  terminal.out << (format == "json" ? document::write_json(node) : document::write_yaml(node));
}

int print(const Listing& listing, const Invocation& invocation, const Terminal& terminal) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  if (*format == "text") {
    render::Page page(style_for(terminal, invocation.color, invocation.verbosity));
    render::Table table;
    table.columns = listing.heads;
    for (const Row& row : listing.rows) table.rows.push_back(row.columns);
    page.table(table, 0);
    terminal.out << page.text();
    return kDone;
  }
  Node items = Node::sequence();
  for (const Row& row : listing.rows) items.add(row.node);
  if (listing.kind.empty()) {
    print(items, *format, terminal);
    return kDone;
  }
  Node document = schema::new_document(listing.kind);
  document.set(listing.field, std::move(items));
  print(document, *format, terminal);
  return kDone;
}

Result<std::string> question_of(const ParsedFlags& parsed, std::string_view command,
                                const std::vector<std::string>& known) {
  const std::string words = fmt::format("{}", fmt::join(known, ", "));
  if (parsed.positionals.empty())
    return failure(fmt::format("{} needs a word: {}", command, words));
  const std::string& word = parsed.positionals.front();
  if (std::ranges::find(known, word) != known.end()) return word;
  return failure(fmt::format("{}: '{}' is not known", command, word),
                 suggestion(word, known, fmt::format("expected: {}", words)));
}

}  // namespace gpushape::cli
