// What a checkpoint stores beside the tensors of its architecture, said in the model's notes.
#pragma once

#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// Why the checkpoint's count of values is not the model's count of parameters, and which tensors
/// no part of the architecture is. The model's stored parts and schemes are known already.
void explain_stored(const TensorListing& listing, domain::Model& model);

}  // namespace gpushape::catalog
