// Fields of a config.json that make its model something else than its family says.
#pragma once

#include "catalog/families.hpp"
#include "catalog/fields.hpp"

namespace gpushape::catalog {

/// Complains of each such field that says something and that nobody asked for, and of fields that
/// stand twice. After the family's reader.
void refuse_foreign_fields(document::Reader& reader, const Family& family);

}  // namespace gpushape::catalog
