#include "profiles/node_fields.hpp"

#include <vector>

namespace gpushape::profiles::node_fields {

using document::Node;

Node* child(Node& node, std::string_view name) {
  if (!node.is(Node::Kind::Mapping)) return nullptr;
  for (Node::Entry& entry : node.entries()) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

void drop(Node& node, std::string_view name) {
  if (!node.is(Node::Kind::Mapping)) return;
  std::erase_if(node.entries(), [&](const Node::Entry& entry) { return entry.name == name; });
}

}  // namespace gpushape::profiles::node_fields
