#include "inventory/document_header.hpp"

#include <fmt/format.h>

namespace gpushape::inventory {

using document::Node;

bool read_header(document::Reader& reader, std::string_view kind) {
  const std::string version = reader.required_text("apiVersion");
  if (!version.empty() && version != kApiVersion) {
    reader.complain("apiVersion", fmt::format("unknown apiVersion '{}'", version),
                    fmt::format("write apiVersion: {}", kApiVersion));
  }
  const std::string found = reader.required_text("kind");
  if (!found.empty() && found != kind) {
    reader.complain("kind", fmt::format("this is a '{}', not a {}", found, kind),
                    fmt::format("write kind: {}", kind));
    return false;
  }
  return true;
}

Node new_document(std::string_view kind) {
  Node node = Node::mapping();
  node.set("apiVersion", kApiVersion);
  node.set("kind", kind);
  return node;
}

std::string read_name(document::Reader& reader, std::string_view field) {
  std::string name = reader.required_text(field);
  const Node* const node = reader.node(field);
  if (name.empty() && node != nullptr && node->is(Node::Kind::String)) {
    reader.complain(field, fmt::format("{}: a name cannot be empty", field));
  }
  return name;
}

}  // namespace gpushape::inventory
