#include "schema/header.hpp"

#include "document/kind_header.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

bool read_header(document::Reader& reader, std::string_view kind) {
  return document::read_kind_header(reader, {.api_version = kApiVersion, .kind = kind});
}

}  // namespace gpushape::schema
