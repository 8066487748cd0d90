// The proof of a catalog: every entry reads, its total is that of its tensors, what differs from
// published figures is explained, and every name leads to one model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpushape::catalog {

struct CatalogFault {
  std::string model;
  std::string says;

  bool operator==(const CatalogFault&) const = default;
};

struct CatalogReport {
  std::size_t models = 0;
  std::size_t names = 0;  ///< ids and aliases
  std::size_t facts = 0;  ///< with a source each
  std::vector<CatalogFault> faults;
};

CatalogReport check_catalog(const Catalog& catalog);

}  // namespace gpushape::catalog
