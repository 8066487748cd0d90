#include "review/fields.hpp"

#include <algorithm>

#include "document/number_text.hpp"
#include "review/quantity.hpp"

namespace gpushape::review {

using document::Node;

const Node* at(const Node& root, Path path) { return at(&root, path); }

const Node* at(const Node* root, Path path) {
  for (const std::string_view step : path) {
    if (root == nullptr) return nullptr;
    root = root->find(step);
  }
  return root;
}

std::optional<Located<std::int64_t>> integer_at(const Node& root, Path path) {
  const Node* node = at(root, path);
  if (node == nullptr || !node->is(Node::Kind::Integer)) return std::nullopt;
  return Located<std::int64_t>{node->integer(), node};
}

std::optional<Located<double>> quantity_at(const Node& root, Path path) {
  const Node* node = at(root, path);
  const std::optional<double> value = node == nullptr ? std::nullopt : quantity_of(*node);
  if (!value) return std::nullopt;
  return Located<double>{*value, node};
}

std::optional<Located<std::string>> text_at(const Node& root, Path path) {
  const Node* node = at(root, path);
  if (node == nullptr || !node->is(Node::Kind::String)) return std::nullopt;
  return Located<std::string>{node->text(), node};
}

std::optional<Located<bool>> flag_at(const Node& root, Path path) {
  const Node* node = at(root, path);
  if (node == nullptr || !node->is(Node::Kind::Boolean)) return std::nullopt;
  return Located<bool>{node->boolean(), node};
}

std::string word_of(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::String:
      return node.text();
    case Node::Kind::Boolean:
      return node.boolean() ? "true" : "false";
    case Node::Kind::Integer:
      return std::to_string(node.integer());
    case Node::Kind::Number:
      return document::number_text(node.number());
    default:
      return {};
  }
}

std::string word_at(const Node& root, Path path) {
  const Node* node = at(root, path);
  return node == nullptr ? std::string() : word_of(*node);
}

bool is_set(const Node& root, Path path) {
  const auto flag = flag_at(root, path);
  return flag && flag->value;
}

const Node* listed_objects(const Node& root) {
  const std::string kind = word_at(root, {"kind"});
  if (kind.ends_with("List")) return root.find("items");
  const bool is_template =
      kind == "Template" && word_at(root, {"apiVersion"}).starts_with("template.openshift.io/");
  return is_template ? root.find("objects") : nullptr;
}

std::vector<NamedText> named_texts(const Node* mapping) {
  std::vector<NamedText> rows;
  if (mapping == nullptr) return rows;
  for (const Node::Entry& entry : mapping->entries()) {
    if (entry.value.is(Node::Kind::Mapping) || entry.value.is(Node::Kind::Sequence)) continue;
    rows.push_back({entry.name, word_of(entry.value), &entry.value, entry.position});
  }
  return rows;
}

const NamedText* find_name(const std::vector<NamedText>& rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &NamedText::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace gpushape::review
