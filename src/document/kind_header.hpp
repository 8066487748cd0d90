// The two fields that open a document which says what it is, after the habit of Kubernetes:
// `apiVersion` and `kind`.
#pragma once

#include <string_view>

#include "document/node.hpp"
#include "document/reader.hpp"

namespace gpushape::document {

struct KindHeader {
  std::string_view api_version;
  std::string_view kind;
};

/// Complains unless both are the ones expected. False for another kind: its fields are then no
/// concern of the caller's.
bool read_kind_header(Reader& reader, const KindHeader& expected);

/// A document of these two fields.
Node document_with(const KindHeader& header);

}  // namespace gpushape::document
