#include "document/kind_header.hpp"

#include <fmt/format.h>

#include <string>

namespace gpushape::document {

bool read_kind_header(Reader& reader, const KindHeader& expected) {
  const std::string version = reader.required_text("apiVersion");
  if (!version.empty() && version != expected.api_version) {
    reader.complain("apiVersion", fmt::format("unknown apiVersion '{}'", version),
                    fmt::format("write apiVersion: {}", expected.api_version));
  }
  const std::string found = reader.required_text("kind");
  if (!found.empty() && found != expected.kind) {
    reader.complain("kind", fmt::format("this is a '{}', not a {}", found, expected.kind),
                    fmt::format("write kind: {}", expected.kind));
    return false;
  }
  return true;
}

Node document_with(const KindHeader& header) {
  Node node = Node::mapping();
  node.set("apiVersion", header.api_version);
  node.set("kind", header.kind);
  return node;
}

}  // namespace gpushape::document
