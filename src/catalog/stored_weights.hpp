// A listing of tensors held against a model: bytes by part, and the scheme that each tensor is
// really stored in. What the header says wins over what the config says.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// Bytes by part and type, in the order of the parts, the larger type first.
std::vector<domain::StoredPart> sorted_parts(const TensorListing& listing);

/// Sets the model's stored parts, its count of stored values and its exceptions from the listing;
/// every disagreement with what the model said before becomes a note. What cannot be reconciled is
/// returned.
Diagnostics hold_against(const TensorListing& listing, domain::Model& model);

/// "embedding 1.00, attention 2.50 …" in GiB, for messages.
std::string parts_text(const std::vector<domain::StoredPart>& parts);

}  // namespace gpushape::catalog
