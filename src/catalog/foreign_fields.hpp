// Fields of a config.json that make its model something else than its family says.
#pragma once

#include "catalog/families.hpp"
#include "catalog/fields.hpp"

namespace gpushape::catalog {

/// Complains of each such field that says something, and of fields that stand twice.
void refuse_foreign_fields(const Fields& fields, const Family& family);

}  // namespace gpushape::catalog
