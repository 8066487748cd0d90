// What a header says beyond the architecture: tensors that no field of a model speaks of, or that
// the checkpoint does not hold.
#pragma once

#include "base/bytes.hpp"
#include "domain/model.hpp"

namespace gpushape::estimate {

/// Bytes that the checkpoint's header counts for what is loaded, less what the architecture comes
/// to; negative where the header holds less. 0 where no header was read.
Bytes beyond_architecture(const domain::Model& model, bool loads_drafts);

}  // namespace gpushape::estimate
