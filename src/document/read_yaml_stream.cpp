// A stream of YAML documents, each read by itself: a broken one hides no other.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/yaml_text.hpp"

namespace gpushape::document {
namespace {

struct StreamPart {
  std::string_view text;
  int lines_before = 0;
};

/// Comments, directives and markers alone are no document.
bool says_nothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#' || line.starts_with('%') ||
         line.starts_with("...") || (begins_document(line) && says_nothing(line.substr(3)));
}

std::vector<StreamPart> parts_of(std::string_view text) {
  std::vector<StreamPart> parts;
  std::size_t begin = 0;
  int begin_line = 0;
  bool has_content = false;
  const auto end_part = [&](std::size_t end) {
    if (has_content) parts.push_back({text.substr(begin, end - begin), begin_line});
  };
  int line_number = 0;
  for (std::size_t start = 0; start < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    if (begins_document(line) && start > begin) {
      end_part(start);
      begin = start;
      begin_line = line_number;
      has_content = false;
    }
    has_content |= !says_nothing(line);
    start = end + 1;
  }
  end_part(text.size());
  return parts;
}

void move_lines(Node& node, int lines) {
  const auto moved = [lines](Position position) {
    if (position.line > 0) position.line += lines;
    return position;
  };
  node.set_position(moved(node.position()));
  if (node.is(Node::Kind::Sequence)) {
    for (Node& item : node.items()) move_lines(item, lines);
  } else if (node.is(Node::Kind::Mapping)) {
    for (Node::Entry& entry : node.entries()) {
      entry.position = moved(entry.position);
      move_lines(entry.value, lines);
    }
  }
}

}  // namespace

YamlStream read_yaml_stream(std::string_view text, std::string file, const Limits& limits) {
  YamlStream stream;
  Result<std::shared_ptr<const Source>> whole = accept_yaml(text, std::move(file), limits);
  if (!whole) return {{}, std::move(whole).error()};
  Spent spent;
  for (const StreamPart& part : parts_of((*whole)->text)) {
    const auto source = std::make_shared<const Source>((*whole)->file, std::string(part.text));
    auto read = read_accepted(source, limits, spent);
    if (!read) {
      for (Diagnostic& fault : read.error()) {
        if (fault.span.line > 0) fault.span.line += part.lines_before;
        stream.faults.push_back(std::move(fault));
      }
      if (spent.nodes > limits.nodes || spent.expanded_bytes > kMostExpandedBytes) break;
      continue;
    }
    for (Document& document : *read) {
      move_lines(document.root, part.lines_before);
      stream.documents.push_back({std::move(document.root), *whole});
    }
  }
  if (stream.documents.empty() && stream.faults.empty()) {
    stream.faults.push_back((*whole)->diagnostic({}, (*whole)->file + " holds no document"));
  }
  return stream;
}

}  // namespace gpushape::document
