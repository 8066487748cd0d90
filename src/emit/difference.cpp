#include "emit/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "document/text_format.hpp"

namespace gpushape::emit {

using document::Node;
using Kind = Node::Kind;

namespace {

std::string field_text(const Node& root, std::string_view name) {
  const Node* node = root.find(name);
  return node == nullptr ? std::string() : node->text();
}

/// "Deployment/llama"; our own kinds carry their name at the top, values files have none at all.
std::string identity(const Node& root) {
  const Node* metadata = root.find("metadata");
  const std::string name =
      metadata == nullptr ? field_text(root, "name") : field_text(*metadata, "name");
  const std::string kind = field_text(root, "kind");
  if (kind.empty() && name.empty()) return "document";
  return name.empty() ? kind : kind + "/" + name;
}

/// One line, short enough to read.
std::string shown(const Node& node) {
  constexpr std::size_t kMost = 80;
  std::string text = node.is(Kind::String) ? node.text() : document::write_json(node);
  std::string line;
  for (const char c : text) {
    const bool is_break = c == '\n' || c == ' ';
    if (!is_break) line += c;
    if (is_break && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line.size() > kMost ? line.substr(0, kMost) + " …" : line;
}

bool is_named_list(const Node& node) {
  return node.is(Kind::Sequence) && !node.items().empty() &&
         std::ranges::all_of(node.items(),
                             [](const Node& item) { return item.find("name") != nullptr; });
}

class Comparison {
 public:
  explicit Comparison(std::string document) : document_(std::move(document)) {}

  void compare(const std::string& path, const Node& before, const Node& after) {
    if (before == after) return;
    if (before.is(Kind::Mapping) && after.is(Kind::Mapping)) return mappings(path, before, after);
    if (is_named_list(before) && is_named_list(after)) return named(path, before, after);
    if (before.is(Kind::Sequence) && after.is(Kind::Sequence)) return lists(path, before, after);
    // "1" and 1 are the same quantity to a reader of YAML, but not to the API server.
    say(path, fmt::format("{} -> {}", shown(before), shown(after)));
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

 private:
  void say(const std::string& path, const std::string& what) {
    lines_.push_back(fmt::format("{}: {}: {}", document_, path, what));
  }

  void mappings(const std::string& path, const Node& before, const Node& after) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const Node::Entry& entry : before.entries()) {
      const Node* other = after.find(entry.name);
      if (other == nullptr) {
        say(prefix + entry.name, "- " + shown(entry.value));
      } else {
        compare(prefix + entry.name, entry.value, *other);
      }
    }
    for (const Node::Entry& entry : after.entries()) {
      if (before.find(entry.name) == nullptr) say(prefix + entry.name, "+ " + shown(entry.value));
    }
  }

  void named(const std::string& path, const Node& before, const Node& after) {
    const auto find = [](const Node& rows, const std::string& name) -> const Node* {
      for (const Node& row : rows.items()) {
        if (row.find("name")->text() == name) return &row;
      }
      return nullptr;
    };
    for (const Node& row : before.items()) {
      const std::string& name = row.find("name")->text();
      const std::string at = fmt::format("{}[{}]", path, name);
      if (const Node* other = find(after, name)) {
        compare(at, row, *other);
      } else {
        say(at, "- " + shown(row));
      }
    }
    for (const Node& row : after.items()) {
      const std::string& name = row.find("name")->text();
      if (find(before, name) == nullptr) say(fmt::format("{}[{}]", path, name), "+ " + shown(row));
    }
  }

  void lists(const std::string& path, const Node& before, const Node& after) {
    const std::size_t most = std::max(before.items().size(), after.items().size());
    for (std::size_t i = 0; i < most; ++i) {
      const std::string at = fmt::format("{}[{}]", path, i);
      if (i >= before.items().size()) {
        say(at, "+ " + shown(after.items()[i]));
      } else if (i >= after.items().size()) {
        say(at, "- " + shown(before.items()[i]));
      } else {
        compare(at, before.items()[i], after.items()[i]);
      }
    }
  }

  std::string document_;
  std::vector<std::string> lines_;
};

const Node* paired(const std::vector<Node>& documents, const std::string& with) {
  for (const Node& document : documents) {
    if (identity(document) == with) return &document;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> differences(const std::vector<Node>& existing,
                                     const std::vector<Node>& written) {
  std::vector<std::string> lines;
  for (const Node& document : existing) {
    const std::string name = identity(document);
    const Node* other = paired(written, name);
    if (other == nullptr) {
      lines.push_back("- " + name);
      continue;
    }
    Comparison comparison(name);
    comparison.compare("", document, *other);
    for (std::string& line : comparison.take()) lines.push_back(std::move(line));
  }
  for (const Node& document : written) {
    const std::string name = identity(document);
    if (paired(existing, name) == nullptr) lines.push_back("+ " + name);
  }
  return lines;
}

}  // namespace gpushape::emit
