#include "schema/header.hpp"

#include <fmt/format.h>

#include "schema/kinds.hpp"

namespace gpushape::schema {

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

}  // namespace gpushape::schema
