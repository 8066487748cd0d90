#include "inventory/document_header.hpp"

#include <fmt/format.h>

#include "document/kind_header.hpp"
#include "domain/api_version.hpp"

namespace gpushape::inventory {

using document::Node;

bool read_header(document::Reader& reader, std::string_view kind) {
  return document::read_kind_header(reader, {.api_version = domain::kApiVersion, .kind = kind});
}

Node new_document(std::string_view kind) {
  return document::document_with({.api_version = domain::kApiVersion, .kind = kind});
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
