// The two fields that open every document, read strictly; and the readers of whole documents that
// stand inside others.
#pragma once

#include <string_view>

#include "document/reader.hpp"
#include "domain/contract.hpp"

namespace gpushape::schema {

/// Complains unless `apiVersion` is ours and `kind` is the one expected. False for another kind:
/// its fields are then no concern of the caller's.
bool read_header(document::Reader& reader, std::string_view kind);

domain::ResourceContract read_contract_fields(document::Reader& reader);

}  // namespace gpushape::schema
