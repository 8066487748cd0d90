// An index without its files held against a model: the total that it gives, and what the names of
// its tensors tell of how they are stored.
#pragma once

#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// The listing has names only. Its total stands for the model's bytes; where the model's scheme
/// comes to another and one known scheme comes to this total, that scheme takes its place.
void hold_against_total(const TensorListing& listing, domain::Model& model);

}  // namespace gpushape::catalog
