// The shapes of a safetensors header held against the architecture that a config.json describes.
//
// Where shapes tell a size without doubt (layers, KV heads, head size, width, experts, vocabulary)
// the header wins and a note says so; where they contradict the config in another way, or one
// another, nothing is guessed.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "catalog/stored_modules.hpp"
#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// Corrects the model; what cannot be reconciled is returned, in messages that name the tensor, its
/// shape and the field. `listing` has types and shapes, with the names of safetensors; `modules`
/// becomes its modules, for further comparison.
Diagnostics reconcile_shapes(const TensorListing& listing, domain::Model& model,
                             std::optional<StoredModules>& modules);

}  // namespace gpushape::catalog
