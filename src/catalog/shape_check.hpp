// Whether the modules of a header have the shapes that an architecture gives their tensors.
#pragma once

#include <cstdint>
#include <optional>

#include "base/diagnostic.hpp"
#include "catalog/stored_modules.hpp"
#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// The matrix that a module stands for, as far as its packing lets it be seen: outputs and inputs;
/// 0 for what cannot be told.
struct StoredMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};
/// Of a module with one weight.
StoredMatrix matrix_of(const StoredModule& module);
/// The same of the first of several: an expert's.
StoredMatrix matrix_of_each(const StoredModule& module);

/// A complaint for each projection of attention, networks and experts that has another shape; one
/// note in the model for whatever else differs.
void check_shapes(const TensorListing& listing, const StoredModules& modules, domain::Model& model,
                  Diagnostics& faults);

}  // namespace gpushape::catalog
