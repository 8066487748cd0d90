#include "schema/limits.hpp"

#include <fmt/format.h>

namespace gpushape::schema {

std::optional<Bytes> read_bytes(document::Reader& reader, std::string_view field) {
  const std::optional<Bytes> bytes = reader.bytes(field);
  if (!bytes || *bytes <= kMostBytes) return bytes;
  reader.complain(field, fmt::format("{} is {} bytes, more than 1 PiB", field, bytes->count()),
                  "give the figure in bytes");
  return std::nullopt;
}

}  // namespace gpushape::schema
