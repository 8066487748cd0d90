#include "inventory/kubernetes_fields.hpp"

#include <fmt/format.h>

namespace gpushape::inventory {

using document::Node;

const Node* at(const Node& node, std::string_view path) {
  const Node* found = &node;
  while (found != nullptr && !path.empty()) {
    const std::size_t end = path.find('.');
    found = found->find(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return found;
}

std::string text_of(const Node* node) {
  if (node == nullptr) return {};
  switch (node->kind()) {
    case Node::Kind::String:
      return node->text();
    case Node::Kind::Integer:
      return std::to_string(node->integer());
    case Node::Kind::Number:
      return fmt::format("{}", node->number());
    case Node::Kind::Boolean:
      return node->boolean() ? "true" : "false";
    default:
      return {};
  }
}

std::string text_at(const Node& node, std::string_view path) { return text_of(at(node, path)); }

std::string label_of(const Node& object, std::string_view name) {
  const Node* const labels = at(object, "metadata.labels");
  return labels == nullptr ? std::string() : text_of(labels->find(name));
}

std::string annotation_of(const Node& object, std::string_view name) {
  const Node* const annotations = at(object, "metadata.annotations");
  return annotations == nullptr ? std::string() : text_of(annotations->find(name));
}

}  // namespace gpushape::inventory
