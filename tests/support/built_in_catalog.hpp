// The catalog that is built in, opened once a program.
#pragma once

#include "catalog/catalog.hpp"

namespace gpushape::example {

inline const catalog::Catalog& built_in_catalog() {
  static const catalog::Catalog kCatalog = catalog::Catalog::open().value();
  return kCatalog;
}

}  // namespace gpushape::example
